// Maps and unmaps: the only moments at which the program may touch a buffer's memory.
//
// A shadowed buffer is the driver's own memory: a map reads from it into the program's, an unmap
// writes back. In strict mode every map is such a read, into memory that is the layer's when the
// program gave none (the same for as long as the buffer lives, as careless programs keep pointers),
// and what has been unmapped is overwritten at once: whoever reads results
// without a map, or writes after the unmap, gets wrong data on every desk and not only on some
// board.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tests/layer/handlers.hpp"
#include "tests/layer/layer.hpp"

namespace glint::layer {
namespace {

constexpr int unmapped_poison = 0xDB;
constexpr size_t page = 4096;

using OwnMemory = std::shared_ptr<std::byte[]>;

OwnMemory make_own(size_t size) {
    const size_t whole = (std::max(size, size_t{1}) + page - 1) / page * page;
    auto* memory = static_cast<std::byte*>(::operator new[](whole, std::align_val_t{page}));
    return {memory, [](std::byte* old) { ::operator delete[](old, std::align_val_t{page}); }};
}

bool writes(cl_map_flags flags) {
    return (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0;
}

void set_type(cl_event* event, cl_command_type type) {
    if (event != nullptr) layer().objects.events.add(*event)->type = type;
}

/// Keeps the memory until the driver has read it.
void CL_CALLBACK free_memory(cl_event event, cl_int /*status*/, void* memory) {
    delete static_cast<OwnMemory*>(memory);
    target().clReleaseEvent(event);
}

/// Where maps of the buffer lie.
std::byte* memory_of(MemInfo& info) {
    if (info.host != nullptr) return info.host;
    const std::lock_guard lock(info.mutex);
    if (info.home == nullptr) info.home = make_own(info.size);
    return info.home.get();
}

/// Makes wrong what has been unmapped, less what other maps still show.
void spoil(MemInfo& info, const MapInfo& gone) {
    const std::lock_guard lock(info.mutex);
    const size_t end = gone.offset + gone.size;
    for (size_t at = gone.offset, next = end; at < end; at = next, next = end) {
        bool shown = false;
        for (const MapInfo& other : info.maps) {
            const size_t other_end = other.offset + other.size;
            if (at >= other_end || other.own != nullptr) continue;
            shown = shown || other.offset <= at;
            next = std::min(next, other.offset <= at ? other_end : other.offset);
        }
        if (!shown) {
            std::memset(static_cast<std::byte*>(gone.pointer) + (at - gone.offset), unmapped_poison,
                        next - at);
        }
    }
}

struct Waits {
    cl_uint count;
    const cl_event* list;
};

void* map_copy(cl_command_queue queue, cl_mem buffer, MemInfo& info, cl_bool blocking, MapInfo map,
               const Waits& waits, cl_event* event, cl_int* code_ret) {
    cl_int code = CL_SUCCESS;
    if ((map.flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0) {
        code = target().clEnqueueMarkerWithWaitList(queue, waits.count, waits.list, event);
    } else {
        code = target().clEnqueueReadBuffer(queue, buffer, blocking, map.offset, map.size,
                                            map.pointer, waits.count, waits.list, event);
        if (code == CL_SUCCESS && info.host != nullptr) layer().account.bytes_mapped += map.size;
    }
    if (code_ret != nullptr) *code_ret = code;
    if (code != CL_SUCCESS) return nullptr;
    set_type(event, CL_COMMAND_MAP_BUFFER);
    const std::lock_guard lock(info.mutex);
    info.zero_copy = false;
    info.unseen = false;
    info.maps.push_back(map);
    return map.pointer;
}

void* map_in_place(cl_command_queue queue, cl_mem buffer, const std::shared_ptr<MemInfo>& info,
                   cl_bool blocking, MapInfo map, const Waits& waits, cl_event* event,
                   cl_int* code_ret) {
    map.pointer = target().clEnqueueMapBuffer(queue, buffer, blocking, map.flags, map.offset,
                                              map.size, waits.count, waits.list, event, code_ret);
    if (map.pointer == nullptr || info == nullptr) return map.pointer;
    const std::lock_guard lock(info->mutex);
    info->unseen = false;
    if (info->host != nullptr && !info->zero_copy) {
        info->zero_copy = map.pointer == info->host + map.offset;
        if (*info->zero_copy) ++layer().account.buffers_mapped_in_place;
    }
    info->maps.push_back(map);
    return map.pointer;
}

/// The driver's memory gets what the program wrote.
cl_int write_back(cl_command_queue queue, cl_mem mem, const MemInfo& info, const MapInfo& map,
                  const Waits& waits, cl_event* event) {
    OwnMemory from = map.own;
    if (info.strict && from == nullptr) {
        from = make_own(map.size);
        std::memcpy(from.get(), map.pointer, map.size);
    }
    cl_event written = nullptr;
    const void* source = from != nullptr ? from.get() : map.pointer;
    const cl_int code = target().clEnqueueWriteBuffer(queue, mem, CL_FALSE, map.offset, map.size,
                                                      source, waits.count, waits.list, &written);
    if (code != CL_SUCCESS) return code;
    if (info.host != nullptr) layer().account.bytes_unmapped += map.size;
    if (event != nullptr) {
        target().clRetainEvent(written);
        *event = written;
    }
    auto kept = std::make_unique<OwnMemory>(std::move(from));
    if (target().clSetEventCallback(written, CL_COMPLETE, free_memory, kept.get()) == CL_SUCCESS) {
        kept.release();
    }
    return CL_SUCCESS;
}

cl_int unmap_copy(cl_command_queue queue, cl_mem mem, MemInfo& info, const MapInfo& map,
                  const Waits& waits, cl_event* event) {
    const cl_int code = writes(map.flags) ? write_back(queue, mem, info, map, waits, event)
                                          : target().clEnqueueMarkerWithWaitList(queue, waits.count,
                                                                                 waits.list, event);
    if (code != CL_SUCCESS) return code;
    set_type(event, CL_COMMAND_UNMAP_MEM_OBJECT);
    if (info.strict && map.own == nullptr) spoil(info, map);
    return CL_SUCCESS;
}

}  // namespace

void* CL_API_CALL on_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                        cl_map_flags flags, size_t offset, size_t size,
                                        cl_uint wait_count, const cl_event* wait_list,
                                        cl_event* event, cl_int* code_ret) {
    Layer& the = layer();
    const auto fault = the.faults.on_call(Function::clEnqueueMapBuffer);
    const cl_int code = fault ? the.play(*fault, Function::clEnqueueMapBuffer) : CL_SUCCESS;
    if (code != CL_SUCCESS) {
        if (code_ret != nullptr) *code_ret = code;
        return nullptr;
    }
    const bool elsewhere = fault && fault->action == Fault::Action::elsewhere;
    const auto info = the.objects.mems.find(buffer);
    const bool known = info != nullptr && info->size != 0;
    const bool inside = known && offset <= info->size && size <= info->size - offset;
    MapInfo map{.pointer = nullptr, .offset = offset, .size = size, .flags = flags, .own = nullptr};
    const Waits waits{wait_count, wait_list};
    void* pointer = nullptr;
    // The driver words its own refusal of a range that does not exist.
    if (inside && (info->shadowed || info->strict || elsewhere)) {
        if (elsewhere) map.own = make_own(size);
        map.pointer = elsewhere ? map.own.get() : memory_of(*info) + offset;
        if (elsewhere) the.account.note("clEnqueueMapBuffer", "", "a fault: another pointer");
        pointer = map_copy(queue, buffer, *info, blocking, map, waits, event, code_ret);
    } else {
        pointer = map_in_place(queue, buffer, info, blocking, map, waits, event, code_ret);
    }
    if (pointer != nullptr && event != nullptr) the.objects.created(*event);
    return pointer;
}

void* CL_API_CALL on_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                       cl_map_flags flags, const size_t* origin,
                                       const size_t* region, size_t* row, size_t* slice,
                                       cl_uint wait_count, const cl_event* wait_list,
                                       cl_event* event, cl_int* code_ret) {
    void* pointer = target().clEnqueueMapImage(queue, image, blocking, flags, origin, region, row,
                                               slice, wait_count, wait_list, event, code_ret);
    if (pointer != nullptr && event != nullptr) layer().objects.created(*event);
    return pointer;
}

cl_int CL_API_CALL on_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void* pointer,
                                              cl_uint wait_count, const cl_event* wait_list,
                                              cl_event* event) {
    const auto info = layer().objects.mems.find(mem);
    MapInfo map;
    if (info != nullptr) {
        const std::lock_guard lock(info->mutex);
        const auto found = std::ranges::find(info->maps, pointer, &MapInfo::pointer);
        if (found != info->maps.end()) {
            map = *found;
            info->maps.erase(found);
        }
    }
    const bool copied = info != nullptr && (info->shadowed || info->strict || map.own != nullptr);
    if (!copied) {
        return target().clEnqueueUnmapMemObject(queue, mem, pointer, wait_count, wait_list, event);
    }
    if (map.pointer == nullptr) {
        return layer().refuse(Function::clEnqueueUnmapMemObject, CL_INVALID_VALUE,
                              fmt::format("{} is not mapped", pointer));
    }
    return unmap_copy(queue, mem, *info, map, {wait_count, wait_list}, event);
}

}  // namespace glint::layer
