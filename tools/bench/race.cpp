#include "tools/bench/race.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace glint::bench {
namespace {

class Race {
  public:
    Race(std::vector<EntrantName> names, SetUp set_up, const Budget& budget)
        : names_(std::move(names)), set_up_(std::move(set_up)), budget_(budget) {}

    [[nodiscard]] Result row(size_t index) {
        if (lanes_.empty() || std::exchange(lanes_[index].reported, true)) {
            run();
            lanes_[index].reported = true;
        }
        const Lane& lane = lanes_[index];
        if (!lane.timing) throw Skip(lane.skipped);
        Result result{.timing = *lane.timing, .counters = {}, .label = lane.label};
        if (lane.bytes > 0) {
            result.counters["GB/s"] = lane.bytes / lane.timing->seconds * 1e-9;
        }
        for (size_t other = 0; other < names_.size(); ++other) {
            if (!names_[other].reference || !lanes_[other].timing) continue;
            result.counters["x_" + names_[other].name] =
                lane.timing->seconds / lanes_[other].timing->seconds;
        }
        return result;
    }

  private:
    struct Lane {
        std::optional<Timing> timing;
        std::string skipped;
        double bytes = 0;
        std::string label;
        bool reported = false;
    };

    void run() {
        lanes_.clear();
        const std::vector<Entrant> entrants = set_up_();
        std::vector<Contender> contenders;
        for (const Entrant& entrant : entrants) {
            if (entrant.run) contenders.push_back(entrant.run);
        }
        const std::vector<Timing> timings = in_turn(contenders, budget_);
        auto next = timings.begin();
        for (const Entrant& entrant : entrants) {
            Lane& lane = lanes_.emplace_back();
            lane.skipped = entrant.skipped;
            lane.bytes = entrant.bytes;
            lane.label = entrant.label;
            if (entrant.run) lane.timing = *next++;
        }
    }

    std::vector<EntrantName> names_;
    SetUp set_up_;
    Budget budget_;
    std::vector<Lane> lanes_;  ///< as names_; empty before the first run and after one that threw
};

}  // namespace

void add_race(const std::string& prefix, std::vector<EntrantName> names, SetUp set_up,
              const Budget& budget) {
    std::vector<std::string> rows;
    rows.reserve(names.size());
    for (const EntrantName& one : names) rows.push_back(prefix + '/' + one.name);
    const auto race = std::make_shared<Race>(std::move(names), std::move(set_up), budget);
    for (size_t i = 0; i < rows.size(); ++i) {
        add_row(rows[i], [race, i] { return race->row(i); });
    }
}

}  // namespace glint::bench
