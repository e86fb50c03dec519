// What a capture driver is: the ways in which those that glintd meets differ.
#pragma once

#include <linux/videodev2.h>

#include <cstdint>
#include <string>
#include <vector>

namespace glint::fakes::v4l2 {

struct Size {
    uint32_t width;   ///< pixels
    uint32_t height;  ///< rows
};

struct Format {
    uint32_t fourcc;
    std::string description;
    uint32_t row_bits;      ///< per pixel in a row of the first plane; 0: compressed
    uint32_t frame_bits;    ///< per pixel of the whole frame
    uint32_t bus_code = 0;  ///< of the media bus format that it is made from; 0: of any
};

struct Traits {
    std::string driver = "fake";
    std::string card = "Fake camera";
    std::string bus_info = "platform:fake";
    bool mplane = false;             ///< multi-planar API only; all frames have one memory plane
    uint32_t more_device_caps = 0;   ///< besides capture and streaming, such as V4L2_CAP_IO_MC
    uint32_t more_capabilities = 0;  ///< of the device's other nodes

    // Memory. A kind that REQBUFS does not advertise, it refuses with EINVAL.
    bool mmap = true;
    bool userptr = false;
    bool dmabuf = false;
    bool reports_capabilities = true;     ///< false: REQBUFS says 0, as before Linux 4.20
    bool userptr_refused = false;         ///< advertised, and REQBUFS still gives EINVAL
    bool userptr_faults = false;          ///< advertised, and QBUF gives EFAULT
    uint64_t userptr_alignment = 1;       ///< bytes, of address and length; else QBUF gives EINVAL
    bool exports = true;                  ///< EXPBUF
    bool creates_buffers = true;          ///< CREATE_BUFS
    bool cache_hints = false;             ///< V4L2_MEMORY_FLAG_NON_COHERENT
    bool orphans = true;                  ///< REQBUFS frees buffers that are mapped; false: EBUSY
    uint32_t max_buffers = 32;            ///< there is MMAP memory for so many
    uint32_t min_buffers = 1;             ///< smaller requests are raised to it
    bool streamoff_needs_stream = false;  ///< else it gives buffers back that never streamed, too
    uint32_t min_queued = 0;              ///< the hardware starts when so many are queued

    // Pictures.
    std::vector<Format> formats{};  ///< the first is the default
    std::vector<Size> sizes{};      ///< discrete ones; empty: any from `smallest` to `largest`
    Size smallest{16, 16};
    Size largest{4096, 3072};
    Size step{1, 1};
    Size initial{640, 480};
    bool enumerates_sizes = true;         ///< false: ENUM_FRAMESIZES gives ENOTTY
    std::vector<v4l2_fract> intervals{};  ///< seconds; empty: G_PARM, S_PARM, ENUM_... give ENOTTY
    bool parm_busy = false;               ///< S_PARM gives EBUSY while streaming
    uint32_t row_alignment = 1;           ///< bytesperline is a multiple of it
    bool accepts_bytesperline = false;    ///< a larger one that the caller asks for
    uint32_t wrong_bytesperline = 0;      ///< said in place of the right one, unless 0
    uint32_t colorspace = V4L2_COLORSPACE_SRGB;
    uint32_t ycbcr_enc = V4L2_YCBCR_ENC_DEFAULT;
    uint32_t quantization = V4L2_QUANTIZATION_DEFAULT;
    uint32_t xfer_func = V4L2_XFER_FUNC_DEFAULT;

    // Time.
    bool sequence_stuck = false;  ///< at 0
    uint32_t timestamp_flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_EOF;
    bool realtime = false;  ///< stamps are CLOCK_REALTIME, whatever the flags say
    bool source_change_events = false;
};

/// i.MX7 and i.MX8M, mainline: single-planar, MMAP and DMABUF, sizes come from the media graph.
[[nodiscard]] Traits imx7_media_csi();
/// i.MX8M Plus and i.MX93, mainline: multi-planar only, MMAP and DMABUF.
[[nodiscard]] Traits imx8_isi();
/// The vendor kernel's ISI driver: advertises USERPTR, then QBUF gives EFAULT. Multi-planar.
[[nodiscard]] Traits vendor_isi();
/// The vendor kernel's i.MX6 driver: MMAP only, sequence stuck at 0, timestamps of unknown clock,
/// no buffer capabilities, no orphaned buffers.
[[nodiscard]] Traits mxc_capture();
/// A USB camera: MMAP, USERPTR and DMABUF, discrete sizes and rates, stamped at start of exposure.
[[nodiscard]] Traits uvcvideo();
/// The kernel's virtual webcam, with its discrete sizes.
[[nodiscard]] Traits vivid();
/// vivid with allocators=1: memory as on the boards, no USERPTR.
[[nodiscard]] Traits vivid_dma_contig();

}  // namespace glint::fakes::v4l2
