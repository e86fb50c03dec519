// What glint-bench works on: frames of every size, format and stride, and filters.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "daemon/gpu/operators.hpp"
#include "zero_copy/formats.hpp"
#include "zero_copy/frame_memory.hpp"

namespace glint::bench {

struct Size {
    uint32_t width;
    uint32_t height;
};
inline constexpr Size sizes[] = {{640, 480}, {1920, 1080}, {3840, 2160}};
inline constexpr Size middle_size = sizes[1];
/// "1920x1080"
[[nodiscard]] std::string text_of(Size size);
/// Of a tight 8-bit picture.
[[nodiscard]] constexpr size_t bytes_of(Size size) {
    return size_t{size.width} * size.height;
}

/// Counters behave differently where neighbours are alike (one counter again and again) and where
/// they are not.
enum class Picture { noise, smooth };
[[nodiscard]] const char* name_of(Picture picture);

/// One for each way in which samples can lie in memory.
struct NamedFormat {
    const char* name;
    zero_copy::PixelFormat format;
};
inline constexpr NamedFormat formats[] = {{"grey", zero_copy::PixelFormat::grey},
                                          {"yuyv", zero_copy::PixelFormat::yuyv},
                                          {"y16", zero_copy::PixelFormat::y16},
                                          {"rgb24", zero_copy::PixelFormat::rgb24}};

/// Bytes from the end of a row to the start of the next. One byte puts each row at another place
/// within a vector; 16 and the next multiple of 64 keep rows aligned, but no longer one run.
enum class Stride { tight, plus1, plus16, padded64 };
inline constexpr Stride strides[] = {Stride::tight, Stride::plus1, Stride::plus16,
                                     Stride::padded64};
[[nodiscard]] const char* name_of(Stride stride);

/// A frame with a picture in it, and the lane that is measured: the luma, or of R, G and B the
/// green channel, as the service does.
struct Frame {
    Size size;
    gpu::Lane lane;
    zero_copy::FrameMemory memory;

    /// Of the rows without their padding: what an operator has to read.
    [[nodiscard]] size_t bytes_to_read() const {
        return size_t{lane.width} * lane.step_bytes * lane.height;
    }
    [[nodiscard]] size_t bytes_filtered() const { return bytes_of(size); }
};

/// Throws std::system_error when there is no memory.
[[nodiscard]] Frame make_frame(zero_copy::PixelFormat format, Size size, Stride stride,
                               Picture picture);
[[nodiscard]] inline Frame grey_frame(Size size, Picture picture) {
    return make_frame(zero_copy::PixelFormat::grey, size, Stride::tight, picture);
}

struct NamedFilter {
    const char* name;
    gpu::Filter filter;
};
/// Binomials and, for the general case, uneven coefficients of both signs.
[[nodiscard]] const std::array<NamedFilter, 4>& filters();

/// Multiply-adds that the operator needs by definition. A histogram adds one per sample.
[[nodiscard]] double operations_of_histogram(Size size);
/// One per tap and pixel; a binomial is separable, two lines of taps.
[[nodiscard]] double operations_of_filter(Size size, const gpu::Filter& filter);

}  // namespace glint::bench
