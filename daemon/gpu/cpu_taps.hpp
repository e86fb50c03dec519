// Sums of taps x samples on one CPU thread, a few taps at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "daemon/gpu/operators.hpp"

namespace glint::gpu::cpu {

using Taps = std::array<int32_t, max_filter_size>;

enum class Start { zero, sums };  ///< what is added to: nothing, or what is there

/// sums[x] = start + taps[0] * from[0][x] + taps[1] * from[1][x] ... The body of a
/// GLINT_INNER_LOOP, which cannot be a template itself. In 16 bits additions may wrap on the way;
/// the result is right if it fits.
template <Start start, typename Sample, typename Tap, typename Sum, std::size_t... k>
[[gnu::always_inline]] inline void sum_each(std::index_sequence<k...> /*taps*/,
                                            const Sample* const* from, const Tap* taps,
                                            std::size_t count, Sum* __restrict sums) {
    using Product = std::conditional_t<sizeof(Sum) == 2, uint32_t, Sum>;
    const std::array<const Sample*, sizeof...(k)> p{from[k]...};
    const std::array<Product, sizeof...(k)> c{taps[k]...};
    for (std::size_t x = 0; x < count; ++x) {
        const Product before = start == Start::zero ? Product{} : Product{sums[x]};
        sums[x] = static_cast<Sum>((before + ... + (c[k] * Product{p[k][x]})));
    }
}

template <std::size_t n, Start start, typename Sample, typename Tap, typename Sum>
[[gnu::always_inline]] inline void sum_taps(const Sample* const* from, const Tap* taps,
                                            std::size_t count, Sum* __restrict sums) {
    sum_each<start>(std::make_index_sequence<n>{}, from, taps, count, sums);
}

/// Calls add(samples, taps) for `n` taps from the one at `first` on; samples_of(k) is what tap k
/// meets. A tap beyond the last is zero, whatever it meets.
template <std::size_t n, typename Tap, typename SamplesOf, typename Add>
void in_group(const Taps& taps, std::size_t first, std::size_t size, const SamplesOf& samples_of,
              const Add& add) {
    std::array<Tap, n> group{};
    std::array<decltype(samples_of(first)), n> samples{};
    for (std::size_t k = 0; k < n; ++k) {
        if (first + k < size) group[k] = static_cast<Tap>(taps[first + k]);
        samples[k] = samples_of(std::min(first + k, size - 1));
    }
    add(samples.data(), group.data());
}

}  // namespace glint::gpu::cpu
