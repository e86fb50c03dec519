#include "zero_copy/v4l2_format.hpp"

#include <fmt/format.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace glint::zero_copy {
namespace {

using Kind = SourceError::Kind;

constexpr std::string_view big_endian_mark = "-BE";
constexpr uint32_t big_endian_bit = 1U << 31;

/// The fewer bytes a pixel of the luma costs to read, the earlier.
constexpr std::array preference{PixelFormat::grey,   PixelFormat::y10,    PixelFormat::y12,
                                PixelFormat::y14,    PixelFormat::y012,   PixelFormat::y16,
                                PixelFormat::y10p,   PixelFormat::y12p,   PixelFormat::y16_be,
                                PixelFormat::nv12,   PixelFormat::nv21,   PixelFormat::yuv420,
                                PixelFormat::yuv422, PixelFormat::yuyv,   PixelFormat::uyvy,
                                PixelFormat::rgb24,  PixelFormat::bgr24,  PixelFormat::rgba32,
                                PixelFormat::rgbx32, PixelFormat::bgra32, PixelFormat::bgrx32};

std::string list_of(std::span<const uint32_t> codes) {
    std::string text;
    for (const uint32_t code : codes) {
        text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", code_text(code));
    }
    return text.empty() ? "nothing" : text;
}

/// `bus_code`: only those that are made from it; 0: all.
std::vector<uint32_t> offered_codes(const V4l2Device& device, uint32_t bus_code) {
    std::vector<uint32_t> codes;
    constexpr uint32_t most = 512;  // of a driver that never says EINVAL
    for (uint32_t i = 0; i < most; ++i) {
        v4l2_fmtdesc description{};
        description.index = i;
        description.type = device.buffer_type();
        description.mbus_code = bus_code;
        const int code = device.call(VIDIOC_ENUM_FMT, &description);
        if (code == EINVAL) break;  // there are no more
        if (code != 0) {
            throw device_error(code, fmt::format("VIDIOC_ENUM_FMT on {}", device.path()));
        }
        codes.push_back(description.pixelformat);
    }
    return codes;
}

DriverFormat read_format(const v4l2_format& format, bool multi_planar) {
    if (!multi_planar) {
        const v4l2_pix_format& pix = format.fmt.pix;
        return {pix.pixelformat, pix.width,      pix.height,    pix.bytesperline, pix.sizeimage, 1,
                pix.field,       pix.colorspace, pix.ycbcr_enc, pix.quantization};
    }
    const v4l2_pix_format_mplane& pix = format.fmt.pix_mp;
    return {pix.pixelformat,
            pix.width,
            pix.height,
            pix.plane_fmt[0].bytesperline,
            pix.plane_fmt[0].sizeimage,
            pix.num_planes,
            pix.field,
            pix.colorspace,
            pix.ycbcr_enc,
            pix.quantization};
}

/// Writes what is wished into what the driver has; strides and sizes are the driver's to say, but
/// for a hint that the stride be whole cache lines.
void wish(v4l2_format& format, bool multi_planar, PixelFormat wanted,
          const SourceRequest& request) {
    const auto fill = [&](auto& pix) {
        pix.pixelformat = v4l2_code(wanted).value();
        if (request.width) pix.width = *request.width;
        if (request.height) pix.height = *request.height;
        pix.field = V4L2_FIELD_NONE;
    };
    if (multi_planar) {
        v4l2_pix_format_mplane& pix = format.fmt.pix_mp;
        fill(pix);
        pix.num_planes = 1;
        pix.plane_fmt[0] = {};
        pix.plane_fmt[0].bytesperline = preferred_stride(wanted, pix.width);
    } else {
        v4l2_pix_format& pix = format.fmt.pix;
        fill(pix);
        pix.bytesperline = preferred_stride(wanted, pix.width);
        pix.sizeimage = 0;
    }
}

DriverFormat set_format(const V4l2Device& device, PixelFormat wanted,
                        const SourceRequest& request) {
    v4l2_format format{};
    format.type = device.buffer_type();
    device.require(VIDIOC_G_FMT, "VIDIOC_G_FMT", &format);
    wish(format, device.multi_planar(), wanted, request);
    device.require(VIDIOC_S_FMT, "VIDIOC_S_FMT", &format);
    return read_format(format, device.multi_planar());
}

/// Frames per second, or 0 where the driver does not say.
double set_rate(const V4l2Device& device, std::optional<double> rate) {
    v4l2_streamparm parameters{};
    parameters.type = device.buffer_type();
    if (device.call(VIDIOC_G_PARM, &parameters) != 0) return 0;
    v4l2_captureparm& capture = parameters.parm.capture;
    if (rate && (capture.capability & V4L2_CAP_TIMEPERFRAME) != 0) {
        constexpr uint32_t milliseconds = 1000;  // of rates such as 29.97
        capture.timeperframe = {milliseconds, static_cast<uint32_t>(*rate * milliseconds + 0.5)};
        device.require(VIDIOC_S_PARM, "VIDIOC_S_PARM", &parameters);
    }
    const v4l2_fract& period = capture.timeperframe;
    if (period.numerator == 0 || period.denominator == 0) return 0;
    return static_cast<double>(period.denominator) / period.numerator;
}

Range range_of(const DriverFormat& given, PixelFormat format) {
    if (given.quantization == V4L2_QUANTIZATION_FULL_RANGE) return Range::full;
    if (given.quantization == V4L2_QUANTIZATION_LIM_RANGE) return Range::limited;
    // V4L2_MAP_QUANTIZATION_DEFAULT, with grey and raw samples as what sensors send.
    const FormatInfo& format_info = info(format);
    const bool yuv =
        format_info.plane_count > 1 || format == PixelFormat::yuyv || format == PixelFormat::uyvy;
    return yuv && given.colorspace != V4L2_COLORSPACE_JPEG ? Range::limited : Range::full;
}

void check_field(const DriverFormat& given) {
    switch (given.field) {
        case V4L2_FIELD_TOP:
        case V4L2_FIELD_BOTTOM:
        case V4L2_FIELD_ALTERNATE:
            throw SourceError(Kind::format,
                              fmt::format("the driver sends single fields (V4L2 field {}); set the "
                                          "camera to progressive or interlaced frames",
                                          given.field));
        default:
            return;
    }
}

}  // namespace

