// Kernels' arguments and limits, and launches.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "tests/layer/handlers.hpp"
#include "tests/layer/layer.hpp"

namespace glint::layer {
namespace {

struct Range {
    cl_uint dimensions;
    const size_t* offset;
    const size_t* global;
    const size_t* local;

    [[nodiscard]] size_t offset_of(cl_uint d) const { return offset == nullptr ? 0 : offset[d]; }
};

struct Verdict {
    cl_int code = CL_SUCCESS;
    std::string why;
};

template <typename Id, typename Query>
auto ask(Query query, Id id, cl_uint name, auto otherwise) {
    auto value = otherwise;
    return query(id, name, sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

Verdict check_global(const Range& range) {
    const uint64_t limit = layer().profile.beyond.global_size_limit;
    for (cl_uint d = 0; d < range.dimensions && limit != 0; ++d) {
        const uint64_t end = uint64_t{range.offset_of(d)} + range.global[d];
        if (end <= limit) continue;
        return {CL_INVALID_GLOBAL_WORK_SIZE,
                fmt::format("global size {} in dimension {} ends at {} with its offset, over the "
                            "hardware's {}; fold it into two dimensions or split the launch",
                            range.global[d], d, end, limit)};
    }
    return {};
}

Verdict check_local(const Range& range, const KernelInfo& kernel) {
    const std::vector<uint64_t> most = layer().profile.sizes(CL_DEVICE_MAX_WORK_ITEM_SIZES);
    uint64_t product = 1;
    for (cl_uint d = 0; d < range.dimensions; ++d) {
        const size_t local = range.local[d];
        product *= local;
        if (d < most.size() && local > most[d]) {
            return {
                CL_INVALID_WORK_ITEM_SIZE,
                fmt::format("local size {} in dimension {}; {} is the most", local, d, most[d])};
        }
        if (local == 0 || range.global[d] % local != 0) {
            return {
                CL_INVALID_WORK_GROUP_SIZE,
                fmt::format("local size {} does not divide global size {} in dimension {}; round "
                            "the global size up and guard inside the kernel",
                            local, range.global[d], d)};
        }
    }
    if (product > kernel.work_group_limit) {
        return {CL_INVALID_WORK_GROUP_SIZE,
                fmt::format("{} work-items a group; this kernel runs with {} at most here: ask "
                            "CL_KERNEL_WORK_GROUP_SIZE",
                            product, kernel.work_group_limit)};
    }
    return {};
}

Verdict check_memory(KernelInfo& kernel) {
    const Profile& profile = layer().profile;
    const std::lock_guard lock(kernel.mutex);
    uint64_t local = kernel.own_local_bytes;
    for (const auto& [index, bytes] : kernel.local_bytes) local += bytes;
    if (local > profile.number(CL_DEVICE_LOCAL_MEM_SIZE)) {
        return {CL_OUT_OF_RESOURCES, fmt::format("{} bytes of local memory; the device has {}",
                                                 local, profile.number(CL_DEVICE_LOCAL_MEM_SIZE))};
    }
    for (const cl_uint index : kernel.constants) {
        const auto buffer = kernel.buffers.find(index);
        const auto info =
            buffer == kernel.buffers.end() ? nullptr : layer().objects.mems.find(buffer->second);
        const uint64_t most = profile.number(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
        if (info == nullptr || info->size <= most) continue;
        return {CL_OUT_OF_RESOURCES,
                fmt::format("argument {} is a constant buffer of {} bytes; {} fit", index,
                            info->size, most)};
    }
    return {};
}

/// Undefined for every driver, and invisible on most.
void note_mapped_buffers(KernelInfo& kernel) {
    const std::lock_guard lock(kernel.mutex);
    for (const auto& [index, mem] : kernel.buffers) {
        const auto info = layer().objects.mems.find(mem);
        if (info == nullptr) continue;
        const std::lock_guard mem_lock(info->mutex);
        for (const MapInfo& map : info->maps) {
            if ((map.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) == 0) continue;
            layer().account.note(
                "clEnqueueNDRangeKernel", "",
                fmt::format(
                    "kernel {} is launched while argument {} is mapped for writing; unmap it "
                    "before",
                    kernel.name, index));
            break;
        }
    }
}

/// Results that the host must map or read, and those of earlier kernels that this one takes.
void follow_results(KernelInfo& kernel) {
    const std::lock_guard lock(kernel.mutex);
    for (const auto& [index, mem] : kernel.buffers) {
        const auto info = layer().objects.mems.find(mem);
        if (info == nullptr) continue;
        const std::lock_guard mem_lock(info->mutex);
        info->unseen = kernel.outputs.contains(index);
    }
}

Verdict check(const Range& range, KernelInfo& kernel, cl_kernel handle, cl_device_id device) {
    if (Verdict verdict = check_global(range); verdict.code != CL_SUCCESS) return verdict;
    if (range.local != nullptr) {
        if (Verdict verdict = check_local(range, kernel); verdict.code != CL_SUCCESS)
            return verdict;
    } else {
        std::array<size_t, 3> required{};
        target().clGetKernelWorkGroupInfo(handle, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                          sizeof required, required.data(), nullptr);
        if (required[0] != 0) {
            return {CL_INVALID_WORK_GROUP_SIZE,
                    "local size NULL for a kernel with reqd_work_group_size; give the size"};
        }
    }
    return check_memory(kernel);
}

/// A launch with everything that goes with it.
struct Launch {
    cl_command_queue queue;
    cl_kernel kernel;
    Range range;
    std::vector<cl_event> waits;
    cl_event* event;

    [[nodiscard]] cl_int run() const {
        return target().clEnqueueNDRangeKernel(
            queue, kernel, range.dimensions, range.offset, range.global, range.local,
            static_cast<cl_uint>(waits.size()), waits.empty() ? nullptr : waits.data(), event);
    }
};

/// The launch waits for an event that comes late or never.
cl_int run_held_up(Launch launch, std::optional<std::chrono::milliseconds> delay) {
    const auto context =
        ask(target().clGetCommandQueueInfo, launch.queue, CL_QUEUE_CONTEXT, cl_context{});
    cl_int code = CL_SUCCESS;
    cl_event gate = target().clCreateUserEvent(context, &code);
    if (code != CL_SUCCESS) return code;
    launch.waits.push_back(gate);
    code = launch.run();
    if (!delay) return code;  // the gate stays shut, and is nobody's to release
    std::thread([gate, wait = *delay] {
        std::this_thread::sleep_for(wait);
        target().clSetUserEventStatus(gate, CL_COMPLETE);
        target().clReleaseEvent(gate);
    }).detach();
    return code;
}

cl_int run_and_flip(const Launch& launch, KernelInfo& kernel, cl_uint argument, bool all) {
    const cl_int code = launch.run();
    if (code != CL_SUCCESS) return code;
    cl_mem mem = nullptr;
    {
        const std::lock_guard lock(kernel.mutex);
        const auto found = kernel.buffers.find(argument);
        if (found != kernel.buffers.end()) mem = found->second;
    }
    const auto info = layer().objects.mems.find(mem);
    if (info == nullptr || info->size == 0) {
        layer().account.note("clEnqueueNDRangeKernel", "",
                             fmt::format("a fault: argument {} of {} is no buffer to flip bits of",
                                         argument, kernel.name));
        return code;
    }
    std::vector<uint8_t> bytes(all ? info->size : 1);
    target().clEnqueueReadBuffer(launch.queue, mem, CL_TRUE, 0, bytes.size(), bytes.data(), 0,
                                 nullptr, nullptr);
    for (uint8_t& byte : bytes) byte ^= 1;
    return target().clEnqueueWriteBuffer(launch.queue, mem, CL_TRUE, 0, bytes.size(), bytes.data(),
                                         0, nullptr, nullptr);
}

cl_int run_with(const Fault& fault, const Launch& launch, KernelInfo& kernel, Function function) {
    switch (fault.action) {
        case Fault::Action::hang:
            layer().account.note(info_of(function).name, "", "a fault: the launch never completes");
            return run_held_up(launch, std::nullopt);
        case Fault::Action::late:
            return run_held_up(launch, fault.delay);
        case Fault::Action::flip:
        case Fault::Action::flip_all:
            return run_and_flip(launch, kernel, fault.argument,
                                fault.action == Fault::Action::flip_all);
        default:
            break;
    }
    const cl_int code = layer().play(fault, function);
    return code != CL_SUCCESS ? code : launch.run();
}

cl_int enqueue(const Launch& launch, Function function) {
    Layer& the = layer();
    if (launch.kernel == nullptr) return CL_INVALID_KERNEL;  // PoCL looks into it
    const auto info = the.objects.kernels.find(launch.kernel);
    const Range& range = launch.range;
    const bool sound = range.dimensions >= 1 && range.dimensions <= 3 && range.global != nullptr;
    if (info == nullptr || !sound) return launch.run();  // the driver words its own refusal
    const auto device =
        ask(target().clGetCommandQueueInfo, launch.queue, CL_QUEUE_DEVICE, cl_device_id{});
    const Verdict verdict = check(range, *info, launch.kernel, device);
    if (verdict.code != CL_SUCCESS) {
        return the.refuse(function, verdict.code,
                          fmt::format("kernel {}: {}", info->name, verdict.why));
    }
    note_mapped_buffers(*info);
    follow_results(*info);
    the.account.count_launch(info->name);
    const auto fault = the.faults.on_call(function, info->name);
    return fault ? run_with(*fault, launch, *info, function) : launch.run();
}

/// The memory object that an argument is; null for plain values and local memory.
cl_mem buffer_in(size_t size, const void* value) {
    cl_mem mem = nullptr;
    if (value == nullptr || size != sizeof mem) return nullptr;
    std::memcpy(&mem, value, sizeof mem);
    return layer().objects.mems.find(mem) != nullptr ? mem : nullptr;
}

}  // namespace

cl_int CL_API_CALL on_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size,
                                     const void* value) {
    Layer& the = layer();
    const auto info = the.objects.kernels.find(kernel);
    if (info == nullptr) return target().clSetKernelArg(kernel, index, size, value);
    const std::lock_guard lock(info->mutex);
    const cl_mem mem = buffer_in(size, value);
    // A pointer takes the room that it has on the played device.
    const uint64_t own = mem != nullptr ? the.profile.number(CL_DEVICE_ADDRESS_BITS) / 8 : size;
    const uint64_t most = the.profile.number(CL_DEVICE_MAX_PARAMETER_SIZE);
    uint64_t all = value != nullptr ? own : 0;
    for (const auto& [other, bytes] : info->argument_bytes) all += other == index ? 0 : bytes;
    if (most != 0 && all > most) {
        return the.refuse(Function::clSetKernelArg, CL_OUT_OF_RESOURCES,
                          fmt::format("kernel {}: {} bytes of arguments; the device takes {}",
                                      info->name, all, most));
    }
    const cl_int code = target().clSetKernelArg(kernel, index, size, value);
    if (code != CL_SUCCESS) return code;
    info->buffers.erase(index);
    if (value == nullptr) {
        info->local_bytes[index] = size;
        return code;
    }
    info->argument_bytes[index] = own;
    if (mem != nullptr) info->buffers[index] = mem;
    return code;
}

cl_int CL_API_CALL on_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                               cl_kernel_work_group_info name, size_t size,
                                               void* value, size_t* size_ret) {
    const auto info = layer().objects.kernels.find(kernel);
    if (info != nullptr && name == CL_KERNEL_WORK_GROUP_SIZE) {
        return hand_out(to_bytes(Type::size, info->work_group_limit), size, value, size_ret);
    }
    if (info != nullptr && name == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) {
        const uint64_t multiple = layer().profile.preferred_work_group_size_multiple;
        return hand_out(to_bytes(Type::size, multiple), size, value, size_ret);
    }
    return target().clGetKernelWorkGroupInfo(kernel, device, name, size, value, size_ret);
}

cl_int CL_API_CALL on_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                             cl_uint dimensions, const size_t* offset,
                                             const size_t* global, const size_t* local,
                                             cl_uint wait_count, const cl_event* wait_list,
                                             cl_event* event) {
    if (wait_count != 0 && wait_list == nullptr) return CL_INVALID_EVENT_WAIT_LIST;
    return enqueue({queue,
                    kernel,
                    {dimensions, offset, global, local},
                    {wait_list, wait_list + wait_count},
                    event},
                   Function::clEnqueueNDRangeKernel);
}

cl_int CL_API_CALL on_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count,
                                    const cl_event* wait_list, cl_event* event) {
    if (wait_count != 0 && wait_list == nullptr) return CL_INVALID_EVENT_WAIT_LIST;
    constexpr size_t one = 1;
    return enqueue(
        {queue, kernel, {1, nullptr, &one, &one}, {wait_list, wait_list + wait_count}, event},
        Function::clEnqueueTask);
}

cl_int CL_API_CALL on_clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK* call)(void*),
                                            void* arguments, size_t size, cl_uint mem_count,
                                            const cl_mem* mems, const void** places,
                                            cl_uint wait_count, const cl_event* wait_list,
                                            cl_event* event) {
    if ((layer().profile.number(CL_DEVICE_EXECUTION_CAPABILITIES) & CL_EXEC_NATIVE_KERNEL) == 0) {
        return layer().refuse(Function::clEnqueueNativeKernel, CL_INVALID_OPERATION,
                              "the device runs no functions of the host");
    }
    return target().clEnqueueNativeKernel(queue, call, arguments, size, mem_count, mems, places,
                                          wait_count, wait_list, event);
}

}  // namespace glint::layer
