// Enqueueing the focus figure. Each object belongs to one thread: kernels hold arguments.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "daemon/gpu/built_variant.hpp"
#include "daemon/gpu/launch.hpp"
#include "daemon/gpu/measuring_operators.hpp"

namespace glint::gpu {

class SharpnessLaunch {
  public:
    /// Throws ClError.
    explicit SharpnessLaunch(std::shared_ptr<const BuiltVariant> built);
    [[nodiscard]] const kernels::Variant& variant() const { return *built_->variant; }

    /// Numbers that a launch leaves for the lane; added_up() of them is its sharpness.
    [[nodiscard]] size_t partials(const Lane& lane) const;
    /// Writes partials[begin .. begin + partials(lane) - 1]. Throws ClError.
    void enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane, cl_mem partials,
                 uint32_t begin = 0, Events* events = nullptr);
    /// Computes one of the partial sums anew on the CPU and compares; `seed` says which. Takes some
    /// microseconds.
    [[nodiscard]] bool one_matches(const uint8_t* frame, const Lane& lane,
                                   std::span<const uint32_t> partials, uint64_t seed) const;

  private:
    struct Shape {
        size_t local[2];
        size_t global[2];
    };
    [[nodiscard]] Shape shape_for(const Lane& lane) const;
    /// Columns and rows of samples that one partial sum covers.
    [[nodiscard]] std::pair<uint32_t, uint32_t> tile() const;

    std::shared_ptr<const BuiltVariant> built_;
    KernelHandle kernel_;
};

/// In 64 bits: the whole of a frame does not fit 32.
[[nodiscard]] uint64_t added_up(std::span<const uint32_t> partials) noexcept;

}  // namespace glint::gpu
