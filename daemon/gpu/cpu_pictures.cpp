// Operators that make pictures, on one CPU thread. Every inner loop works on bytes side by side,
// into which rows of other layouts are unpacked first.
#include <cstring>

#include "daemon/gpu/cpu_rows.hpp"
#include "daemon/gpu/picture_operators.hpp"

namespace glint::gpu::cpu {

namespace {

void look_up(const uint8_t* from, const LookupTable& table, std::size_t count, uint8_t* to) {
    for (std::size_t x = 0; x < count; ++x) to[x] = table[from[x]];
}

/// |gx| + |gy| of rows `a`, `b` and `c`, which begin one column to the left.
GLINT_INNER_LOOP gradient(const uint8_t* a, const uint8_t* b, const uint8_t* c, std::size_t count,
                          uint8_t* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) {
        const auto gx =
            static_cast<int16_t>(a[x + 2] - a[x] + 2 * (b[x + 2] - b[x]) + c[x + 2] - c[x]);
        const auto gy =
            static_cast<int16_t>(c[x] - a[x] + 2 * (c[x + 1] - a[x + 1]) + c[x + 2] - a[x + 2]);
        const auto sum = static_cast<int16_t>((gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy));
        to[x] = static_cast<uint8_t>(std::min<int16_t>(sum, 255));
    }
}

GLINT_INNER_LOOP halve(const uint8_t* above, const uint8_t* below, std::size_t count,
                       uint8_t* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) {
        to[x] = static_cast<uint8_t>(
            (above[2 * x] + above[2 * x + 1] + below[2 * x] + below[2 * x + 1] + 2) >> 2);
    }
}

GLINT_INNER_LOOP spread(const uint16_t* values, std::size_t count, const Normalise& task,
                        uint8_t* __restrict to) {
    const auto threshold = static_cast<int32_t>(task.threshold);
    const auto mean = static_cast<int32_t>(task.mean);
    const auto gain = static_cast<int32_t>(task.gain);
    const auto offset = static_cast<int32_t>(task.offset);
    const uint32_t shift = task.shift;
    const auto below_one = static_cast<int32_t>((1U << shift) - 1);
    for (std::size_t x = 0; x < count; ++x) {
        const int32_t value = values[x];
        const int32_t product = (value < threshold ? 0 : value - mean) * gain;
        // Shifting rounds down; one less than the divisor makes that upwards for negative numbers.
        const int32_t scaled = (product + (product < 0 ? below_one : 0)) >> shift;
        to[x] = static_cast<uint8_t>(std::min(std::max(offset + scaled, 0), 255));
    }
}

GLINT_INNER_LOOP take_every(const uint8_t* from, std::size_t step, std::size_t count,
                            uint8_t* __restrict to) {
    if (step == 2) {
        for (std::size_t x = 0; x < count; ++x) to[x] = from[2 * x];
    } else if (step == 3) {
        for (std::size_t x = 0; x < count; ++x) to[x] = from[3 * x];
    } else {
        for (std::size_t x = 0; x < count; ++x) to[x] = from[4 * x];
    }
}

class Maker {
  public:
    Maker(const uint8_t* frame, const Lane& lane, const Output& output)
        : frame_(frame), lane_(lane), output_(output) {}

    void operator()(const Lookup& task) const {
        alignas(64) std::array<uint8_t, strip_columns> bytes;
        for_each_strip([&](std::size_t y, std::size_t first, std::size_t count) {
            unpack_row(input_row(y), lane_, first, count, bytes.data());
            look_up(bytes.data(), task.table, count, output_row(y) + first);
        });
    }

    void operator()(const Sobel& task) const {
        const Filter window{.size = 3, .border = task.border, .border_value = task.border_value};
        march_rows<uint8_t>(
            frame_, lane_, window,
            [&](const auto& rows, std::size_t count, std::size_t first, std::size_t y) {
                gradient(rows[0], rows[1], rows[2], count, output_row(y) + first);
            });
    }

    /// What a missing column or row adds when it repeats the last one is nothing: (2 a + 2 b + 2)
    /// / 4 is the mean of a and b, half rounded up, and (4 a + 2) / 4 is a.
    void operator()(const Downscale&) const {
        alignas(64) std::array<std::array<uint8_t, strip_room>, 2> pair;
        for (std::size_t y = 0; y < lane_.height; y += 2) {
            for (std::size_t first = 0; first < lane_.width; first += strip_columns) {
                const auto count = std::min<std::size_t>(strip_columns, lane_.width - first);
                for (std::size_t k = 0; k < 2; ++k) {
                    const std::size_t row = std::min<std::size_t>(y + k, lane_.height - 1);
                    unpack_row(input_row(row), lane_, first, count, pair[k].data());
                    pair[k][count] = pair[k][count - 1];
                }
                halve(pair[0].data(), pair[1].data(), (count + 1) / 2,
                      output_row(y / 2) + first / 2);
            }
        }
    }

    void operator()(const Normalise& task) const {
        alignas(64) std::array<uint16_t, strip_columns> values;
        for_each_strip([&](std::size_t y, std::size_t first, std::size_t count) {
            unpack_values(input_row(y), lane_, first, count, values.data());
            spread(values.data(), count, task, output_row(y) + first);
        });
    }

    void operator()(const Planar& task) const {
        for (std::size_t y = 0; y < lane_.height; ++y) {
            for (std::size_t k = 0; k < task.planes; ++k) {
                take_every(input_row(y) + task.bytes[k], lane_.step_bytes, lane_.width,
                           output_row(k * lane_.height + y));
            }
        }
    }

  private:
    [[nodiscard]] const uint8_t* input_row(std::size_t y) const {
        return frame_ + lane_.offset_bytes + y * lane_.stride_bytes;
    }
    [[nodiscard]] uint8_t* output_row(std::size_t y) const {
        return output_.pixels + y * output_.stride_bytes;
    }

    /// Calls use(y, first, count) for every strip of every row.
    template <typename Use>
    void for_each_strip(const Use& use) const {
        for (std::size_t y = 0; y < lane_.height; ++y) {
            for (std::size_t first = 0; first < lane_.width; first += strip_columns) {
                use(y, first, std::min<std::size_t>(strip_columns, lane_.width - first));
            }
        }
    }

    const uint8_t* frame_;
    const Lane& lane_;
    const Output& output_;
};

}  // namespace

void make_picture(const uint8_t* frame, const Lane& lane, const PictureTask& task,
                  const Output& output) noexcept {
    std::visit(Maker(frame, lane, output), task);
}

}  // namespace glint::gpu::cpu
