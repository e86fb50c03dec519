#include "daemon/gpu/device.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

namespace glint::gpu {
namespace {

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
    return text;
}

/// Both clGetPlatformInfo and clGetDeviceInfo have this shape.
template <typename Query, typename Id>
std::string text_info(Query query, Id id, cl_uint what) {
    size_t size = 0;
    if (query(id, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
    std::string text(size, '\0');
    if (query(id, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
    return trimmed(std::move(text));
}

/// A value the device does not know stays at the default of T.
template <typename T>
T value_info(cl_device_id id, cl_device_info what) {
    T value{};
    clGetDeviceInfo(id, what, sizeof value, &value, nullptr);
    return value;
}

DeviceTraits ask(cl_platform_id platform, cl_device_id id) {
    DeviceTraits traits;
    traits.platform_name = text_info(clGetPlatformInfo, platform, CL_PLATFORM_NAME);
    traits.platform_version = text_info(clGetPlatformInfo, platform, CL_PLATFORM_VERSION);
    traits.name = text_info(clGetDeviceInfo, id, CL_DEVICE_NAME);
    traits.vendor = text_info(clGetDeviceInfo, id, CL_DEVICE_VENDOR);
    traits.version = text_info(clGetDeviceInfo, id, CL_DEVICE_VERSION);
    traits.c_version = text_info(clGetDeviceInfo, id, CL_DEVICE_OPENCL_C_VERSION);
    traits.driver_version = text_info(clGetDeviceInfo, id, CL_DRIVER_VERSION);
    traits.profile = text_info(clGetDeviceInfo, id, CL_DEVICE_PROFILE);
    traits.extensions = text_info(clGetDeviceInfo, id, CL_DEVICE_EXTENSIONS);
    traits.type = value_info<cl_device_type>(id, CL_DEVICE_TYPE);
    traits.available = value_info<cl_bool>(id, CL_DEVICE_AVAILABLE) != CL_FALSE;
    traits.compiler = value_info<cl_bool>(id, CL_DEVICE_COMPILER_AVAILABLE) != CL_FALSE;
    traits.unified_memory = value_info<cl_bool>(id, CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
    traits.real_local_memory =
        value_info<cl_device_local_mem_type>(id, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
    traits.rounds_to_zero = (value_info<cl_device_fp_config>(id, CL_DEVICE_SINGLE_FP_CONFIG) &
                             CL_FP_ROUND_TO_NEAREST) == 0;
    traits.local_bytes = value_info<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE);
    traits.global_bytes = value_info<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
    traits.largest_allocation_bytes = value_info<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    traits.compute_units = std::max(1U, value_info<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS));
    traits.max_work_group = value_info<size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    size_t items[3] = {1, 1, 1};
    clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, nullptr);
    std::copy_n(items, 3, traits.max_work_item);
    traits.base_align_bits = value_info<cl_uint>(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN);
    traits.timer_resolution_nsec = value_info<size_t>(id, CL_DEVICE_PROFILING_TIMER_RESOLUTION);
    traits.images = value_info<cl_bool>(id, CL_DEVICE_IMAGE_SUPPORT) != CL_FALSE;
    traits.max_image_width = value_info<size_t>(id, CL_DEVICE_IMAGE2D_MAX_WIDTH);
    traits.max_image_height = value_info<size_t>(id, CL_DEVICE_IMAGE2D_MAX_HEIGHT);
    return traits;
}

std::vector<cl_platform_id> list_platforms() {
    constexpr cl_int no_platform = -1001;  // cl_khr_icd
    cl_uint count = 0;
    const cl_int code = clGetPlatformIDs(0, nullptr, &count);
    if (code == no_platform || count == 0) return {};
    check(code, "clGetPlatformIDs");
    std::vector<cl_platform_id> platforms(count);
    check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    return platforms;
}

/// A GPU is what the service is for; the others stand in.
int preference(const DeviceTraits& traits) {
    if ((traits.type & CL_DEVICE_TYPE_GPU) != 0) return 0;
    if ((traits.type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return 1;
    return 2;
}

}  // namespace

bool DeviceTraits::has_extension(std::string_view extension) const {
    const std::string padded = ' ' + extensions + ' ';
    return padded.find(fmt::format(" {} ", extension)) != std::string::npos;
}

std::vector<Device> list_devices() {
    std::vector<Device> devices;
    for (cl_platform_id platform : list_platforms()) {
        cl_uint count = 0;
        const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
        if (code == CL_DEVICE_NOT_FOUND || count == 0) continue;
        check(code, "clGetDeviceIDs");
        std::vector<cl_device_id> ids(count);
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr),
              "clGetDeviceIDs");
        for (cl_device_id id : ids) devices.push_back({platform, id, ask(platform, id)});
    }
    return devices;
}

std::optional<Device> choose_device(const std::string& pattern) {
    std::vector<Device> devices = list_devices();
    std::erase_if(devices, [&](const Device& device) {
        const std::string name =
            fmt::format("{}/{}", device.traits.platform_name, device.traits.name);
        return !device.traits.available || !device.traits.compiler ||
               ::fnmatch(pattern.c_str(), name.c_str(), 0) != 0;
    });
    const auto best = std::ranges::min_element(
        devices, {}, [](const Device& device) { return preference(device.traits); });
    if (best == devices.end()) return std::nullopt;
    return *best;
}

std::string why_illegal(const kernels::Needs& needs, const DeviceTraits& traits) {
    if (!traits.has_extension("cl_khr_byte_addressable_store")) {
        return "the device cannot store single bytes (no cl_khr_byte_addressable_store)";
    }
    if (needs.full_profile && !traits.full_profile()) return "needs a full profile";
    if (needs.local_atomics && !traits.has_extension("cl_khr_local_int32_base_atomics")) {
        return "needs cl_khr_local_int32_base_atomics";
    }
    if (needs.global_atomics && !traits.has_extension("cl_khr_global_int32_base_atomics")) {
        return "needs cl_khr_global_int32_base_atomics";
    }
    if (needs.image && !traits.images) return "needs images";
    if (needs.local_bytes_per_copy > traits.local_bytes) {
        return fmt::format("needs {} bytes of local memory, the device has {}",
                           needs.local_bytes_per_copy, traits.local_bytes);
    }
    return {};
}

Context::Context(Device chosen) : device(std::move(chosen)) {
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(device.platform), 0};
    cl_int code = CL_SUCCESS;
    handle = ContextHandle(clCreateContext(properties, 1, &device.id, nullptr, nullptr, &code));
    check(code, "clCreateContext");
}

QueueHandle Context::make_queue(bool profiling) const {
    cl_int code = CL_SUCCESS;
    QueueHandle queue(clCreateCommandQueue(handle.get(), device.id,
                                           profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &code));
    check(code, "clCreateCommandQueue");
    return queue;
}

}  // namespace glint::gpu
