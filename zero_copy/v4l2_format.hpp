// Which format a camera sends, in the kernels' terms: chosen, set, read back and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zero_copy/media_codes.hpp"
#include "zero_copy/source.hpp"
#include "zero_copy/v4l2_device.hpp"

namespace glint::zero_copy {

/// V4L2's code of a format; none for what V4L2 does not have.
[[nodiscard]] std::optional<uint32_t> v4l2_code(PixelFormat format);
[[nodiscard]] std::optional<PixelFormat> format_from_v4l2(uint32_t code);
/// For messages: "GREY", "Y16 -BE".
[[nodiscard]] std::string code_text(uint32_t code);

/// What a driver says of its frames, whichever API says it. Lengths in bytes.
struct DriverFormat {
    uint32_t code = 0;
    uint32_t width = 0;
    uint32_t height = 0;
    uint32_t stride_bytes = 0;
    uint32_t size_bytes = 0;
    uint32_t memory_planes = 1;
    uint32_t field = 0;
    uint32_t colorspace = 0;
    uint32_t encoding = 0;
    uint32_t quantization = 0;
};

/// Of what is offered: the wanted format, or else the one that is cheapest to measure (grey, then
/// luma of YUV, then RGB, then Bayer). Throws SourceError (format) with a list of what is offered.
[[nodiscard]] PixelFormat choose_format(std::span<const uint32_t> offered,
                                        std::optional<PixelFormat> wanted);

/// The frame in memory. `stride_override` stands above what the driver says. Throws SourceError
/// (format) when the driver's numbers contradict each other: which, and what to set.
[[nodiscard]] FrameLayout layout_of(const DriverFormat& given,
                                    std::optional<uint32_t> stride_override);

struct Negotiated {
    FrameLayout layout;
    uint32_t size_bytes = 0;  ///< that a buffer must have; >= layout.size_bytes
    double rate = 0;          ///< frames per second; 0: the driver does not say
};

/// Sets format, size and rate as far as the request says, the rest stays as it is; the result is
/// what the driver made of it. Where the driver leaves it to the media graph what reaches the node
/// (V4L2_CAP_IO_MC), formats are chosen among those made from `arriving`, and its size is the
/// default. Throws SourceError.
[[nodiscard]] Negotiated negotiate(const V4l2Device& device, const SourceRequest& request,
                                   const std::optional<BusFormat>& arriving = std::nullopt);

}  // namespace glint::zero_copy
