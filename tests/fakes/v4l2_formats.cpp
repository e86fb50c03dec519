// Format negotiation of a fake capture driver.
#include "tests/fakes/v4l2_formats.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace glint::fakes::v4l2 {
namespace {

uint32_t round_up(uint64_t value, uint32_t step) {
    return static_cast<uint32_t>((value + step - 1) / step * step);
}

uint32_t into(uint32_t value, uint32_t smallest, uint32_t largest, uint32_t step) {
    const uint32_t clamped = std::clamp(value, smallest, largest);
    return smallest + (clamped - smallest) / step * step;
}

double seconds(const v4l2_fract& interval) {
    return static_cast<double>(interval.numerator) / interval.denominator;
}

template <size_t size>
void put(uint8_t (&to)[size], const std::string& text) {
    std::fill(std::begin(to), std::end(to), uint8_t{0});
    std::copy_n(text.begin(), std::min(text.size(), size - 1), to);
}

}  // namespace

Formats::Formats(const Traits& traits) : traits_(traits) {
    if (traits.formats.empty()) throw std::invalid_argument("a fake driver needs a format");
    current_ = picture(traits.formats.front().fourcc, traits.initial, 0);
    if (!traits.intervals.empty()) interval_ = traits.intervals.front();
}

const Format* Formats::find(uint32_t fourcc) const {
    for (const Format& format : traits_.formats) {
        if (format.fourcc == fourcc) return &format;
    }
    return nullptr;
}

int Formats::enumerate(v4l2_fmtdesc& description) const {
    const uint32_t index = description.index;
    const uint32_t from = description.mbus_code;
    std::vector<Format> formats = traits_.formats;
    std::erase_if(formats, [from](const Format& format) {
        return from != 0 && format.bus_code != 0 && format.bus_code != from;
    });
    if (index >= formats.size()) return -EINVAL;
    const Format& format = formats[index];
    description = {};
    description.index = index;
    description.type =
        traits_.mplane ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
    description.flags = format.row_bits == 0 ? V4L2_FMT_FLAG_COMPRESSED : 0;
    put(description.description, format.description);
    description.pixelformat = format.fourcc;
    return 0;
}

int Formats::enumerate_sizes(v4l2_frmsizeenum& size) const {
    if (!traits_.enumerates_sizes) return -ENOTTY;
    if (find(size.pixel_format) == nullptr) return -EINVAL;
    if (traits_.sizes.empty()) {
        if (size.index != 0) return -EINVAL;
        size.type = V4L2_FRMSIZE_TYPE_STEPWISE;
        size.stepwise = {traits_.smallest.width,  traits_.largest.width,  traits_.step.width,
                         traits_.smallest.height, traits_.largest.height, traits_.step.height};
        return 0;
    }
    if (size.index >= traits_.sizes.size()) return -EINVAL;
    size.type = V4L2_FRMSIZE_TYPE_DISCRETE;
    size.discrete = {traits_.sizes[size.index].width, traits_.sizes[size.index].height};
    return 0;
}

int Formats::enumerate_intervals(v4l2_frmivalenum& interval) const {
    if (traits_.intervals.empty()) return -ENOTTY;
    if (find(interval.pixel_format) == nullptr) return -EINVAL;
    const Size there = nearest({interval.width, interval.height});
    if (there.width != interval.width || there.height != interval.height) return -EINVAL;
    if (interval.index >= traits_.intervals.size()) return -EINVAL;
    interval.type = V4L2_FRMIVAL_TYPE_DISCRETE;
    interval.discrete = traits_.intervals[interval.index];
    return 0;
}

Size Formats::nearest(Size asked) const {
    if (traits_.sizes.empty()) {
        return {
            into(asked.width, traits_.smallest.width, traits_.largest.width, traits_.step.width),
            into(asked.height, traits_.smallest.height, traits_.largest.height,
                 traits_.step.height)};
    }
    const auto distance = [&](const Size& size) {
        return std::llabs(static_cast<int64_t>(size.width) - asked.width) +
               std::llabs(static_cast<int64_t>(size.height) - asked.height);
    };
    return *std::min_element(
        traits_.sizes.begin(), traits_.sizes.end(),
        [&](const Size& a, const Size& b) { return distance(a) < distance(b); });
}

