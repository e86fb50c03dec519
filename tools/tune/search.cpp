#include "tools/tune/search.hpp"

#include <algorithm>
#include <cmath>

namespace glint::tune {
namespace {

constexpr int passes = 2;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

TunableValues changed(TunableValues values, const TunableValues& change) {
    for (const auto& [name, value] : change) values.find(name)->second = value;
    return values;
}

/// The allowed ones of the full product.
std::vector<TunableValues> product_of(const Space& space) {
    std::vector<TunableValues> product{space.defaults};
    for (const Coordinate& coordinate : space.coordinates) {
        std::vector<TunableValues> next;
        for (const TunableValues& values : product) {
            for (const TunableValues& change : coordinate) next.push_back(changed(values, change));
        }
        product = std::move(next);
    }
    std::erase_if(product, [&](const auto& values) { return !space.allowed(values); });
    return product;
}

std::vector<TunableValues> along(const Coordinate& coordinate, const TunableValues& from,
                                 const Space& space) {
    std::vector<TunableValues> result;
    for (const TunableValues& change : coordinate) {
        TunableValues values = changed(from, change);
        if (space.allowed(values)) result.push_back(std::move(values));
    }
    return result;
}

/// The search's memory: what was tried is not tried again.
class Search {
  public:
    Search(const Space& space, std::vector<Trial> known, const Measure& measure)
        : space_(space), trials_(std::move(known)), measure_(measure) {}

    /// False when the measurement was stopped.
    bool sweep(std::vector<TunableValues> candidates) {
        std::erase_if(candidates, [&](const TunableValues& values) {
            return std::ranges::find(trials_, values, &Trial::values) != trials_.end();
        });
        if (candidates.empty()) return true;
        const std::vector<Trial> measured = measure_(candidates);
        trials_.insert(trials_.end(), measured.begin(), measured.end());
        return measured.size() == candidates.size();
    }

    [[nodiscard]] TunableValues best() const {
        const Trial* best = best_of(trials_);
        return best == nullptr ? space_.defaults : best->values;
    }
    [[nodiscard]] std::vector<Trial> take() { return std::move(trials_); }

  private:
    const Space& space_;
    std::vector<Trial> trials_;
    const Measure& measure_;
};

}  // namespace

Sample sample_of(std::vector<double> values) {
    Sample sample{.median = median(values), .error = 0};
    const auto count = static_cast<double>(values.size());
    for (double& value : values) value = std::abs(value - sample.median);
    sample.error = 1.2533 * 1.4826 * median(std::move(values)) / std::sqrt(count);
    return sample;
}

bool clearly_better(const Sample& candidate, const Sample& base) {
    constexpr double least_gain = 0.05;
    constexpr double errors = 3;
    const double gain = base.median - candidate.median;
    return gain > least_gain * base.median &&
           gain > errors * std::hypot(candidate.error, base.error);
}

std::vector<Trial> search(const Space& space, std::vector<Trial> known, const Measure& measure) {
    Search search(space, std::move(known), measure);
    if (!search.sweep({space.defaults})) return search.take();
    std::vector<TunableValues> all = product_of(space);
    if (all.size() <= exhaustive_limit) {
        search.sweep(std::move(all));
        return search.take();
    }
    for (int pass = 0; pass < passes; ++pass) {
        const TunableValues start = search.best();
        for (const Coordinate& coordinate : space.coordinates) {
            if (!search.sweep(along(coordinate, search.best(), space))) return search.take();
        }
        if (search.best() == start) break;
    }
    return search.take();
}

size_t expected_trials(const Space& space) {
    const size_t all = product_of(space).size();
    if (all <= exhaustive_limit) return std::max<size_t>(all, 1);
    size_t sum = 1;
    for (const Coordinate& coordinate : space.coordinates)
        sum += along(coordinate, space.defaults, space).size();
    return sum + sum / 2;  // the second time round there is less left to try
}

const Trial* best_of(const std::vector<Trial>& trials) {
    const Trial* best = nullptr;
    for (const Trial& trial : trials) {
        if (!trial.wrong.empty()) continue;
        if (best == nullptr || trial.relative() < best->relative()) best = &trial;
    }
    return best;
}

}  // namespace glint::tune
