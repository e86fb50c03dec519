// What a tuning run has measured so far, kept beside the tuning file so that it can be resumed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/gpu/tuning.hpp"
#include "tools/tune/search.hpp"

namespace glint::tune {

/// One variant on one frame size, and for filters one size of these.
struct Job {
    gpu::TuningKey key;
    /// Of the filter that it is measured with: the key's, or for variants that take any size one of
    /// these.
    uint32_t filter_size = 0;
    TunableValues defaults;                   ///< on this device; empty until the first build
    std::vector<Trial> trials;                ///< candidates measured
    std::optional<gpu::TunedVariant> result;  ///< once it is finished
    std::string refused;                      ///< why it cannot be measured: finished as well

    [[nodiscard]] bool finished() const { return result.has_value() || !refused.empty(); }
};

/// "convolution 5x5 march_rows 1920x1080".
[[nodiscard]] std::string title_of(const Job& job);

/// TOML. What parse_state() reads is what format_state() was given, times to 0.1 ns.
[[nodiscard]] std::string format_state(const std::vector<Job>& jobs);
/// Throws ConfigError with FILE:LINE:COLUMN.
[[nodiscard]] std::vector<Job> parse_state(const std::string& text, const std::string& path);

/// The jobs to do, with what is known of them from `earlier`.
[[nodiscard]] std::vector<Job> resume(std::vector<Job> jobs, const std::vector<Job>& earlier);

}  // namespace glint::tune
