// The catalogue's variants as jobs.
#pragma once

#include <map>
#include <tuple>

#include "tools/bench/frames.hpp"
#include "tools/bench/job.hpp"
#include "tools/task_launch.hpp"

namespace glint::bench {

class Variants {
  public:
    explicit Variants(Device& device) : device_(device) {}

    /// For a variant that takes the task, on a frame made for it. Throws Skip when the kernel or
    /// the frame's image is too large for the device, or the asked tunables are,
    /// std::runtime_error when the variant's answers are wrong, gpu::BuildError and gpu::ClError.
    [[nodiscard]] Job job(const kernels::Variant& variant, const tools::Task& task,
                          const Frame& frame, const gpu::TunableValues& tunables = {});

  private:
    using Built = std::shared_ptr<const gpu::BuiltVariant>;
    using Key = std::tuple<const kernels::Variant*, uint32_t, gpu::TunableValues>;

    /// Built and put to its known-answer test once: the time of a wrong kernel means nothing.
    [[nodiscard]] Built built(const kernels::Variant& variant, uint32_t filter_size,
                              const gpu::TunableValues& tunables);

    Device& device_;
    std::map<Key, Built> built_;
};

/// What a floor moves that takes as many bytes as the task: it only reads, or copies half of them.
struct FloorTraffic {
    Traffic traffic = Traffic::read;
    size_t bytes = 0;
};
[[nodiscard]] FloorTraffic floor_of(const tools::Cost& cost);

}  // namespace glint::bench
