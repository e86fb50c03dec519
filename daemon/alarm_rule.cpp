#include "daemon/alarm_rule.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace glint {
namespace {

bool meets(const AlarmRule& rule, double value, bool raised) noexcept {
    // An alarm that is raised ends a hysteresis later.
    const double slack = raised ? rule.hysteresis : 0;
    switch (rule.kind) {
        case AlarmKind::above:
            return value > rule.threshold - slack;
        case AlarmKind::below:
            return value < rule.threshold + slack;
        case AlarmKind::between:
            return value >= rule.threshold - slack && value <= rule.upper + slack;
        case AlarmKind::change:
            break;
    }
    return std::abs(value) > rule.threshold - slack;
}

AlarmMemory enter(AlarmMemory memory, AlarmState state, uint64_t nsec) noexcept {
    memory.turned_frames = 0;
    if (memory.state == state) return memory;
    memory.state = state;
    memory.since_nsec = nsec;
    memory.acknowledged = false;
    return memory;
}

AlarmState after_the_end(const AlarmRule& rule, const AlarmMemory& memory,
                         AlarmState otherwise) noexcept {
    const bool keep = memory.state == AlarmState::latched ||
                      (memory.state == AlarmState::raised && rule.latch && !memory.acknowledged);
    return keep ? AlarmState::latched : otherwise;
}

}  // namespace

const char* name_of(AlarmKind kind) noexcept {
    constexpr std::array names{"above", "below", "between", "change"};
    return names[static_cast<size_t>(kind)];
}

const char* name_of(AlarmState state) noexcept {
    constexpr std::array names{"unknown", "idle", "raised", "latched"};
    return names[static_cast<size_t>(state)];
}

AlarmMemory judge(const AlarmRule& rule, AlarmMemory memory, double value, uint64_t nsec) noexcept {
    memory.value = value;
    const bool raised = memory.state == AlarmState::raised;
    if (memory.state == AlarmState::unknown) memory = enter(memory, AlarmState::idle, nsec);
    if (meets(rule, value, raised) == raised) {
        memory.turned_frames = 0;
        return memory;
    }
    const bool clock_fell_back = nsec < memory.turned_since_nsec;
    if (memory.turned_frames == 0 || clock_fell_back) memory.turned_since_nsec = nsec;
    if (memory.turned_frames < UINT32_MAX) ++memory.turned_frames;
    const auto hold_nsec = static_cast<uint64_t>(rule.hold.count()) * 1000;
    if (memory.turned_frames < rule.hold_frames || nsec - memory.turned_since_nsec < hold_nsec) {
        return memory;
    }
    return enter(memory,
                 raised ? after_the_end(rule, memory, AlarmState::idle) : AlarmState::raised, nsec);
}

AlarmMemory lose(const AlarmRule& rule, AlarmMemory memory, uint64_t nsec) noexcept {
    return enter(memory, after_the_end(rule, memory, AlarmState::unknown), nsec);
}

AlarmMemory acknowledge(AlarmMemory memory, uint64_t nsec) noexcept {
    if (memory.state == AlarmState::latched) return enter(memory, AlarmState::idle, nsec);
    memory.acknowledged = memory.state == AlarmState::raised;
    return memory;
}

Deciles deciles_of(std::span<const uint32_t> bins) noexcept {
    uint64_t samples = 0;
    for (const uint32_t count : bins) samples += count;
    Deciles deciles{};
    uint64_t below = 0;
    size_t next = 0;
    for (size_t bin = 0; bin < bins.size() && next < deciles.size(); ++bin) {
        below += bins[bin];
        while (next < deciles.size() && below * 10 >= samples * (next + 1)) {
            deciles[next++] = static_cast<uint32_t>(bin);
        }
    }
    return deciles;
}

double light_step(const Deciles& before, const Deciles& after, uint32_t bins) noexcept {
    const uint32_t last = bins - 1;
    int32_t least_up = INT32_MAX;
    int32_t least_down = INT32_MAX;
    size_t counted = 0;
    for (size_t i = 0; i < before.size(); ++i) {
        const bool at_an_end = before[i] == after[i] && (before[i] == 0 || before[i] == last);
        if (at_an_end) continue;
        ++counted;
        const auto moved = static_cast<int32_t>(after[i]) - static_cast<int32_t>(before[i]);
        least_up = std::min(least_up, moved);
        least_down = std::min(least_down, -moved);
    }
    constexpr size_t fewest = 5;
    if (counted < fewest) return 0;
    if (least_up > 0) return least_up;
    return least_down > 0 ? -least_down : 0;
}

}  // namespace glint
