#include "tools/bench/timing.hpp"

#include <algorithm>

namespace glint::bench {
namespace {

double at_quantile(std::vector<double>& values, size_t quarter) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() * quarter / 4);
    std::ranges::nth_element(values, place);
    return *place;
}

void warm_up(std::span<const Contender> contenders, const Budget& budget) {
    const size_t rounds = std::max<size_t>(1, budget.most_runs / 5);
    double passed = 0;
    for (size_t round = 0; round < rounds && passed < budget.seconds / 10; ++round) {
        passed += time_of([&] {
            for (const Contender& run : contenders) (void)run();
        });
    }
}

}  // namespace

double median(std::vector<double> values) {
    return at_quantile(values, 2);
}

Timing summary(std::span<const double> times) {
    std::vector<double> values(times.begin(), times.end());
    const double middle = at_quantile(values, 2);
    const double between = at_quantile(values, 3) - at_quantile(values, 1);
    return {
        .seconds = middle, .spread = middle > 0 ? between / (2 * middle) : 0, .runs = times.size()};
}

std::vector<Timing> in_turn(std::span<const Contender> contenders, const Budget& budget) {
    warm_up(contenders, budget);
    std::vector<std::vector<double>> times(contenders.size());
    double passed = 0;
    for (size_t round = 0; round < budget.most_runs; ++round) {
        if (round >= budget.least_runs && passed > budget.seconds) break;
        passed += time_of([&] {
            for (size_t i = 0; i < contenders.size(); ++i) times[i].push_back(contenders[i]());
        });
    }
    std::vector<Timing> result;
    for (const auto& one : times) result.push_back(summary(one));
    return result;
}

}  // namespace glint::bench
