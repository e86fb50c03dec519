// Walks the ladders of a device, and keeps what passes its known-answer test.
#pragma once

#include <string>
#include <vector>

#include "daemon/gpu/runtime.hpp"

namespace glint::gpu {

/// Blocks for seconds to minutes: for the builder. All arguments must outlive it.
class Selection {
  public:
    /// What serves whatever the frames' size is.
    Selection(const Context& context, const RuntimeRequest& request);
    /// What serves frames of one size, as far as it was measured; for the rest `by_default` and the
    /// variants that were `refused` on the way to it stay as they are.
    Selection(const Runtime& runtime, FrameSize size);

    [[nodiscard]] Choices choose();
    /// Of convolution_float, for filters of so many rows.
    [[nodiscard]] Choice choose_of_floats(uint32_t filter_size);
    [[nodiscard]] std::vector<Refusal> take_refused() { return std::move(refused_); }
    [[nodiscard]] BinaryCache& cache() { return cache_; }

  private:
    [[nodiscard]] Choice choose(kernels::Operator op, uint32_t filter_size = 0);
    void choose_convolutions(std::vector<Choice>& result);
    void choose_convolutions(uint32_t size, std::vector<Choice>& result);

    void look_up(kernels::Operator op, uint32_t filter_size);
    [[nodiscard]] std::vector<const kernels::Variant*> ladder(kernels::Operator op) const;
    [[nodiscard]] std::vector<const kernels::Variant*> default_ladder(kernels::Operator op) const;
    [[nodiscard]] bool is_excluded(const kernels::Variant& variant) const;
    [[nodiscard]] bool by_default(const kernels::Variant& variant) const;
    [[nodiscard]] std::string pinned(kernels::Operator op) const;

    [[nodiscard]] Choice attempt(const kernels::Variant& variant, uint32_t filter_size);
    [[nodiscard]] Choice with_measured_values(const Measured& measured,
                                              const kernels::Variant& variant,
                                              uint32_t filter_size);
    [[nodiscard]] std::shared_ptr<const BuiltVariant> build(const kernels::Variant& variant,
                                                            uint32_t filter_size,
                                                            const TunableValues& values,
                                                            std::string& wrong);
    [[nodiscard]] std::shared_ptr<const BuiltVariant> built_before(
        const kernels::Variant& variant, uint32_t filter_size, const TunableValues& values) const;
    void refuse(const kernels::Variant& variant, const std::string& reason);
    [[nodiscard]] bool is_refused(const kernels::Variant& variant) const;
    [[nodiscard]] bool any_refused(kernels::Operator op) const;
    [[nodiscard]] std::string why(const kernels::Variant& variant) const;

    const Context& context_;
    const RuntimeRequest& request_;
    const Runtime* runtime_ = nullptr;  ///< null: the choice is that by default
    FrameSize size_;
    std::vector<Measured> measured_;  ///< for the operator and filter size at hand
    std::vector<Refusal> refused_;
    BinaryCache cache_;
};

}  // namespace glint::gpu