std::optional<uint32_t> v4l2_code(PixelFormat format) {
    std::string_view text = info(format).fourcc;
    if (format == PixelFormat::yuv444) return std::nullopt;
    uint32_t code = text.ends_with(big_endian_mark) ? big_endian_bit : 0;
    for (uint32_t i = 0; i < 4; ++i) code |= static_cast<uint32_t>(text[i]) << (8 * i);
    return code;
}

std::optional<PixelFormat> format_from_v4l2(uint32_t code) {
    for (const FormatInfo& format_info : all_formats()) {
        if (v4l2_code(format_info.format) == code) return format_info.format;
    }
    return std::nullopt;
}

std::string code_text(uint32_t code) {
    std::string text;
    for (uint32_t i = 0; i < 4; ++i) {
        const auto byte = static_cast<char>(code >> (8 * i) & (i == 3 ? 0x7F : 0xFF));
        text += byte >= ' ' && byte <= '~' ? byte : '?';
    }
    if ((code & big_endian_bit) != 0) text += big_endian_mark;
    return text;
}

PixelFormat choose_format(std::span<const uint32_t> offered, std::optional<PixelFormat> wanted) {
    const auto is_offered = [&](PixelFormat format) {
        const auto code = v4l2_code(format);
        return code && std::ranges::find(offered, *code) != offered.end();
    };
    if (wanted) {
        if (is_offered(*wanted)) return *wanted;
        throw SourceError(Kind::format, fmt::format("the camera does not send \"{}\"; it offers {}",
                                                    info(*wanted).fourcc, list_of(offered)));
    }
    const auto* found = std::ranges::find_if(preference, is_offered);
    if (found != preference.end()) return *found;
    for (const FormatInfo& format_info : all_formats()) {
        if (format_info.is_bayer() && is_offered(format_info.format)) return format_info.format;
    }
    throw SourceError(Kind::format,
                      fmt::format("the camera sends no uncompressed format that is known here; it "
                                  "offers {}",
                                  list_of(offered)));
}

FrameLayout layout_of(const DriverFormat& given, std::optional<uint32_t> stride_override) {
    const auto format = format_from_v4l2(given.code);
    if (!format || given.memory_planes != 1) {
        throw SourceError(Kind::format, fmt::format("frames of \"{}\" in {} memory planes are not "
                                                    "understood",
                                                    code_text(given.code), given.memory_planes));
    }
    constexpr std::string_view advice =
        "if the driver is known to lie, set stride_override to the true number of bytes";
    FrameLayout layout;
    try {
        layout = make_layout(*format, given.width, given.height,
                             stride_override.value_or(given.stride_bytes));
    } catch (const LayoutError& error) {
        throw SourceError(
            Kind::format,
            fmt::format("the driver says that its frames are \"{}\" {}x{} with {} bytes "
                        "per line: {}; {}",
                        code_text(given.code), given.width, given.height, given.stride_bytes,
                        error.what(), advice));
    }
    if (layout.size_bytes > given.size_bytes) {
        throw SourceError(
            Kind::format,
            fmt::format("a \"{}\" frame of {}x{} with {} bytes per line has {} bytes, the driver's "
                        "buffers only {}; {}",
                        code_text(given.code), given.width, given.height,
                        layout.planes[0].stride_bytes, layout.size_bytes, given.size_bytes,
                        advice));
    }
    return layout;
}

Negotiated negotiate(const V4l2Device& device, const SourceRequest& asked,
                     const std::optional<BusFormat>& arriving) {
    const bool by_graph = arriving && (device.capabilities() & V4L2_CAP_IO_MC) != 0;
    SourceRequest request = asked;
    if (by_graph && !request.width && !request.height) {
        request.width = arriving->width;
        request.height = arriving->height;
    }
    std::vector<uint32_t> offered = offered_codes(device, by_graph ? arriving->code : 0);
    if (offered.empty() && by_graph) offered = offered_codes(device, 0);
    const PixelFormat wanted = choose_format(offered, request.format);
    const DriverFormat given = set_format(device, wanted, request);
    if (given.code != v4l2_code(wanted)) {
        throw SourceError(
            Kind::format,
            fmt::format("asked for \"{}\", the driver sends \"{}\"; it offers {}",
                        info(wanted).fourcc, code_text(given.code), list_of(offered)));
    }
    check_field(given);
    Negotiated result{.layout = layout_of(given, request.stride_bytes),
                      .size_bytes = given.size_bytes,
                      .rate = set_rate(device, request.rate)};
    result.layout.range = request.range.value_or(range_of(given, wanted));
    return result;
}

}  // namespace glint::zero_copy
