// Measures the variants of one device.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/gpu/built_variant.hpp"
#include "tools/tune/progress.hpp"
#include "tools/tune/ranking.hpp"
#include "tools/tune/state.hpp"
#include "tools/workload.hpp"

namespace glint::tune {

/// What the command line asks for; an empty list means all.
struct Wanted {
    std::vector<kernels::Operator> operators;
    std::vector<std::string> variants;
    std::vector<uint32_t> filter_sizes;
    std::vector<FrameSize> sizes;
};

/// Variants that take any size are built once for all of them, so they are measured with one
/// filter: of these sizes the wanted one.
inline constexpr std::array<uint32_t, 3> any_filter_sizes{7, 15, 31};
inline constexpr uint32_t default_any_filter_size = 15;

/// Those that the service has a use for.
[[nodiscard]] bool is_served(const kernels::Variant& variant);

/// A job for each wanted variant that is legal on the device, filter size and frame size;
/// baselines, and operators that the service does not offer, only where they are named.
[[nodiscard]] std::vector<Job> jobs_for(const gpu::DeviceTraits& traits, const Wanted& wanted);

/// The values that the variant has on this device before anything is built.
[[nodiscard]] Space first_space(const gpu::DeviceTraits& traits, const gpu::TuningKey& key);

class Tuner {
  public:
    /// `runs` of each candidate, at least 5. The arguments must outlive the object.
    Tuner(const gpu::Context& context, gpu::BinaryCache& cache, Progress& progress, size_t runs);

    /// Searches and decides; goes on from what the job knows already. `measured` is called after
    /// each group of candidates, to save them. Returns early, with the job not finished, when a
    /// signal asks to stop. Throws ClError when the device fails.
    void run(Job& job, size_t index, const std::function<void()>& measured);

    /// Seconds that building, checking and measuring one candidate takes: the job's default.
    [[nodiscard]] double seconds_per_candidate(const Job& job);

  private:
    /// A candidate that is built, and the times it took.
    struct Runner {
        TunableValues values;
        tools::Launch launch;
        std::vector<double> device_ms;
        std::string wrong;
    };

    [[nodiscard]] Runner prepare(const Job& job, const TunableValues& values,
                                 tools::Workload& workload);
    [[nodiscard]] Limits ask_limits(const gpu::BuiltVariant& built) const;
    [[nodiscard]] std::vector<Trial> measure(const Job& job,
                                             const std::vector<TunableValues>& candidates,
                                             tools::Workload& workload, Runner& by_default);
    void run_in_turn(tools::Workload& workload, const std::vector<Runner*>& runners) const;
    [[nodiscard]] std::optional<gpu::TunedVariant> decide(const Job& job, tools::Workload& workload,
                                                          Runner& by_default);

    const gpu::Context& context_;
    gpu::BinaryCache& cache_;
    Progress& progress_;
    size_t runs_;
    gpu::QueueHandle queue_;
};

/// The job's candidates, fastest first, with what was decided.
[[nodiscard]] Ranking ranking_of(const Job& job);

/// For each operator, filter size and frame size: the variants that were measured, as they will
/// serve, fastest first.
[[nodiscard]] std::vector<Ranking> winners_of(const std::vector<Job>& jobs);

}  // namespace glint::tune
