// The work that glint-tune and glint-bench measure. A task is one entry of one table: an operator
// with what it is given. What a task needs, makes and should give follows from its kind; an
// operator of a new kind is a new alternative of Operation, for which the compiler asks for each of
// these. How a kind is launched is in task_launch.cpp. No OpenCL in here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "daemon/gpu/float_filter.hpp"
#include "daemon/gpu/operators.hpp"
#include "daemon/gpu/picture_operators.hpp"
#include "kernels/catalogue.hpp"

namespace glint::tools {

/// A histogram of 256 bins.
struct Counting {};
struct Filtering {
    gpu::Filter filter;
};
struct FloatFiltering {
    gpu::FloatFilter filter;
    bool float_samples = false;  ///< filters floats into floats, not bytes into bytes
};
/// Sharpness.
struct FocusFigure {};
/// The histogram of what a filter makes.
struct FilteredCounting {
    gpu::Filter filter;
};
using Operation = std::variant<Counting, Filtering, FloatFiltering, gpu::PictureTask, FocusFigure,
                               FilteredCounting>;

struct Task {
    std::string_view name;  ///< of its rows: the operator's, or what is special about the filter
    kernels::Operator op;
    Operation operation;
    uint32_t filter_size = 0;  ///< rows; 0: it takes no filter
    uint32_t pixel_bytes = 1;  ///< of the frame it is made for: 3 for what takes colours apart
};

/// All of them; every variant of the catalogue does one at least.
[[nodiscard]] std::span<const Task> tasks();

/// What a task needs by its definition, whatever a variant does to get there.
struct Cost {
    uint64_t bytes_read = 0;     ///< without the padding of rows
    uint64_t bytes_written = 0;  ///< of pictures; counters and sums are too few to count
    uint64_t multiply_adds = 0;  ///< a single addition counts as one; 0: there are none

    [[nodiscard]] uint64_t bytes() const { return bytes_read + bytes_written; }
};

// Below, the lane is of bytes or, for float_samples, its offset and stride count floats.

/// Whether the operation is defined for the lane's layout.
[[nodiscard]] bool takes(const Task& task, const gpu::Lane& lane);
[[nodiscard]] Cost cost_of(const Task& task, const gpu::Lane& lane);
[[nodiscard]] bool is_of_floats(const Task& task);  ///< its arithmetic
[[nodiscard]] bool has_float_samples(const Task& task);

/// From one row of a picture that a task makes to the next.
[[nodiscard]] uint32_t output_stride_bytes(uint32_t row_bytes);
/// What compute_on_cpu() writes.
[[nodiscard]] size_t result_bytes(const Task& task, const gpu::Lane& lane);
/// The cpu variant, one thread. `result` has result_bytes(), and is all written but for padding.
void compute_on_cpu(const Task& task, const uint8_t* frame, const gpu::Lane& lane,
                    std::span<uint8_t> result);
/// What differs between a variant's result and the cpu variant's, or an empty text. Both began with
/// zeros. Floats may differ as much as their bound says for samples of at most 255.
[[nodiscard]] std::string difference(const Task& task, const gpu::Lane& lane,
                                     std::span<const uint8_t> got,
                                     std::span<const uint8_t> expected);

}  // namespace glint::tools
