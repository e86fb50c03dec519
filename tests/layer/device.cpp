// What the device says of itself, and what is made on it.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "tests/layer/handlers.hpp"
#include "tests/layer/layer.hpp"

namespace glint::layer {
namespace {

/// The driver's devices that stand for the board's; asked for once.
const std::vector<cl_device_id>& played_devices(cl_platform_id platform) {
    static std::once_flag once;
    std::call_once(once, [platform] {
        cl_uint count = 0;
        if (target().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != 0) return;
        std::vector<cl_device_id> found(count);
        target().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, found.data(), nullptr);
        const size_t wanted = layer().profile.devices.size();
        if (found.size() < wanted) {
            layer().account.note("clGetDeviceIDs", "",
                                 fmt::format("the board has {} devices, the driver below has {}; "
                                             "POCL_DEVICES=\"pthread pthread\" makes two",
                                             wanted, found.size()));
        }
        found.resize(std::min(found.size(), wanted));
        layer().devices = found;
    });
    return layer().devices;
}

size_t index_of(cl_device_id device) {
    const auto& devices = layer().devices;
    const auto found = std::ranges::find(devices, device);
    return found == devices.end() ? 0 : static_cast<size_t>(found - devices.begin());
}

bool type_matches(cl_device_type type) {
    return type == CL_DEVICE_TYPE_ALL || (type & CL_DEVICE_TYPE_DEFAULT) != 0 ||
           (type & layer().profile.number(CL_DEVICE_TYPE)) != 0;
}

const Parameter* find_parameter(std::span<const Parameter> parameters, cl_uint number) {
    const auto found = std::ranges::find(parameters, number, &Parameter::number);
    return found == parameters.end() ? nullptr : &*found;
}

/// Queries about the driver's own objects, which the tables cannot answer.
bool is_of_the_driver(cl_device_info name) {
    if (name == CL_DEVICE_PLATFORM) return true;
    const bool of_1_2 = name == CL_DEVICE_PARENT_DEVICE || name == CL_DEVICE_REFERENCE_COUNT ||
                        name == CL_DEVICE_PARTITION_AFFINITY_DOMAIN ||
                        name == CL_DEVICE_PARTITION_TYPE ||
                        name == CL_DEVICE_PREFERRED_INTEROP_USER_SYNC;
    return of_1_2 && layer().version >= 120;
}

bool out_of_order_allowed() {
    return (layer().profile.number(CL_DEVICE_QUEUE_PROPERTIES) &
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

cl_command_queue remember(cl_command_queue queue, cl_context context) {
    if (queue == nullptr) return nullptr;
    const auto info = layer().objects.contexts.find(context);
    layer().objects.queues.add(queue)->generation = info == nullptr ? 0 : info->generation;
    return queue;
}

cl_context remember(cl_context context) {
    if (context != nullptr) {
        layer().objects.contexts.add(context)->generation = layer().new_generation();
    }
    return context;
}

}  // namespace

/// A board has one platform.
cl_int CL_API_CALL on_clGetPlatformIDs(cl_uint entries, cl_platform_id* platforms,
                                       cl_uint* count_ret) {
    if ((platforms == nullptr && count_ret == nullptr) || (platforms != nullptr && entries == 0)) {
        return CL_INVALID_VALUE;
    }
    cl_platform_id first = nullptr;
    const cl_int code = target().clGetPlatformIDs(1, &first, nullptr);
    if (code != CL_SUCCESS) return code;
    if (platforms != nullptr) platforms[0] = first;
    if (count_ret != nullptr) *count_ret = 1;
    return CL_SUCCESS;
}

cl_int CL_API_CALL on_clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t size,
                                        void* value, size_t* size_ret) {
    const auto& answers = layer().profile.platform;
    const auto found = answers.find(name);
    if (found != answers.end()) return hand_out(found->second, size, value, size_ret);
    if (name == CL_PLATFORM_ICD_SUFFIX_KHR) return hand_out(to_bytes("VIV"), size, value, size_ret);
    if (find_parameter(platform_parameters(), name) == nullptr) return CL_INVALID_VALUE;
    return target().clGetPlatformInfo(platform, name, size, value, size_ret);
}

cl_int CL_API_CALL on_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint entries,
                                     cl_device_id* devices, cl_uint* count_ret) {
    if ((devices == nullptr && count_ret == nullptr) || (devices != nullptr && entries == 0)) {
        return CL_INVALID_VALUE;
    }
    const std::vector<cl_device_id>& played = played_devices(platform);
    if (played.empty() || !type_matches(type)) return CL_DEVICE_NOT_FOUND;
    const auto count = static_cast<cl_uint>(played.size());
    if (devices != nullptr) std::copy_n(played.begin(), std::min(entries, count), devices);
    if (count_ret != nullptr) *count_ret = count;
    return CL_SUCCESS;
}

