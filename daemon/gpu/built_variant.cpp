#include "daemon/gpu/built_variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace glint::gpu {
namespace {

std::string options_of(const BuiltVariant& built) {
    // The kernels are written for 1.1, whatever the device can do beyond it.
    std::string options = "-cl-std=CL1.1";
    if (built.bins != histogram_bins) options += fmt::format(" -DBINS={}", built.bins);
    if (built.filter_size != 0) options += fmt::format(" -DRADIUS={}", built.filter_size / 2);
    if (built.variant->op == kernels::Operator::convolution_float) {
        options += built.variant->float_samples ? " -DFLOATS=2" : " -DFLOATS=1";
    }
    for (const auto& [name, value] : built.tunables)
        options += fmt::format(" -D{}={}", name, value);
    return options;
}

/// The launch names of the first kernel: those whose product is its work-group size.
std::vector<std::string_view> local_names(kernels::Operator op) {
    if (op == kernels::Operator::histogram || op == kernels::Operator::filtered_histogram) {
        return {"LOCAL"};
    }
    return {"LOCAL_X", "LOCAL_Y"};
}

/// What the device allows the kernels that are launched in the shape of the tunables.
size_t work_group_limit(const BuiltVariant& built, const BuiltProgram& program,
                        cl_device_id device) {
    const size_t limit = max_work_group(program.kernels[0].get(), device);
    if (!built.variant->two_passes) return limit;
    return std::min(limit, max_work_group(program.kernels[1].get(), device));
}

size_t local_size(const BuiltVariant& built) {
    size_t product = 1;
    for (const std::string_view name : local_names(built.variant->op))
        product *= built.tunable(name);
    return product;
}

/// Sets a tunable to its largest candidate up to `limit`. False if there is none.
bool lower(BuiltVariant& built, std::string_view name, size_t limit) {
    int32_t best = 0;
    for (const kernels::Tunable& tunable : built.variant->tunables) {
        if (tunable.name != name) continue;
        for (const int32_t candidate : tunable.candidates) {
            if (static_cast<size_t>(candidate) <= limit) best = std::max(best, candidate);
        }
    }
    if (best == 0) return false;
    built.tunables.find(name)->second = best;
    return true;
}

/// Lowers the largest of the work-group's dimensions to its next smaller candidate. False if there
/// is none.
bool step_down(BuiltVariant& built) {
    auto names = local_names(built.variant->op);
    std::ranges::sort(names, std::greater{}, [&](auto name) { return built.tunable(name); });
    return std::ranges::any_of(
        names, [&](auto name) { return lower(built, name, built.tunable(name) - 1); });
}

/// No more copies of a table than local memory holds. Throws BuildError if it does not hold one.
void fit_local_memory(BuiltVariant& built, const DeviceTraits& traits) {
    const size_t copy_bytes =
        size_t{built.variant->needs.local_bytes_per_copy} * built.bins / histogram_bins;
    if (copy_bytes == 0) return;
    const auto room = static_cast<size_t>(traits.local_bytes / copy_bytes);
    const bool copies = built.tunables.contains("COPIES");
    if (room >= (copies ? built.tunable("COPIES") : 1)) return;
    if (copies && lower(built, "COPIES", room)) return;
    throw BuildError(
        fmt::format("a table of {} bins takes {} bytes of local memory, the device has {}",
                    built.bins, copy_bytes, traits.local_bytes));
}

/// OpenCL promises images of four channels only; ours have one. Throws ClError.
void require_image_format(const Context& context, const kernels::Variant& variant) {
    const cl_context handle = context.handle.get();
    const cl_channel_type texel = variant.float_samples ? CL_FLOAT : CL_UNSIGNED_INT8;
    cl_uint count = 0;
    check(clGetSupportedImageFormats(handle, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, nullptr,
                                     &count),
          "clGetSupportedImageFormats");
    std::vector<cl_image_format> formats(count);
    check(clGetSupportedImageFormats(handle, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, count,
                                     formats.data(), nullptr),
          "clGetSupportedImageFormats");
    const bool found = std::ranges::any_of(formats, [&](const cl_image_format& format) {
        return format.image_channel_order == CL_R && format.image_channel_data_type == texel;
    });
    if (!found) throw ClError("an image of one channel", CL_IMAGE_FORMAT_NOT_SUPPORTED);
}

}  // namespace

std::vector<const char*> kernel_names(const kernels::Variant& variant) {
    using kernels::Operator;
    if (variant.two_passes) return {"filter_rows", "filter_columns"};
    if (variant.op == Operator::convolution || variant.op == Operator::convolution_float) {
        return {"convolve"};
    }
    std::vector<const char*> names{kernels::name_of(variant.op).data()};
    if (variant.partials == kernels::Partials::none) return names;
    if (variant.op == Operator::histogram) names.push_back("histogram_reduce");
    if (variant.op == Operator::filtered_histogram) names.push_back("filtered_histogram_reduce");
    return names;
}

size_t BuiltVariant::tunable(std::string_view name) const {
    const auto found = tunables.find(name);
    if (found == tunables.end()) throw std::out_of_range(std::string(name));
    return static_cast<size_t>(found->second);
}

KernelHandle BuiltVariant::make_kernel(const char* name) const {
    cl_int code = CL_SUCCESS;
    KernelHandle kernel(clCreateKernel(program.get(), name, &code));
    check(code, "clCreateKernel");
    return kernel;
}

KernelHandle BuiltVariant::make_first_kernel() const {
    return make_kernel(kernel_names(*variant).front());
}

std::shared_ptr<const BuiltVariant> build_variant(const Context& context, BinaryCache& cache,
                                                  const kernels::Variant& variant,
                                                  uint32_t filter_size, const TunableValues& values,
                                                  uint32_t bins) {
    auto built = std::make_shared<BuiltVariant>();
    built->variant = &variant;
    built->filter_size = filter_size;
    built->bins = bins;
    for (const kernels::Tunable& tunable : variant.tunables) {
        const bool as_cpu = context.device.traits.is_cpu() && tunable.cpu_value != 0;
        built->tunables.emplace(tunable.name, as_cpu ? tunable.cpu_value : tunable.value);
    }
    for (const auto& [name, value] : values) built->tunables.at(name) = value;
    fit_local_memory(*built, context.device.traits);
    if (variant.needs.image) require_image_format(context, variant);
    const std::vector<const char*> names = kernel_names(variant);
    while (true) {
        BuiltProgram program =
            build_program(context, cache, variant.source, options_of(*built), names);
        const size_t limit = work_group_limit(*built, program, context.device.id);
        if (local_size(*built) <= limit) {
            built->program = std::move(program.program);
            return built;
        }
        if (!step_down(*built)) {
            throw BuildError(
                fmt::format("the device runs {} work-items a group at most, the "
                            "smallest candidate is {}",
                            limit, local_size(*built)));
        }
    }
}

}  // namespace glint::gpu
