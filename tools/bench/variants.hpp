// The catalogue's variants as jobs. Only variants.cpp knows how an operator is launched.
#pragma once

#include <map>
#include <tuple>

#include "daemon/gpu/built_variant.hpp"
#include "tools/bench/frames.hpp"
#include "tools/bench/job.hpp"

namespace glint::bench {

class Variants {
  public:
    explicit Variants(Device& device) : device_(device) {}

    /// Throws Skip when the kernel or the frame's image is too large for the device, or the asked
    /// tunables are,
    /// std::runtime_error when the variant's answers are wrong, gpu::BuildError and gpu::ClError.
    [[nodiscard]] Job histogram(const kernels::Variant& variant, const Frame& frame,
                                const gpu::TunableValues& tunables = {});
    [[nodiscard]] Job convolution(const kernels::Variant& variant, const Frame& frame,
                                  const gpu::Filter& filter,
                                  const gpu::TunableValues& tunables = {});

  private:
    using Built = std::shared_ptr<const gpu::BuiltVariant>;
    using Key = std::tuple<const kernels::Variant*, uint32_t, gpu::TunableValues>;

    /// Built and put to its known-answer test once: the time of a wrong kernel means nothing.
    [[nodiscard]] Built built(const kernels::Variant& variant, uint32_t filter_size,
                              const gpu::TunableValues& tunables);

    Device& device_;
    std::map<Key, Built> built_;
};

/// Whether the variant is made for the filter at all.
[[nodiscard]] bool takes(const kernels::Variant& variant, const gpu::Filter& filter);

}  // namespace glint::bench
