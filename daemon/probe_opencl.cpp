#include "daemon/probe_opencl.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "daemon/gpu/built_variant.hpp"
#include "daemon/gpu/device.hpp"
#include "daemon/gpu/runtime.hpp"
#include "kernels/kernel_sources.hpp"
#include "zero_copy/frame_memory.hpp"
#include "zero_copy/gpu_buffer.hpp"

namespace glint {
namespace {

using gpu::Context;
using gpu::DeviceTraits;
using kernels::Operator;

int64_t integer(uint64_t value) {
    return static_cast<int64_t>(value);
}

const char* type_name(cl_device_type type) {
    if ((type & CL_DEVICE_TYPE_GPU) != 0) return "GPU";
    if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return "accelerator";
    return "CPU";
}

toml::table describe(const DeviceTraits& traits) {
    return toml::table{
        {"platform", traits.platform_name},
        {"platform_version", traits.platform_version},
        {"name", traits.name},
        {"vendor", traits.vendor},
        {"type", type_name(traits.type)},
        {"version", traits.version},
        {"c_version", traits.c_version},
        {"driver_version", traits.driver_version},
        {"profile", traits.profile},
        {"extensions", traits.extensions},
        {"available", traits.available},
        {"compiler", traits.compiler},
        {"unified_memory", traits.unified_memory},
        {"local_memory", traits.real_local_memory ? "real" : "emulated"},
        {"local_bytes", integer(traits.local_bytes)},
        {"global_bytes", integer(traits.global_bytes)},
        {"largest_allocation_bytes", integer(traits.largest_allocation_bytes)},
        {"compute_units", integer(traits.compute_units)},
        {"max_work_group", integer(traits.max_work_group)},
        {"max_work_item", fmt::format("{} {} {}", traits.max_work_item[0], traits.max_work_item[1],
                                      traits.max_work_item[2])},
        {"base_align_bits", integer(traits.base_align_bits)},
        {"timer_resolution_nsec", integer(traits.timer_resolution_nsec)},
        {"images", traits.images},
    };
}

/// Limits of the variant's first kernel on this device.
void insert_kernel_limits(toml::table& entry, const Context& context,
                          const gpu::BuiltVariant& built) {
    const gpu::KernelHandle kernel = built.make_first_kernel();
    const cl_device_id device = context.device.id;
    entry.insert("max_work_group", integer(gpu::max_work_group(kernel.get(), device)));
    size_t multiple = 0;
    cl_ulong local = 0;
    cl_ulong private_bytes = 0;
    clGetKernelWorkGroupInfo(kernel.get(), device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                             sizeof multiple, &multiple, nullptr);
    clGetKernelWorkGroupInfo(kernel.get(), device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local,
                             nullptr);
    clGetKernelWorkGroupInfo(kernel.get(), device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private_bytes,
                             &private_bytes, nullptr);
    entry.insert("preferred_multiple", integer(multiple));
    entry.insert("local_bytes", integer(local));
    entry.insert("private_bytes", integer(private_bytes));
}

toml::table probe_variant(const Context& context, const kernels::Variant& variant,
                          uint32_t filter_size) {
    toml::table entry{{"operator", std::string(kernels::name_of(variant.op))},
                      {"variant", std::string(variant.name)},
                      {"set", std::string(kernels::name_of(variant.set))}};
    if (filter_size != 0) entry.insert("filter_size", integer(filter_size));
    const std::string illegal = gpu::why_illegal(variant.needs, context.device.traits);
    if (!illegal.empty()) {
        entry.insert("known_answer", "not run: " + illegal);
        return entry;
    }
    try {
        gpu::BinaryCache no_cache{""};
        const auto built = gpu::build_variant(context, no_cache, variant, filter_size);
        insert_kernel_limits(entry, context, *built);
        const std::string wrong = gpu::recheck(context, built);
        entry.insert("known_answer", wrong.empty() ? "passed" : "failed");
        if (wrong.empty()) return entry;
        entry.insert("problem", wrong);
        entry.insert("next_step", "nothing to do: the service takes the next variant");
    } catch (const std::runtime_error& error) {
        entry.insert("known_answer", "failed");
        entry.insert("problem", error.what());
        entry.insert("next_step", "nothing to do: the service takes the next variant");
    }
    return entry;
}

/// Those that may serve: the others would only make the owner of a slow compiler wait.
toml::array probe_variants(const Context& context) {
    toml::array variants;
    for (const kernels::Variant& variant : kernels::catalogue()) {
        if (variant.baseline || variant.float_samples) continue;
        const bool filters = variant.op == Operator::convolution ||
                             variant.op == Operator::convolution_float ||
                             variant.op == Operator::filtered_histogram;
        const std::vector<uint32_t> sizes =
            filters && !variant.needs.any_size ? std::vector{3U, 5U} : std::vector{0U};
        for (const uint32_t size : sizes) {
            variants.push_back(probe_variant(context, variant, size));
        }
    }
    return variants;
}

/// The two checks of a transport, on memory as large as a 1920x1080 frame.
toml::table probe_zero_copy(const Context& context) {
    constexpr size_t frame_bytes = size_t{1920} * 1080;
    toml::table result{{"memory", "host_pages"}};
    try {
        gpu::BinaryCache no_cache{""};
        constexpr std::array names{"pattern_write", "pattern_compare"};
        const gpu::BuiltProgram pattern =
            gpu::build_program(context, no_cache, kernels::ep_pattern, "-cl-std=CL1.1", names);
        const gpu::QueueHandle queue = context.make_queue();
        zero_copy::FrameMemory memory(frame_bytes);
        memory.abandon();  // this process ends soon, and what a failing device still writes is
                           // unknown
        zero_copy::GpuBuffer buffer(context.handle.get(), memory.data(), memory.size());
        const zero_copy::TransportProof proof =
            zero_copy::prove(buffer, memory, context.handle.get(), queue.get(),
                             {pattern.kernels[0].get(), pattern.kernels[1].get()});
        (void)buffer.enqueue_unmap(queue.get());
        clFinish(queue.get());
        result.insert("correct", proof.correct);
        result.insert("zero_copy", zero_copy::name_of(proof.zero_copy));
        if (proof.reason.empty()) return result;
        result.insert("problem", proof.reason);
        result.insert("next_step", proof.correct ? "frames work, but the driver copies each of them"
                                                 : "frames are copied by the CPU instead");
    } catch (const std::runtime_error& error) {
        result.insert("correct", false);
        result.insert("problem", error.what());
        result.insert("next_step", "frames are copied by the CPU instead");
    }
    return result;
}

toml::table probe_device(const gpu::Device& device) {
    toml::table entry = describe(device.traits);
    try {
        const Context context(device);
        entry.insert("variant", probe_variants(context));
        entry.insert("zero_copy_check", probe_zero_copy(context));
    } catch (const std::runtime_error& error) {
        entry.insert("problem", error.what());
        entry.insert("next_step", "check the device node's permissions and the kernel log");
    }
    return entry;
}

}  // namespace

toml::table probe_opencl() noexcept {
    toml::table report;
    try {
        toml::array devices;
        for (const gpu::Device& device : gpu::list_devices())
            devices.push_back(probe_device(device));
        if (devices.empty()) {
            report.insert("problem",
                          "the OpenCL loader found no device (CL_PLATFORM_NOT_FOUND_KHR "
                          "or an empty platform)");
            report.insert("next_step",
                          "check the ICD files above, and that the library they name exists and "
                          "loads: `ldd LIBRARY`");
        } else {
            report.insert("device", std::move(devices));
        }
    } catch (const std::exception& error) {
        report.insert("problem", error.what());
        report.insert("next_step",
                      "the driver is there but does not answer: check /dev/galcore, its group, and "
                      "that kernel driver and library are of the same release");
    }
    return report;
}

}  // namespace glint
