// A variant compiled for one device: what can be shared, and never changes once it is built.
#pragma once

#include <memory>
#include <vector>

#include "daemon/gpu/operators.hpp"
#include "daemon/gpu/program.hpp"
#include "daemon/gpu/tunable_values.hpp"
#include "kernels/catalogue.hpp"

namespace glint::gpu {

/// Of filters whose size is fixed when the kernel is compiled.
inline constexpr uint32_t largest_built_size = 5;

/// Immutable after build_variant(), so threads may share it; kernels, which hold their arguments,
/// are made per user with make_kernel().
struct BuiltVariant {
    const kernels::Variant* variant = nullptr;
    uint32_t filter_size = 0;  ///< of operators with a filter: 3 or 5, 0 for any size; otherwise 0
    uint32_t bins = histogram_bins;
    TunableValues tunables;
    ProgramHandle program;

    /// The value in force; throws std::out_of_range for a name the variant does not have.
    [[nodiscard]] size_t tunable(std::string_view name) const;
    [[nodiscard]] KernelHandle make_kernel(const char* name) const;
    /// The one that is launched first.
    [[nodiscard]] KernelHandle make_first_kernel() const;
};

/// Of all the variant's kernels, in the order in which they are launched.
[[nodiscard]] std::vector<const char*> kernel_names(const kernels::Variant& variant);

/// Compiles with the default tunables, or those in `values`; when the device's limit for the kernel
/// is below the work-group size, steps down the candidates and compiles again. Throws BuildError or
/// ClError.
[[nodiscard]] std::shared_ptr<const BuiltVariant> build_variant(
    const Context& context, BinaryCache& cache, const kernels::Variant& variant,
    uint32_t filter_size, const TunableValues& values = {}, uint32_t bins = histogram_bins);

}  // namespace glint::gpu
