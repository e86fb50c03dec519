#include "tests/kernels/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace glint::test {
namespace {

using kernels::Operator;

gpu::BinaryCache& no_cache() {
    static gpu::BinaryCache cache("");
    return cache;
}

const std::vector<gpu::TunableValues>& local_sizes(Operator op) {
    static const std::vector<gpu::TunableValues> histogram{{}, {{"LOCAL", 64}}};
    static const std::vector<gpu::TunableValues> convolution{
        {}, {{"LOCAL_X", 8}, {"LOCAL_Y", 2}, {"ROWS", 8}}};
    static const std::vector<gpu::TunableValues> sharpness{
        {}, {{"LOCAL_X", 8}, {"LOCAL_Y", 2}, {"ROWS", 256}}, {{"LOCAL_X", 8}, {"ROWS", 1}}};
    if (op == Operator::histogram || op == Operator::filtered_histogram) return histogram;
    return op == Operator::sharpness ? sharpness : convolution;
}

/// Those values that are candidates of the variant's tunables; it promises nothing for others.
gpu::TunableValues allowed(const kernels::Variant& variant, const gpu::TunableValues& values) {
    gpu::TunableValues result;
    for (const kernels::Tunable& tunable : variant.tunables) {
        const auto found = values.find(tunable.name);
        if (found == values.end()) continue;
        if (std::ranges::count(tunable.candidates, found->second) != 0) result.insert(*found);
    }
    return result;
}

/// On a device that is played the budgets of the real one are in force; elsewhere every variant
/// must build.
bool may_refuse() {
    return std::getenv("GLINT_TEST_MAY_REFUSE") != nullptr;
}

/// Whether somebody who has changed a kernel asked for others alone.
bool is_left_out(const kernels::Variant& variant) {
    const char* beginning = std::getenv("GLINT_TEST_VARIANTS");
    return beginning != nullptr && !variant.name.starts_with(beginning);
}

template <typename Launch, typename Named>
void add(std::vector<Named>& list, const kernels::Variant& variant, uint32_t filter_size) {
    if (is_left_out(variant)) return;
    if (!gpu::why_illegal(variant.needs, context().device.traits).empty()) return;
    for (const gpu::TunableValues& wanted : local_sizes(variant.op)) {
        const gpu::TunableValues values = allowed(variant, wanted);
        if (values.empty() && !wanted.empty()) continue;
        std::string name = fmt::format("{}/{}", kernels::name_of(variant.set), variant.name);
        if (filter_size != 0) name += fmt::format(" {0}x{0}", filter_size);
        for (const auto& [tunable, value] : values) name += fmt::format(" {}={}", tunable, value);
        try {
            auto built = gpu::build_variant(context(), no_cache(), variant, filter_size, values);
            std::unique_ptr<Launch> launch;
            // Not every launch makes buffers of its own.
            if constexpr (std::is_constructible_v<Launch, decltype(built)>) {
                launch = std::make_unique<Launch>(std::move(built));
            } else {
                launch = std::make_unique<Launch>(context(), std::move(built));
            }
            list.push_back({std::move(name), wanted.empty(), std::move(launch)});
        } catch (const gpu::ClError& error) {
            const bool refused = error.code() == CL_OUT_OF_RESOURCES ||
                                 error.code() == CL_IMAGE_FORMAT_NOT_SUPPORTED;
            if (!refused || !may_refuse()) throw;
            fmt::print("refused by this device: {}: {}\n", name, error.what());
        }
    }
}

template <typename Launch, typename Named>
std::vector<Named> all_of(const std::vector<Operator>& operators,
                          const std::vector<uint32_t>& filter_sizes) {
    std::vector<Named> list;
    for (const kernels::Variant& variant : kernels::catalogue()) {
        if (std::ranges::find(operators, variant.op) == operators.end()) continue;
        for (const uint32_t size : filter_sizes) add<Launch>(list, variant, size);
    }
    return list;
}

template <typename Named>
void require(const std::vector<Named>& list, const char* op) {
    if (!list.empty()) return;
    fmt::print(stderr, "no {} variant builds on this device\n", op);
    std::exit(EXIT_FAILURE);
}

}  // namespace

const gpu::Context& context() {
    static const gpu::Context the_context = [] {
        const auto device = gpu::choose_device("*");
        if (!device) {
            std::fputs("no OpenCL device: install pocl-opencl-icd\n", stderr);
            std::exit(EXIT_FAILURE);
        }
        return gpu::Context(*device);
    }();
    return the_context;
}

cl_command_queue queue() {
    static const gpu::QueueHandle the_queue = context().make_queue();
    return the_queue.get();
}

std::vector<NamedHistogram>& histograms() {
    static std::vector<NamedHistogram> all = [] {
        std::vector<NamedHistogram> list;
        for (const kernels::Variant& variant : kernels::catalogue()) {
            if (variant.op != Operator::histogram) continue;
            add<gpu::HistogramLaunch>(list, variant, 0);
        }
        require(list, "histogram");
        return list;
    }();
    return all;
}

std::vector<NamedPicture>& picture_variants() {
    static std::vector<NamedPicture> all = all_of<gpu::PictureLaunch, NamedPicture>(
        {Operator::lookup, Operator::sobel, Operator::downscale, Operator::normalise,
         Operator::planar},
        {0});
    require(all, "picture");
    return all;
}

std::vector<NamedSharpness>& sharpnesses() {
    static std::vector<NamedSharpness> all =
        all_of<gpu::SharpnessLaunch, NamedSharpness>({Operator::sharpness}, {0});
    require(all, "sharpness");
    return all;
}

std::vector<NamedFiltered>& filtered_histograms() {
    static std::vector<NamedFiltered> all =
        all_of<gpu::FilteredHistogramLaunch, NamedFiltered>({Operator::filtered_histogram}, {3, 5});
    require(all, "filtered_histogram");
    return all;
}

std::vector<NamedConvolution>& convolutions() {
    static std::vector<NamedConvolution> all = [] {
        std::vector<NamedConvolution> list;
        for (const kernels::Variant& variant : kernels::catalogue()) {
            if (variant.op != Operator::convolution) continue;
            if (variant.needs.any_size) {
                add<gpu::ConvolutionLaunch>(list, variant, 0);
                continue;
            }
            for (const uint32_t size : {3U, 5U}) add<gpu::ConvolutionLaunch>(list, variant, size);
        }
        require(list, "convolution");
        return list;
    }();
    return all;
}

std::vector<NamedFloatConvolution>& float_convolutions() {
    static std::vector<NamedFloatConvolution> all = [] {
        std::vector<NamedFloatConvolution> list;
        for (const kernels::Variant& variant : kernels::catalogue()) {
            if (variant.op != Operator::convolution_float) continue;
            for (const uint32_t size : {3U, 5U}) {
                add<gpu::FloatConvolutionLaunch>(list, variant, size);
            }
        }
        require(list, "float convolution");
        return list;
    }();
    return all;
}

}  // namespace glint::test
