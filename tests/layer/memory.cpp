// Buffers: which memory they get, and what is moved to and from them.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "tests/layer/handlers.hpp"
#include "tests/layer/layer.hpp"

namespace glint::layer {
namespace {

constexpr uintptr_t cache_line = 64;  // the driver imports whole cache lines

bool whole_cache_lines(const void* memory, size_t size) {
    return reinterpret_cast<uintptr_t>(memory) % cache_line == 0 && size % cache_line == 0;
}

/// The page's physical address from /proc/self/pagemap; 0 when the kernel does not tell. Bits 0-54
/// are the frame number (Documentation/admin-guide/mm/pagemap.rst).
uint64_t physical_address(int pagemap, uintptr_t address, uint64_t page) {
    constexpr uint64_t frame_bits = (uint64_t{1} << 55) - 1;
    uint64_t entry = 0;
    const auto at = static_cast<off_t>(address / page * sizeof entry);
    if (::pread(pagemap, &entry, sizeof entry, at) != sizeof entry) return 0;
    return (entry & frame_bits) * page;
}

/// Empty if every page lies below 4 GiB.
std::string why_not_low(const void* memory, size_t size) {
    constexpr uint64_t limit = uint64_t{1} << 32;
    const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0) return "cannot open /proc/self/pagemap to see where the pages are";
    std::string why;
    const auto start = reinterpret_cast<uintptr_t>(memory);
    for (uintptr_t at = start; at < start + size && why.empty(); at += page) {
        const uint64_t physical = physical_address(pagemap, at, page);
        if (physical == 0)
            why = "/proc/self/pagemap does not say where the pages are (root may ask)";
        if (physical >= limit) {
            why = fmt::format("a page lies at {:#x}, above 4 GiB; use the CMA heap", physical);
        }
    }
    ::close(pagemap);
    return why;
}

struct Import {
    cl_int code = CL_SUCCESS;
    bool shadowed = false;
};

/// What the driver makes of the program's own memory.
Import import_memory(const void* memory, size_t size) {
    Layer& the = layer();
    if (the.options.low_pages_only) {
        const std::string why = why_not_low(memory, size);
        if (!why.empty()) {
            return {the.refuse(Function::clCreateBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE, why)};
        }
    }
    const bool whole = whole_cache_lines(memory, size);
    const MemoryMode mode = the.options.memory;
    if (!whole && (mode == MemoryMode::shadow || mode == MemoryMode::strict)) {
        the.account.note("clCreateBuffer", "",
                         fmt::format("{} bytes at {}: address and size are not both multiples of "
                                     "64, so the driver copies; align both to 4096",
                                     size, memory));
    }
    switch (mode) {
        case MemoryMode::pass:
            return {};
        case MemoryMode::strict:
        case MemoryMode::shadow_all:
            return {.shadowed = true};
        case MemoryMode::shadow:
            return {.shadowed = !whole};
        case MemoryMode::not_aligned:
            if (whole) return {};
            constexpr cl_int not_aligned = -1143;  // CL_NOT_ALIGNED of newer Vivante headers
            return {the.refuse(Function::clCreateBuffer, not_aligned,
                               fmt::format("{} bytes at {}: address and size must be multiples of "
                                           "64; align both to 4096",
                                           size, memory))};
    }
    return {};
}

BufferKind kind_of(cl_mem_flags flags) {
    if ((flags & CL_MEM_USE_HOST_PTR) != 0) return BufferKind::use_host_ptr;
    if ((flags & CL_MEM_ALLOC_HOST_PTR) != 0) return BufferKind::alloc_host_ptr;
    if ((flags & CL_MEM_COPY_HOST_PTR) != 0) return BufferKind::copy_host_ptr;
    return BufferKind::plain;
}

cl_mem fail(cl_int code, cl_int* code_ret) {
    if (code_ret != nullptr) *code_ret = code;
    return nullptr;
}

/// Counts what the driver took on.
cl_int count(Account::Counter& bytes, uint64_t size, cl_int code) {
    if (code == CL_SUCCESS) bytes += size;
    return code;
}

uint64_t volume(const size_t* region) {
    return region == nullptr ? 0 : uint64_t{region[0]} * region[1] * region[2];
}

}  // namespace