Formats::Picture Formats::picture(uint32_t fourcc, Size asked, uint32_t row_bytes) const {
    const Format* format = find(fourcc);
    if (format == nullptr) format = &traits_.formats.front();
    const Size size = nearest(asked);
    if (format->row_bits == 0) {
        return {format, size.width, size.height, 0,
                size.width * size.height * format->frame_bits / 8};
    }
    // The kernel's drivers bound what they take from the caller, too.
    const uint64_t least = (uint64_t{size.width} * format->row_bits + 7) / 8;
    const uint64_t most = std::max<uint64_t>(least, 4ULL * traits_.largest.width);
    const uint64_t wanted =
        traits_.accepts_bytesperline ? std::clamp<uint64_t>(row_bytes, least, most) : least;
    const uint32_t row = round_up(wanted, traits_.row_alignment);
    const uint64_t bytes = uint64_t{row} * size.height * format->frame_bits / format->row_bits;
    return {format, size.width, size.height, row, static_cast<uint32_t>(bytes)};
}

void Formats::write(const Picture& picture, v4l2_format& format) const {
    const bool lies = traits_.wrong_bytesperline != 0 && picture.row_bytes != 0;
    const uint32_t row_bytes = lies ? traits_.wrong_bytesperline : picture.row_bytes;
    const uint32_t type = format.type;
    format = {};
    format.type = type;
    if (traits_.mplane) {
        v4l2_pix_format_mplane& pix = format.fmt.pix_mp;
        pix.width = picture.width;
        pix.height = picture.height;
        pix.pixelformat = picture.format->fourcc;
        pix.field = V4L2_FIELD_NONE;
        pix.colorspace = traits_.colorspace;
        pix.num_planes = 1;
        pix.plane_fmt[0].bytesperline = row_bytes;
        pix.plane_fmt[0].sizeimage = picture.frame_bytes;
        pix.ycbcr_enc = static_cast<uint8_t>(traits_.ycbcr_enc);
        pix.quantization = static_cast<uint8_t>(traits_.quantization);
        pix.xfer_func = static_cast<uint8_t>(traits_.xfer_func);
        return;
    }
    v4l2_pix_format& pix = format.fmt.pix;
    pix.width = picture.width;
    pix.height = picture.height;
    pix.pixelformat = picture.format->fourcc;
    pix.field = V4L2_FIELD_NONE;
    pix.bytesperline = row_bytes;
    pix.sizeimage = picture.frame_bytes;
    pix.colorspace = traits_.colorspace;
    pix.priv = V4L2_PIX_FMT_PRIV_MAGIC;
    pix.ycbcr_enc = traits_.ycbcr_enc;
    pix.quantization = traits_.quantization;
    pix.xfer_func = traits_.xfer_func;
}

void Formats::get(v4l2_format& format) const {
    write(current_, format);
}

void Formats::adjust(v4l2_format& format) const {
    if (traits_.mplane) {
        const v4l2_pix_format_mplane pix = format.fmt.pix_mp;
        write(picture(pix.pixelformat, {pix.width, pix.height}, pix.plane_fmt[0].bytesperline),
              format);
    } else {
        const v4l2_pix_format pix = format.fmt.pix;
        write(picture(pix.pixelformat, {pix.width, pix.height}, pix.bytesperline), format);
    }
}

void Formats::set(v4l2_format& format) {
    if (traits_.mplane) {
        const v4l2_pix_format_mplane& pix = format.fmt.pix_mp;
        current_ = picture(pix.pixelformat, {pix.width, pix.height}, pix.plane_fmt[0].bytesperline);
    } else {
        const v4l2_pix_format& pix = format.fmt.pix;
        current_ = picture(pix.pixelformat, {pix.width, pix.height}, pix.bytesperline);
    }
    write(current_, format);
}

int Formats::get_interval(v4l2_streamparm& parm) const {
    if (traits_.intervals.empty()) return -ENOTTY;
    const uint32_t type = parm.type;
    parm = {};
    parm.type = type;
    parm.parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
    parm.parm.capture.timeperframe = interval_;
    parm.parm.capture.readbuffers = traits_.min_buffers;
    return 0;
}

int Formats::set_interval(v4l2_streamparm& parm) {
    if (traits_.intervals.empty()) return -ENOTTY;
    const v4l2_fract asked = parm.parm.capture.timeperframe;
    interval_ = traits_.intervals.front();
    if (asked.numerator != 0 && asked.denominator != 0) {
        const auto apart = [&](const v4l2_fract& offered) {
            return std::abs(seconds(offered) - seconds(asked));
        };
        interval_ = *std::min_element(
            traits_.intervals.begin(), traits_.intervals.end(),
            [&](const v4l2_fract& a, const v4l2_fract& b) { return apart(a) < apart(b); });
    }
    return get_interval(parm);
}

}  // namespace glint::fakes::v4l2
