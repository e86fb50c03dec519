#include "tools/tune/candidates.hpp"

#include <fmt/format.h>

namespace glint::tune {
namespace {

constexpr size_t least_groups = 4;
constexpr uint64_t share_of_local_memory = 3;

size_t value(const TunableValues& values, std::string_view name) {
    return static_cast<size_t>(values.find(name)->second);
}

size_t divide_up(size_t dividend, size_t divisor) {
    return (dividend + divisor - 1) / divisor;
}

std::string why_left_out(const Groups& groups, const KernelLimits& kernel, const Limits& limits) {
    const size_t local = groups.local[0] * groups.local[1];
    if (local > kernel.work_group)
        return fmt::format("the kernel runs {} work-items a group at most", kernel.work_group);
    for (const int dimension : {0, 1}) {
        if (groups.local[dimension] <= limits.work_item[dimension]) continue;
        return fmt::format("the device runs {} work-items at most in dimension {}",
                           limits.work_item[dimension], dimension);
    }
    if (!limits.cpu && local % kernel.multiple != 0)
        return fmt::format("no multiple of {}", kernel.multiple);
    if (groups.count < least_groups) return fmt::format("only {} work-groups", groups.count);
    return {};
}

Coordinate with_each(const Coordinate& changes, const kernels::Tunable& tunable) {
    Coordinate result;
    for (const TunableValues& change : changes) {
        for (const int32_t candidate : tunable.candidates) {
            result.push_back(change);
            result.back().emplace(tunable.name, candidate);
        }
    }
    return result;
}

}  // namespace

std::vector<Groups> groups_of(const TunableValues& values, FrameSize size, uint32_t compute_units) {
    if (values.contains("LOCAL_X")) {
        const size_t x = value(values, "LOCAL_X");
        const size_t y = value(values, "LOCAL_Y");
        const size_t columns = divide_up(size.width, value(values, "COLUMNS"));
        const size_t rows = divide_up(size.height, value(values, "ROWS"));
        return {{{x, y}, divide_up(columns, x) * divide_up(rows, y)}};
    }
    const size_t local = value(values, "LOCAL");
    const size_t items = value(values, "ITEMS_PER_UNIT") * compute_units;
    std::vector<Groups> result{{{local, 1}, divide_up(items, local)}};
    if (values.contains("REDUCE_LOCAL")) {
        const size_t reduce_local = value(values, "REDUCE_LOCAL");
        result.push_back({{reduce_local, 1}, value(values, "REDUCE_GLOBAL") / reduce_local});
    }
    return result;
}

std::string why_left_out(const kernels::Variant& variant, const TunableValues& values,
                         FrameSize size, const Limits& limits) {
    const uint64_t copies = values.contains("COPIES") ? value(values, "COPIES") : 1;
    const uint64_t local_bytes = variant.needs.local_bytes_per_copy * copies;
    if (local_bytes * share_of_local_memory > limits.local_bytes) {
        return fmt::format("{} of {} bytes of local memory are more than a third", local_bytes,
                           limits.local_bytes);
    }
    const std::vector<Groups> launches = groups_of(values, size, limits.compute_units);
    for (size_t i = 0; i < launches.size() && i < limits.kernels.size(); ++i) {
        std::string why = why_left_out(launches[i], limits.kernels[i], limits);
        if (!why.empty()) return why;
    }
    return {};
}

std::vector<Coordinate> coordinates_of(const kernels::Variant& variant) {
    std::vector<Coordinate> result;
    for (const kernels::Tunable& tunable : variant.tunables) {
        if (tunable.name == "LOCAL_Y") continue;  // goes with LOCAL_X
        Coordinate coordinate = with_each({{}}, tunable);
        for (const kernels::Tunable& other : variant.tunables) {
            if (tunable.name == "LOCAL_X" && other.name == "LOCAL_Y")
                coordinate = with_each(coordinate, other);
        }
        if (coordinate.size() > 1) result.push_back(std::move(coordinate));
    }
    return result;
}

std::string work_group_text(const TunableValues& values) {
    const Groups groups = groups_of(values, {1, 1}, 1).front();
    if (!values.contains("LOCAL_X")) return fmt::format("{}", groups.local[0]);
    return fmt::format("{}x{}", groups.local[0], groups.local[1]);
}

std::string others_text(const kernels::Variant& variant, const TunableValues& values) {
    std::string text;
    for (const kernels::Tunable& tunable : variant.tunables) {
        const bool shown = tunable.candidates.size() > 1 && tunable.name != "LOCAL" &&
                           tunable.name != "LOCAL_X" && tunable.name != "LOCAL_Y";
        if (!shown) continue;
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", tunable.name,
                            values.find(tunable.name)->second);
    }
    return text;
}

}  // namespace glint::tune
