// Operators that make pictures, as plain as they get.
#include <algorithm>
#include <cstdlib>

#include "daemon/gpu/picture_operators.hpp"
#include "daemon/gpu/samples.hpp"

namespace glint::gpu::reference {

namespace {

uint8_t saturate(int64_t value) {
    return static_cast<uint8_t>(std::clamp<int64_t>(value, 0, 255));
}

/// One pixel of each operator; x and y are those of the output.
class Pixel {
  public:
    Pixel(const uint8_t* frame, const Lane& lane, uint32_t x, uint32_t y)
        : frame_(frame), lane_(lane), x_(x), y_(y) {}

    uint8_t operator()(const Lookup& task) const {
        return task.table[sample_byte(frame_, lane_, x_, y_)];
    }

    uint8_t operator()(const Sobel& task) const {
        const auto at = [&](int column, int row) -> int64_t {
            const auto x = inside(int64_t{x_} + column, lane_.width, task.border);
            const auto y = inside(int64_t{y_} + row, lane_.height, task.border);
            return x && y ? sample_byte(frame_, lane_, *x, *y) : task.border_value;
        };
        const int64_t gx =
            at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
        const int64_t gy =
            at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
        return saturate(std::abs(gx) + std::abs(gy));
    }

    uint8_t operator()(const Downscale&) const {
        uint32_t sum = 0;
        uint32_t count = 0;
        for (uint32_t y = 2 * y_; y < std::min(lane_.height, 2 * y_ + 2); ++y) {
            for (uint32_t x = 2 * x_; x < std::min(lane_.width, 2 * x_ + 2); ++x) {
                sum += sample_byte(frame_, lane_, x, y);
                ++count;
            }
        }
        return static_cast<uint8_t>((sum + count / 2) / count);
    }

    uint8_t operator()(const Normalise& task) const {
        const int64_t value = sample(frame_, lane_, x_, y_);
        const int64_t distance = value < task.threshold ? 0 : value - task.mean;
        return saturate(task.offset + distance * task.gain / (int64_t{1} << task.shift));
    }

    uint8_t operator()(const Planar& task) const {
        Lane channel = lane_;
        channel.offset_bytes += task.bytes[y_ / lane_.height];
        return static_cast<uint8_t>(sample(frame_, channel, x_, y_ % lane_.height));
    }

  private:
    const uint8_t* frame_;
    const Lane& lane_;
    uint32_t x_;
    uint32_t y_;
};

}  // namespace

void make_picture(const uint8_t* frame, const Lane& lane, const PictureTask& task,
                  const Output& output) noexcept {
    const PictureSize size = output_size(task, lane);
    for (uint32_t y = 0; y < size.height; ++y) {
        for (uint32_t x = 0; x < size.width; ++x) {
            output.pixels[size_t{y} * output.stride_bytes + x] =
                std::visit(Pixel(frame, lane, x, y), task);
        }
    }
}

}  // namespace glint::gpu::reference
