// Headers of picture files: text to layout, pure, so that any bytes can be thrown at it.
#pragma once

#include <cstddef>
#include <string_view>

#include "zero_copy/formats.hpp"

namespace glint::zero_copy {

class PictureFileError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct PictureHeader {
    FrameLayout layout;
    double rate = 0;             ///< frames per second, 0 when the file does not say
    size_t header_bytes = 0;     ///< where the first frame, with its own header if any, starts
    bool frame_headers = false;  ///< Y4M: every frame starts with a "FRAME...\n" line
};

/// More than any sane header needs; a file whose header is longer is refused.
inline constexpr size_t max_header_bytes = 4096;

[[nodiscard]] bool looks_like_y4m(std::string_view start);
[[nodiscard]] bool looks_like_pgm(std::string_view start);

/// YUV4MPEG2 with C420*, C422, C444 or Cmono of 8 bits (mjpegtools' yuv4mpeg manual page). Throws
/// PictureFileError naming the parameter and its value.
[[nodiscard]] PictureHeader parse_y4m(std::string_view start);
/// Binary PGM ("P5", netpbm's pgm manual page), 8 or 16 bits by its maximum value.
[[nodiscard]] PictureHeader parse_pgm(std::string_view start);
/// Length of a "FRAME...\n" line at the start of `text`, 0 if there is none.
[[nodiscard]] size_t y4m_frame_header_bytes(std::string_view text);

}  // namespace glint::zero_copy
