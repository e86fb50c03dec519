#include "daemon/alarm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/failure.hpp"
#include "daemon/loop.hpp"

namespace glint {

Alarm::Alarm(AlarmConfig config, Changed changed)
    : config_(std::move(config)),
      changed_(std::move(changed)),
      statistic_(find_statistic(config_.statistic)),
      values_(std::chrono::milliseconds(config_.over_ms)),
      pictures_(std::chrono::milliseconds(config_.over_ms)) {}

/// None where the region or channel is not measured.
std::optional<double> Alarm::value_of(const Measurement& measurement) {
    const Plan& plan = *measurement.plan;
    const auto region = plan.find_region(config_.region);
    const auto named = std::ranges::find(plan.channels, config_.channel);
    const auto channel = config_.channel.empty() ? plan.channels.begin() : named;
    if (!region || channel == plan.channels.end()) return std::nullopt;
    const auto bins =
        measurement.channel_bins(*region, static_cast<size_t>(channel - plan.channels.begin()));
    const uint64_t now = measurement.timestamp_nsec;
    if (statistic_ == nullptr) {
        const auto step = [&](const Deciles& before, const Deciles& after) {
            return light_step(before, after, plan.bins) * plan.bin_width();
        };
        return pictures_.largest(deciles_of(bins), now, step);
    }
    const double value = compute_statistics(bins, plan.bin_width()).*statistic_->member;
    if (config_.rule.kind != AlarmKind::change) return value;
    return values_.largest(value, now, [](double before, double after) { return after - before; });
}

void Alarm::measured(const Measurement& measurement) {
    const auto value = value_of(measurement);
    if (!value) return lost();
    become(judge(config_.rule, memory_, *value, measurement.timestamp_nsec));
}

void Alarm::lost() {
    values_.clear();
    pictures_.clear();
    become(lose(config_.rule, memory_, now_nsec()));
}

void Alarm::acknowledge() {
    become(glint::acknowledge(memory_, now_nsec()));
}

void Alarm::become(const AlarmMemory& memory) {
    const AlarmState before = memory_.state;
    memory_ = memory;
    if (memory_.state != before) changed_(*this, before);
}

void Alarm::set_thresholds(double threshold, double upper) {
    const bool ordered = config_.rule.kind != AlarmKind::between || threshold <= upper;
    if (!std::isfinite(threshold) || !std::isfinite(upper) || !ordered) {
        throw Failure(
            "org.freedesktop.DBus.Error.InvalidArgs",
            fmt::format("thresholds {} and {}; two numbers are expected, of \"between\" the "
                        "smaller one first",
                        threshold, upper));
    }
    config_.rule.threshold = threshold;
    config_.rule.upper = upper;
}

void Alarm::set_hysteresis(double hysteresis) {
    if (!std::isfinite(hysteresis) || hysteresis < 0) {
        throw Failure("org.freedesktop.DBus.Error.InvalidArgs",
                      fmt::format("hysteresis {}; a number from 0 is expected", hysteresis));
    }
    config_.rule.hysteresis = hysteresis;
}

}  // namespace glint