cl_int CL_API_CALL on_clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size,
                                      void* value, size_t* size_ret) {
    const Profile& profile = layer().profile;
    if (name == CL_DEVICE_NAME) {
        const std::string& own = profile.devices[index_of(device)];
        return hand_out(to_bytes(own), size, value, size_ret);
    }
    const Parameter* parameter = find_parameter(device_parameters(), name);
    const bool of_the_driver = is_of_the_driver(name);
    if (parameter == nullptr && name == CL_DEVICE_PARTITION_PROPERTIES && layer().version >= 120) {
        return hand_out(Bytes(sizeof(cl_device_partition_property)), size, value, size_ret);
    }
    if (!of_the_driver && (parameter == nullptr || parameter->version > layer().version)) {
        return CL_INVALID_VALUE;  // no refusal to note: programs ask to find out
    }
    const auto found = profile.device.find(name);
    if (found != profile.device.end()) return hand_out(found->second, size, value, size_ret);
    return target().clGetDeviceInfo(device, name, size, value, size_ret);
}

cl_context CL_API_CALL on_clCreateContext(const cl_context_properties* properties, cl_uint count,
                                          const cl_device_id* devices,
                                          void(CL_CALLBACK* notify)(const char*, const void*,
                                                                    size_t, void*),
                                          void* data, cl_int* code_ret) {
    return remember(target().clCreateContext(properties, count, devices, notify, data, code_ret));
}

cl_context CL_API_CALL
on_clCreateContextFromType(const cl_context_properties* properties, cl_device_type type,
                           void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*),
                           void* data, cl_int* code_ret) {
    if (!type_matches(type)) {
        if (code_ret != nullptr) *code_ret = CL_DEVICE_NOT_FOUND;
        return nullptr;
    }
    return remember(
        target().clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, notify, data, code_ret));
}

cl_command_queue CL_API_CALL on_clCreateCommandQueue(cl_context context, cl_device_id device,
                                                     cl_command_queue_properties properties,
                                                     cl_int* code_ret) {
    const bool out_of_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    if (out_of_order && !out_of_order_allowed()) {
        const cl_int code = layer().refuse(
            Function::clCreateCommandQueue, CL_INVALID_QUEUE_PROPERTIES,
            "the device has no out-of-order queues; use an in-order queue, or several");
        if (code_ret != nullptr) *code_ret = code;
        return nullptr;
    }
    return remember(target().clCreateCommandQueue(context, device, properties, code_ret), context);
}

cl_command_queue CL_API_CALL
on_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                      const cl_queue_properties* properties, cl_int* code_ret) {
    return remember(
        target().clCreateCommandQueueWithProperties(context, device, properties, code_ret),
        context);
}

cl_int CL_API_CALL on_clCreateSubDevices(cl_device_id device,
                                         const cl_device_partition_property* properties,
                                         cl_uint entries, cl_device_id* devices,
                                         cl_uint* count_ret) {
    if (layer().profile.number(CL_DEVICE_PARTITION_MAX_SUB_DEVICES) == 0) {
        return layer().refuse(Function::clCreateSubDevices, CL_INVALID_VALUE,
                              "the device cannot be partitioned");
    }
    return target().clCreateSubDevices(device, properties, entries, devices, count_ret);
}

/// The driver's extensions are not the board's.
void* CL_API_CALL on_clGetExtensionFunctionAddress(const char* /*name*/) {
    return nullptr;
}

void* CL_API_CALL on_clGetExtensionFunctionAddressForPlatform(cl_platform_id /*platform*/,
                                                              const char* /*name*/) {
    return nullptr;
}

}  // namespace glint::layer
