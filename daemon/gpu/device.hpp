// Finding a device and asking it what it can do. Nothing is decided by a device's name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/gpu/opencl.hpp"
#include "kernels/catalogue.hpp"

namespace glint::gpu {

/// What a device says of itself.
struct DeviceTraits {
    std::string platform_name;
    std::string platform_version;
    std::string name;
    std::string vendor;
    std::string version;    ///< "OpenCL 1.1 ..."
    std::string c_version;  ///< "OpenCL C 1.1 ..."
    std::string driver_version;
    std::string profile;  ///< "FULL_PROFILE" or "EMBEDDED_PROFILE"
    std::string extensions;
    cl_device_type type = 0;
    bool available = false;
    bool compiler = false;
    bool unified_memory = false;
    bool rounds_to_zero = false;     ///< floats: CL_DEVICE_SINGLE_FP_CONFIG without nearest
    bool real_local_memory = false;  ///< CL_DEVICE_LOCAL_MEM_TYPE is CL_LOCAL
    uint64_t local_bytes = 0;
    uint64_t global_bytes = 0;
    uint64_t largest_allocation_bytes = 0;
    uint32_t compute_units = 1;
    uint64_t max_work_group = 1;
    uint64_t max_work_item[3] = {1, 1, 1};
    uint32_t base_align_bits = 0;
    uint64_t timer_resolution_nsec = 0;
    bool images = false;
    size_t max_image_width = 0;  ///< of two-dimensional images, texels
    size_t max_image_height = 0;

    [[nodiscard]] bool full_profile() const { return profile == "FULL_PROFILE"; }
    [[nodiscard]] bool is_cpu() const { return (type & CL_DEVICE_TYPE_CPU) != 0; }
    [[nodiscard]] bool has_extension(std::string_view extension) const;
};

struct Device {
    cl_platform_id platform = nullptr;
    cl_device_id id = nullptr;
    DeviceTraits traits;
};

/// Every device of every platform; empty when the loader knows no platform. Throws ClError when a
/// platform fails in another way.
[[nodiscard]] std::vector<Device> list_devices();

/// The first device whose "PLATFORM/DEVICE" matches the shell pattern, a GPU before an accelerator
/// before a CPU. Devices that are not available or cannot compile are passed over.
[[nodiscard]] std::optional<Device> choose_device(const std::string& pattern);

/// Why a variant may not run on such a device; empty when it may.
[[nodiscard]] std::string why_illegal(const kernels::Needs& needs, const DeviceTraits& traits);

/// A context on one device.
struct Context {
    Device device;
    ContextHandle handle;

    /// Throws ClError.
    explicit Context(Device chosen);
    /// In-order. Throws ClError.
    [[nodiscard]] QueueHandle make_queue(bool profiling = false) const;
};

}  // namespace glint::gpu
