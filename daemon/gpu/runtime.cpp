#include "daemon/gpu/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "daemon/gpu/known_answer.hpp"
#include "daemon/gpu/selection.hpp"
#include "kernels/kernel_sources.hpp"

namespace glint::gpu {
namespace {

using kernels::Operator;

std::vector<Choice> all_of(const Choices& choices) {
    std::vector<Choice> all = choices.convolutions;
    all.insert(all.end(), {choices.histogram, choices.sharpness, choices.sobel});
    return all;
}

std::string recheck_choices(const Context& context, const std::vector<Choice>& chosen,
                            const std::string& op, const std::string& variant) {
    for (const Choice& choice : chosen) {
        if (choice.built == nullptr) continue;
        const kernels::Variant& own = *choice.built->variant;
        if (kernels::name_of(own.op) != op || own.name != variant) continue;
        if (std::string wrong = recheck(context, choice.built); !wrong.empty()) return wrong;
    }
    return {};
}

}  // namespace

const Choice* Choices::choice_for(const Filter& filter) const {
    if (filter.gradient) return sobel.built != nullptr ? &sobel : nullptr;
    const auto found = std::ranges::find_if(
        convolutions, [&](const Choice& choice) { return accepts(*choice.built, filter); });
    return found == convolutions.end() ? nullptr : &*found;
}

const Choices& Runtime::choices_for(FrameSize size) const {
    if (tuning.empty()) return by_default;
    const auto known = by_size_.find(size);
    if (known != by_size_.end()) return known->second;
    return by_size_.emplace(size, Selection(*this, size).choose()).first->second;
}

const FloatChoice& Runtime::float_choice_for(FrameSize size, uint32_t filter_size) const {
    const std::pair sizes(tuning.empty() ? FrameSize{} : size, filter_size);
    const auto known = of_floats_.find(sizes);
    if (known != of_floats_.end()) return known->second;
    Selection selection(*this, size);
    Choice choice = selection.choose_of_floats(filter_size);
    return of_floats_.emplace(sizes, FloatChoice{std::move(choice), selection.take_refused()})
        .first->second;
}

std::shared_ptr<const BuiltVariant> Runtime::histogram_build(const Choice& choice,
                                                             uint32_t bins) const {
    if (bins == histogram_bins) return choice.built;
    BinaryCache cache(request.cache_folder);
    std::string reasons;
    const auto attempt = [&](const kernels::Variant& variant, const TunableValues& values) {
        std::shared_ptr<const BuiltVariant> built;
        std::string wrong;
        try {
            built = build_variant(context, cache, variant, 0, values, bins);
            wrong = gpu::recheck(context, built);
        } catch (const std::runtime_error& error) {
            wrong = error.what();
        }
        if (wrong.empty()) return built;
        reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", variant.name, wrong);
        return std::shared_ptr<const BuiltVariant>();
    };
    const kernels::Variant& chosen = *choice.built->variant;
    if (auto built = attempt(chosen, choice.built->tunables)) return built;
    // More counters may be too many for it: the variants that are legal everywhere are next.
    for (const kernels::Variant& variant : kernels::catalogue()) {
        const bool general = variant.op == Operator::histogram && !variant.baseline &&
                             variant.set == kernels::Set::ep && !variant.needs.cpu_device;
        if (!general || &variant == &chosen) continue;
        if (auto built = attempt(variant, {})) return built;
    }
    throw BuildError(fmt::format("no histogram variant takes {} bins here: {}", bins, reasons));
}

std::string Runtime::recheck(const std::string& op, const std::string& variant) const {
    std::string wrong = recheck_choices(context, all_of(by_default), op, variant);
    for (const auto& [size, choices] : by_size_) {
        if (wrong.empty()) wrong = recheck_choices(context, all_of(choices), op, variant);
    }
    for (const auto& [sizes, of_floats] : of_floats_) {
        if (wrong.empty()) wrong = recheck_choices(context, {of_floats.choice}, op, variant);
    }
    return wrong;
}

std::shared_ptr<const Runtime> bring_up(const RuntimeRequest& request) {
    auto device = choose_device(request.device_pattern);
    if (!device) return nullptr;
    auto runtime = std::make_shared<Runtime>(std::move(*device), request);
    runtime->tuning = load_tuning(request.tuning_files, runtime->tuning_problems);
    Selection selection(runtime->context, runtime->request);
    constexpr std::array names{"pattern_write", "pattern_compare"};
    runtime->pattern = std::make_shared<const BuiltProgram>(build_program(
        runtime->context, selection.cache(), kernels::ep_pattern, "-cl-std=CL1.1", names));
    runtime->by_default = selection.choose();
    runtime->refused = selection.take_refused();
    runtime->cache_problem = selection.cache().problem();
    return runtime;
}

std::string recheck(const Context& context, const std::shared_ptr<const BuiltVariant>& built) {
    const QueueHandle queue = context.make_queue();
    switch (built->variant->op) {
        case Operator::histogram: {
            HistogramLaunch launch(context, built);
            return check_histogram(context, queue.get(), launch);
        }
        case Operator::convolution: {
            ConvolutionLaunch launch(context, built);
            return check_convolution(context, queue.get(), launch);
        }
        case Operator::convolution_float: {
            FloatConvolutionLaunch launch(context, built);
            return check_float_convolution(context, queue.get(), launch);
        }
        case Operator::sharpness: {
            SharpnessLaunch launch(built);
            return check_sharpness(context, queue.get(), launch);
        }
        case Operator::filtered_histogram: {
            FilteredHistogramLaunch launch(context, built);
            return check_filtered_histogram(context, queue.get(), launch);
        }
        case Operator::lookup:
        case Operator::sobel:
        case Operator::downscale:
        case Operator::normalise:
        case Operator::planar:
            break;
    }
    PictureLaunch launch(context, built);
    return check_picture(context, queue.get(), launch);
}

}  // namespace glint::gpu
