// What glint-bench works on: frames of every size, format and stride.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/task.hpp"
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
};

/// Throws std::system_error when there is no memory.
[[nodiscard]] Frame make_frame(zero_copy::PixelFormat format, Size size, Stride stride,
                               Picture picture);
[[nodiscard]] inline Frame grey_frame(Size size, Picture picture) {
    return make_frame(zero_copy::PixelFormat::grey, size, Stride::tight, picture);
}

/// Frames that rows are about, not made yet.
struct FrameKind {
    NamedFormat format;
    Size size;
    Stride stride = Stride::tight;
};
/// Every size, format and stride.
[[nodiscard]] std::vector<FrameKind> frame_kinds();

/// Whether there are rows of the task on such frames. By default tight ones of its own format,
/// filters above 5x5 only in the middle size, since baselines take seconds for them; with `all`
/// every size, every format and, of grey, every stride. What is made of one format has no other.
[[nodiscard]] bool is_measured_on(const tools::Task& task, const FrameKind& kind, bool all);

/// "grey/1920x1080", with the stride unless it is tight.
[[nodiscard]] std::string text_of(const tools::Task& task, const FrameKind& kind);

/// The pictures that a task is measured on: both where samples are counted as they are, and then
/// rows name them.
[[nodiscard]] std::vector<Picture> pictures_of(const tools::Task& task);
/// "noise/", or nothing.
[[nodiscard]] std::string picture_text(const tools::Task& task, Picture picture);

/// A frame that the task takes.
[[nodiscard]] Frame make_frame(const tools::Task& task, const FrameKind& kind, Picture picture);

}  // namespace glint::bench
