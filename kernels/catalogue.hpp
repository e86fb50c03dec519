// Every OpenCL variant of every operator: what it needs of a device and what can be tuned.
//
// Adding a variant is one .cl file and one entry: of histograms in catalogue.cpp, else in the
// *_variants.hpp of its operator. The known-answer test, the choice at start, tuning, benchmark and
// the table in docs/variants.md follow from the entry.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace glint::kernels {

enum class Operator {
    histogram,
    convolution,
    convolution_float,
    lookup,
    sobel,
    downscale,
    normalise,
    planar,
    sharpness,
    filtered_histogram,
};
enum class Set { ep, fp };  ///< Embedded Profile: legal on every device; Full Profile

[[nodiscard]] std::string_view name_of(Operator op);
[[nodiscard]] std::string_view name_of(Set set);

/// What the device, and the filter, must offer before the variant may be considered.
struct Needs {
    bool full_profile = false;
    bool local_atomics = false;   ///< int32 base atomics on local memory
    bool global_atomics = false;  ///< int32 base atomics on global memory
    /// Local memory of a work-group; histogram: for 256 bins, times the tunable COPIES if it has
    /// one.
    uint32_t local_bytes_per_copy = 0;
    bool real_local_memory = false;    ///< legal without it, but not chosen by default
    bool binomial_only = false;        ///< convolution: only Filter::is_binomial()
    bool sums_exact_in_float = false;  ///< convolution: magnitude x 255 must be below 2^24
    bool sums_in_16_bits = false;      ///< convolution: magnitude x 255 must be below 2^16
    bool any_size = false;             ///< convolution: built once, takes filters of 3x3 to 31x31
    /// Convolution: only what gpu::separate() splits, whose table is given in place of
    /// coefficients.
    bool separable_only = false;
    bool smoothing_only = false;   ///< and only gpu::smooths_in_16_bits()
    bool narrow_row_sums = false;  ///< and the sums along rows span no more than 16 bits
    bool cpu_device = false;       ///< made for a CPU: legal elsewhere, but only there a default
    bool gpu_device = false;       ///< made for a GPU: legal on a CPU, but not a default there
    bool image = false;  ///< reads the frame as an image, which under OpenCL 1.1 is a copy
};

/// A number fixed when the kernel is compiled, passed as -DNAME=value. Every kernel file holds its
/// default too, so that it compiles alone.
///
/// Names the host reads to shape the launch; everything else is the kernel's own:
///   histogram    LOCAL (work-group size), ITEMS_PER_UNIT (work-items per compute unit) and, if
///                partial histograms are left to a second kernel, REDUCE_GLOBAL and REDUCE_LOCAL,
///                the sizes of that launch
///   filtered_histogram  LOCAL, ITEMS_PER_UNIT
///   all others   COLUMNS, ROWS (output pixels per work-item), LOCAL_X, LOCAL_Y
struct Tunable {
    std::string_view name;
    int32_t value;                        ///< the default
    std::span<const int32_t> candidates;  ///< what the tuner tries, the defaults among them
    int32_t cpu_value = 0;                ///< the default on a CPU device; 0: as elsewhere
};

/// What the kernel leaves to be added up: of histograms by a second kernel; without, it adds to the
/// bins itself, which start at zero. Of sharpness by the host.
enum class Partials { none, per_item, per_group };

struct Variant {
    Operator op;
    Set set;
    std::string_view name;    ///< unique within the operator, e.g. "private_counters"
    std::string_view source;  ///< OpenCL C, embedded at build time
    Needs needs;
    std::span<const Tunable> tunables;
    Partials partials = Partials::none;
    bool float_samples = false;  ///< convolution_float: filters floats, not bytes
    bool two_passes = false;     ///< convolution: kernels filter_rows, filter_columns, not convolve
    bool baseline = false;       ///< to compare with; serves only where the configuration names it
    std::string_view summary;    ///< one line for the documentation and --probe
};

/// All variants; within an operator and set in the order of the default ladder, best first.
[[nodiscard]] std::span<const Variant> catalogue();
[[nodiscard]] const Variant* find(Operator op, std::string_view name);

}  // namespace glint::kernels
