// The pictures that a fake capture driver can take, and the one it is set to.
#pragma once

#include <linux/videodev2.h>

#include <cstdint>

#include "tests/fakes/v4l2_traits.hpp"

namespace glint::fakes::v4l2 {

/// Results are 0 or a negative errno value. The caller has checked the buffer type.
class Formats {
  public:
    explicit Formats(const Traits& traits);

    [[nodiscard]] int enumerate(v4l2_fmtdesc& description) const;
    [[nodiscard]] int enumerate_sizes(v4l2_frmsizeenum& size) const;
    [[nodiscard]] int enumerate_intervals(v4l2_frmivalenum& interval) const;
    void get(v4l2_format& format) const;
    /// Turns what is asked for into the nearest that there is.
    void adjust(v4l2_format& format) const;
    void set(v4l2_format& format);
    [[nodiscard]] int get_interval(v4l2_streamparm& parm) const;
    [[nodiscard]] int set_interval(v4l2_streamparm& parm);

    /// Bytes of a frame in the present format.
    [[nodiscard]] uint32_t frame_bytes() const { return current_.frame_bytes; }

  private:
    struct Picture {
        const Format* format;
        uint32_t width;
        uint32_t height;
        uint32_t row_bytes;
        uint32_t frame_bytes;
    };
    [[nodiscard]] const Format* find(uint32_t fourcc) const;
    [[nodiscard]] Size nearest(Size asked) const;
    [[nodiscard]] Picture picture(uint32_t fourcc, Size asked, uint32_t row_bytes) const;
    void write(const Picture& picture, v4l2_format& format) const;

    const Traits& traits_;
    Picture current_;
    v4l2_fract interval_{};
};

}  // namespace glint::fakes::v4l2
