// One alarm of the configuration: what a rule makes of a camera's results.
#pragma once

#include <functional>
#include <optional>

#include "daemon/alarm_rule.hpp"
#include "daemon/config.hpp"
#include "daemon/pipeline.hpp"
#include "daemon/statistics.hpp"
#include "daemon/window.hpp"

namespace glint {

/// Loop thread only.
class Alarm {
  public:
    /// Called when the state has changed, with what it was.
    using Changed = std::function<void(Alarm&, AlarmState before)>;
    Alarm(AlarmConfig config, Changed changed);

    void measured(const Measurement& measurement);
    /// The camera brings nothing any more.
    void lost();
    void acknowledge();
    /// Throws Failure (InvalidArgs) for what is no number, and when `threshold` is above `upper`
    /// of a rule with both.
    void set_thresholds(double threshold, double upper);
    void set_hysteresis(double hysteresis);

    [[nodiscard]] const AlarmConfig& config() const noexcept { return config_; }
    [[nodiscard]] AlarmState state() const noexcept { return memory_.state; }
    [[nodiscard]] uint64_t since_nsec() const noexcept { return memory_.since_nsec; }
    [[nodiscard]] double value() const noexcept { return memory_.value; }

  private:
    [[nodiscard]] std::optional<double> value_of(const Measurement& measurement);
    void become(const AlarmMemory& memory);

    AlarmConfig config_;
    Changed changed_;
    const NamedStatistic* statistic_;  ///< null: "light"
    AlarmMemory memory_;
    Window<double> values_;     ///< of a rule on changes
    Window<Deciles> pictures_;  ///< of the statistic "light"
};

}  // namespace glint
