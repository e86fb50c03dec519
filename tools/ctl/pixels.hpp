// Pictures as GetFrame hands them over, and their rows as PNG wants them: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace glint::ctl {

struct Plane {
    std::uint64_t offset = 0;
    std::uint32_t stride_bytes = 0;
    static auto fields(auto& self) { return std::tie(self.offset, self.stride_bytes); }
};

// What GetFrame says of a picture.
struct FrameHeader {
    std::string fourcc;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::vector<Plane> planes;
    std::string range;
    std::uint64_t sequence = 0;
    std::uint64_t timestamp_nsec = 0;
    static auto fields(auto& self) {
        return std::tie(self.fourcc, self.width, self.height, self.planes, self.range,
                        self.sequence, self.timestamp_nsec);
    }
};

enum class Samples { grey8, grey16, rgb8 };

// How the bytes of a format lie; found by fourcc.
struct PixelFormat;

// A picture whose planes lie inside its memory: the constructor throws Failure otherwise, with the
// two numbers that disagree. Does not own the memory.
class Picture {
  public:
    Picture(FrameHeader header, std::span<const std::uint8_t> memory);

    std::uint32_t width() const { return header_.width; }
    std::uint32_t height() const { return header_.height; }
    // What the rows hold: grey samples and those of mosaics as they are, YUV as RGB.
    Samples samples() const;
    std::size_t row_bytes() const;
    // Writes row y, row_bytes() long; 16-bit samples big endian as in a PNG.
    void row(std::uint32_t y, std::span<std::uint8_t> out) const;

  private:
    void check_plane(std::size_t index) const;
    const std::uint8_t* line(std::size_t plane, std::uint32_t y) const;
    void grey16_row(std::uint32_t y, std::span<std::uint8_t> out) const;
    void colour_row(std::uint32_t y, std::span<std::uint8_t> out) const;

    FrameHeader header_;
    std::span<const std::uint8_t> memory_;
    const PixelFormat* format_;
};

// One pixel by BT.601.
struct Rgb {
    std::uint8_t red;
    std::uint8_t green;
    std::uint8_t blue;
    bool operator==(const Rgb&) const = default;
};
Rgb rgb_from_yuv(int y, int u, int v, bool limited);

// A sample of `bits` bits over all of 16, so that the largest becomes 65535.
std::uint16_t widen(std::uint16_t sample, unsigned bits);

}  // namespace glint::ctl
