// What was measured, in a form that tables, JSON and plots are made of. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glint::tune {

struct Row {
    std::string work_group;  ///< "16x4", or "any" where the driver chooses
    std::string others;      ///< further tunables, as "ROWS=16"
    double ms = 0;
    double relative = 1;  ///< to the default: 0.8 takes a fifth less time
    std::string note;     ///< "default", "chosen", or why it is out

    [[nodiscard]] std::string label() const {
        return others.empty() ? work_group : work_group + " " + others;
    }
};

/// All candidates of one kernel on one size.
struct Ranking {
    std::string title;                          ///< "convolution 5x5 march_rows 1920x1080"
    const char* head = "work-group, tunables";  ///< what a row's label is
    uint64_t bytes = 0;
    uint64_t operations = 0;
    const char* operations_unit = "Gop/s";  ///< of integers; "GFLOP/s" of floats
    std::vector<Row> rows;
    std::vector<std::string> verdict;  ///< sentences that sum it up

    [[nodiscard]] double gigabytes_per_second(const Row& row) const {
        return static_cast<double>(bytes) / row.ms * 1e-6;
    }
    [[nodiscard]] double gigaoperations_per_second(const Row& row) const {
        return static_cast<double>(operations) / row.ms * 1e-6;
    }
};

/// Fastest first, those that are out last.
void sort_by_time(Ranking& ranking);

/// For people; ends with an empty line.
[[nodiscard]] std::string table_text(const Ranking& ranking);

/// The device that was measured.
struct Machine {
    std::string device;
    std::string driver;
    std::string platform;
};

/// One object: device, driver, platform, and rankings with everything that the table shows.
[[nodiscard]] std::string json_text(const Machine& machine, const std::vector<Ranking>& rankings);

}  // namespace glint::tune
