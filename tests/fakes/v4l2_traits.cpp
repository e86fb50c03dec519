// The drivers that glintd meets, as figures.
#include "tests/fakes/v4l2_traits.hpp"

namespace glint::fakes::v4l2 {
namespace {

Format grey() {
    return {V4L2_PIX_FMT_GREY, "8-bit Greyscale", 8, 8};
}
Format y10() {
    return {V4L2_PIX_FMT_Y10, "10-bit Greyscale", 16, 16};
}
Format y12() {
    return {V4L2_PIX_FMT_Y12, "12-bit Greyscale", 16, 16};
}
Format yuyv() {
    return {V4L2_PIX_FMT_YUYV, "YUYV 4:2:2", 16, 16};
}
Format uyvy() {
    return {V4L2_PIX_FMT_UYVY, "UYVY 4:2:2", 16, 16};
}
Format nv12() {
    return {V4L2_PIX_FMT_NV12, "Y/UV 4:2:0", 8, 12};
}
Format bggr8() {
    return {V4L2_PIX_FMT_SBGGR8, "8-bit Bayer BGBG/GRGR", 8, 8};
}
Format rggb10() {
    return {V4L2_PIX_FMT_SRGGB10, "10-bit Bayer RGRG/GBGB", 16, 16};
}
Format mjpeg() {
    return {V4L2_PIX_FMT_MJPEG, "Motion-JPEG", 0, 16};
}

}  // namespace

Traits imx7_media_csi() {
    return {.driver = "imx-capture",
            .card = "imx-capture",
            .bus_info = "platform:30a90000.csi",
            .more_device_caps = V4L2_CAP_IO_MC,
            .dmabuf = true,
            .min_buffers = 3,
            .min_queued = 2,
            .formats = {uyvy(), yuyv(), grey(), y10(), y12(), bggr8(), rggb10()},
            .step = {8, 1},
            .row_alignment = 8};
}

Traits imx8_isi() {
    return {.driver = "mxc-isi",
            .card = "mxc-isi-cap",
            .bus_info = "platform:32e00000.isi",
            .mplane = true,
            .more_device_caps = V4L2_CAP_IO_MC,
            .dmabuf = true,
            .min_buffers = 3,
            .min_queued = 2,
            .formats = {yuyv(), nv12(), grey(), y10(), y12(), bggr8(), rggb10()},
            .accepts_bytesperline = true};
}

Traits vendor_isi() {
    return {.driver = "mxc-isi-cap",
            .card = "mxc-isi-cap",
            .bus_info = "platform:32e00000.isi:cap_devic",
            .mplane = true,
            .userptr = true,
            .dmabuf = true,
            .userptr_faults = true,
            .min_buffers = 3,
            .min_queued = 2,
            .formats = {yuyv(), nv12(), grey()},
            .sizes = {{640, 480}, {1280, 720}, {1920, 1080}},
            .intervals = {{1, 30}, {1, 15}}};
}

Traits mxc_capture() {
    return {.driver = "mxc_v4l2",
            .card = "mxc_v4l2",
            .bus_info = "platform:v4l2_cap_0",
            .more_device_caps = V4L2_CAP_VIDEO_OVERLAY | V4L2_CAP_READWRITE,
            .reports_capabilities = false,
            .exports = false,
            .creates_buffers = false,
            .orphans = false,
            .max_buffers = 10,
            .streamoff_needs_stream = true,
            .formats = {uyvy(), yuyv(), nv12()},
            .sizes = {{640, 480}, {1280, 720}, {1920, 1080}},
            .intervals = {{1, 30}, {1, 15}},
            .sequence_stuck = true,
            .timestamp_flags = V4L2_BUF_FLAG_TIMESTAMP_UNKNOWN,
            .realtime = true};
}

Traits uvcvideo() {
    return {.driver = "uvcvideo",
            .card = "USB Camera: USB Camera",
            .bus_info = "usb-xhci-hcd.1.auto-1",
            .more_capabilities = V4L2_CAP_META_CAPTURE,
            .userptr = true,
            .dmabuf = true,
            .formats = {yuyv(), mjpeg(), grey()},
            .sizes = {{640, 480}, {1280, 720}, {1920, 1080}},
            .intervals = {{1, 30}, {1, 15}, {1, 5}},
            .parm_busy = true,
            .timestamp_flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_SOE};
}

Traits vivid() {
    return {.driver = "vivid",
            .card = "vivid",
            .bus_info = "platform:vivid-000",
            .more_device_caps = V4L2_CAP_READWRITE,
            .userptr = true,
            .dmabuf = true,
            .cache_hints = true,
            .min_buffers = 2,
            .min_queued = 1,
            .formats = {yuyv(), uyvy(), nv12(), grey(), y10(), y12(), bggr8(), rggb10()},
            .sizes = {{320, 180}, {640, 360}, {640, 480}, {1280, 720}, {1920, 1080}},
            .intervals = {{1, 5}, {1, 10}, {1, 15}, {1, 25}},
            .accepts_bytesperline = true,
            .source_change_events = true};
}

Traits vivid_dma_contig() {
    Traits traits = vivid();
    traits.userptr = false;
    return traits;
}

}  // namespace glint::fakes::v4l2