cl_mem CL_API_CALL on_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                     void* host, cl_int* code_ret) {
    Layer& the = layer();
    const uint64_t most = the.profile.number(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    if (most != 0 && size > most) {
        return fail(
            the.refuse(Function::clCreateBuffer, CL_INVALID_BUFFER_SIZE,
                       fmt::format("{} bytes; the device allocates {} at most", size, most)),
            code_ret);
    }
    const BufferKind kind = kind_of(flags);
    cl_mem_flags below = flags;
    Import import;
    // The driver refuses these together; without USE_HOST_PTR it would not.
    const bool contrary = (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
    if (kind == BufferKind::use_host_ptr && !contrary && host != nullptr && size != 0) {
        import = import_memory(host, size);
        if (import.code != CL_SUCCESS) return fail(import.code, code_ret);
    }
    if (import.shadowed) {
        below = (flags & ~cl_mem_flags{CL_MEM_USE_HOST_PTR}) | CL_MEM_COPY_HOST_PTR;
    }
    const cl_mem mem = target().clCreateBuffer(context, below, size, host, code_ret);
    if (mem == nullptr) return nullptr;
    if (import.shadowed) ++the.account.buffers_shadowed;
    ++the.account.buffers[static_cast<size_t>(kind)];
    const auto info = the.objects.mems.add(mem);
    info->flags = flags;
    info->size = size;
    info->host = kind == BufferKind::use_host_ptr ? static_cast<std::byte*>(host) : nullptr;
    info->shadowed = import.shadowed;
    info->strict = the.options.memory == MemoryMode::strict;
    return mem;
}

cl_mem CL_API_CALL on_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                                        cl_buffer_create_type type, const void* create,
                                        cl_int* code_ret) {
    Layer& the = layer();
    const uint64_t align = the.profile.number(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    const auto* region = static_cast<const cl_buffer_region*>(create);
    const bool with_region = type == CL_BUFFER_CREATE_TYPE_REGION && region != nullptr;
    if (with_region && align != 0 && region->origin % align != 0) {
        return fail(the.refuse(Function::clCreateSubBuffer, CL_MISALIGNED_SUB_BUFFER_OFFSET,
                               fmt::format("offset {}; the device wants multiples of {}; pass the "
                                           "offset to the kernel as a number",
                                           region->origin, align)),
                    code_ret);
    }
    const cl_mem mem = target().clCreateSubBuffer(buffer, flags, type, create, code_ret);
    const auto parent = the.objects.mems.find(buffer);
    if (mem == nullptr || parent == nullptr || !with_region) return mem;
    const auto info = the.objects.mems.add(mem);
    info->flags = parent->flags;
    info->size = region->size;
    info->host = parent->host == nullptr ? nullptr : parent->host + region->origin;
    info->shadowed = parent->shadowed;
    info->strict = parent->strict;
    return mem;
}

cl_int CL_API_CALL on_clGetMemObjectInfo(cl_mem mem, cl_mem_info name, size_t size, void* value,
                                         size_t* size_ret) {
    const auto info = layer().objects.mems.find(mem);
    const bool changed = info != nullptr && (info->shadowed || info->strict);
    if (changed && name == CL_MEM_FLAGS) {
        return hand_out(to_bytes(Type::bits, info->flags), size, value, size_ret);
    }
    if (changed && name == CL_MEM_HOST_PTR) {
        const auto address = reinterpret_cast<uintptr_t>(info->host);
        return hand_out(to_bytes(Type::size, address), size, value, size_ret);
    }
    if (changed && name == CL_MEM_MAP_COUNT) {
        const std::lock_guard lock(info->mutex);
        return hand_out(to_bytes(Type::uint32, info->maps.size()), size, value, size_ret);
    }
    return target().clGetMemObjectInfo(mem, name, size, value, size_ret);
}

cl_int CL_API_CALL on_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                          size_t offset, size_t size, void* to, cl_uint waits,
                                          const cl_event* wait_list, cl_event* event) {
    layer().seen(buffer);
    return count(layer().account.bytes_read, size,
                 target().clEnqueueReadBuffer(queue, buffer, blocking, offset, size, to, waits,
                                              wait_list, event));
}

cl_int CL_API_CALL on_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                           size_t offset, size_t size, const void* from,
                                           cl_uint waits, const cl_event* wait_list,
                                           cl_event* event) {
    return count(layer().account.bytes_written, size,
                 target().clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, from, waits,
                                               wait_list, event));
}

cl_int CL_API_CALL on_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                          size_t from_offset, size_t to_offset, size_t size,
                                          cl_uint waits, const cl_event* wait_list,
                                          cl_event* event) {
    layer().seen(from);
    return count(layer().account.bytes_copied, size,
                 target().clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, size, waits,
                                              wait_list, event));
}

cl_int CL_API_CALL on_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer,
                                              cl_bool blocking, const size_t* origin,
                                              const size_t* host_origin, const size_t* region,
                                              size_t row, size_t slice, size_t host_row,
                                              size_t host_slice, void* to, cl_uint waits,
                                              const cl_event* wait_list, cl_event* event) {
    layer().seen(buffer);
    return count(
        layer().account.bytes_read, volume(region),
        target().clEnqueueReadBufferRect(queue, buffer, blocking, origin, host_origin, region, row,
                                         slice, host_row, host_slice, to, waits, wait_list, event));
}

cl_int CL_API_CALL on_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer,
                                               cl_bool blocking, const size_t* origin,
                                               const size_t* host_origin, const size_t* region,
                                               size_t row, size_t slice, size_t host_row,
                                               size_t host_slice, const void* from, cl_uint waits,
                                               const cl_event* wait_list, cl_event* event) {
    return count(layer().account.bytes_written, volume(region),
                 target().clEnqueueWriteBufferRect(queue, buffer, blocking, origin, host_origin,
                                                   region, row, slice, host_row, host_slice, from,
                                                   waits, wait_list, event));
}

cl_int CL_API_CALL on_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to,
                                              const size_t* from_origin, const size_t* to_origin,
                                              const size_t* region, size_t from_row,
                                              size_t from_slice, size_t to_row, size_t to_slice,
                                              cl_uint waits, const cl_event* wait_list,
                                              cl_event* event) {
    layer().seen(from);
    return count(
        layer().account.bytes_copied, volume(region),
        target().clEnqueueCopyBufferRect(queue, from, to, from_origin, to_origin, region, from_row,
                                         from_slice, to_row, to_slice, waits, wait_list, event));
}

cl_int CL_API_CALL on_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer,
                                          const void* pattern, size_t pattern_size, size_t offset,
                                          size_t size, cl_uint waits, const cl_event* wait_list,
                                          cl_event* event) {
    return count(layer().account.bytes_written, size,
                 target().clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset, size,
                                              waits, wait_list, event));
}

}  // namespace glint::layer
