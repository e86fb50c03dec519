#include "zero_copy/dma_heap.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <linux/videodev2.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "zero_copy/unique_fd.hpp"
#include "zero_copy/v4l2_device.hpp"

namespace glint::zero_copy {
namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

DeviceFd open_for_allocation(DeviceCalls& calls, const std::string& path) {
    DeviceFd fd(calls, calls.open(path.c_str(), O_RDWR));
    if (!fd) fail(path);
    return fd;
}

DeviceFd from_heap(DeviceCalls& calls, const std::string& name, size_t size_bytes) {
    const DeviceFd heap = open_for_allocation(calls, "/dev/dma_heap/" + name);
    dma_heap_allocation_data request{};
    request.len = size_bytes;
    request.fd_flags = O_RDWR | O_CLOEXEC;
    if (heap.ioctl(DMA_HEAP_IOCTL_ALLOC, &request) == -1) fail("DMA_HEAP_IOCTL_ALLOC");
    return {calls, static_cast<int>(request.fd)};
}

DeviceFd from_memfd(DeviceCalls& calls, size_t size_bytes) {
    const DeviceFd maker = open_for_allocation(calls, "/dev/udmabuf");
    const UniqueFd pages(::memfd_create("glintd-dmabuf", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!pages.valid()) fail("memfd_create");
    if (::ftruncate(pages.get(), static_cast<off_t>(size_bytes)) != 0) fail("ftruncate");
    if (::fcntl(pages.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) fail("F_ADD_SEALS");
    udmabuf_create request{};
    request.memfd = static_cast<uint32_t>(pages.get());
    request.flags = UDMABUF_FLAGS_CLOEXEC;
    request.size = size_bytes;
    const int fd = maker.ioctl(UDMABUF_CREATE, &request);
    if (fd == -1) fail("UDMABUF_CREATE");
    return {calls, fd};
}

/// The buffer outlives the device's descriptor: the dma-buf holds it.
DeviceFd from_exporter(DeviceCalls& calls, const std::string& path, size_t size_bytes) {
    const V4l2Device device(calls, path);
    v4l2_create_buffers request{};
    request.count = 1;
    request.memory = V4L2_MEMORY_MMAP;
    request.format.type = device.buffer_type();
    device.require(VIDIOC_G_FMT, "VIDIOC_G_FMT", &request.format);
    // Drivers refuse buffers that are smaller than a picture of theirs.
    v4l2_format& format = request.format;
    const uint32_t own_bytes =
        device.multi_planar() ? format.fmt.pix_mp.plane_fmt[0].sizeimage : format.fmt.pix.sizeimage;
    const uint32_t bytes = std::max(own_bytes, static_cast<uint32_t>(size_bytes));
    if (device.multi_planar()) {
        format.fmt.pix_mp.plane_fmt[0].sizeimage = bytes;
    } else {
        format.fmt.pix.sizeimage = bytes;
    }
    device.require(VIDIOC_CREATE_BUFS, "VIDIOC_CREATE_BUFS", &request);
    v4l2_exportbuffer exported{};
    exported.type = device.buffer_type();
    exported.index = request.index;
    exported.flags = O_RDWR | O_CLOEXEC;
    device.require(VIDIOC_EXPBUF, "VIDIOC_EXPBUF", &exported);
    return {calls, exported.fd};
}

DeviceFd allocate_from(DeviceCalls& calls, const std::string& heap, size_t size_bytes) {
    constexpr std::string_view exporter = "v4l2:";
    if (heap == "udmabuf") return from_memfd(calls, size_bytes);
    if (heap.starts_with(exporter)) {
        return from_exporter(calls, find_node(heap.substr(exporter.size())), size_bytes);
    }
    return from_heap(calls, heap, size_bytes);
}

}  // namespace

FrameMemory allocate_dmabuf(DeviceCalls& calls, const std::string& heap, size_t size_bytes) {
    const size_t size = whole_pages(size_bytes);
    try {
        return {allocate_from(calls, heap, size), size};
    } catch (const std::runtime_error& error) {
        throw TransportRefused(error.what());
    }
}

}  // namespace glint::zero_copy
