#include "tools/bench/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/bench/timing.hpp"

namespace glint::bench {
namespace {

using nlohmann::json;

constexpr double least_change = 0.05;

double seconds_per(const std::string& unit) {
    if (unit == "ns") return 1e-9;
    if (unit == "us") return 1e-6;
    if (unit == "ms") return 1e-3;
    if (unit == "s") return 1;
    throw BaselineError(fmt::format("the time unit \"{}\" is none of ns, us, ms, s", unit));
}

/// The row's figure; nothing for one that was skipped or failed.
std::optional<Figure> figure_of(const json& row) {
    if (row.value("error_occurred", false)) return std::nullopt;
    return Figure{row.value("run_name", row.at("name").get<std::string>()),
                  row.at("real_time").get<double>() * seconds_per(row.value("time_unit", "ns")),
                  row.value("spread", 0.0), row.value("x_floor", 0.0)};
}

/// Beyond noise, that is by more than `noise`.
Change change_of(double ratio, double noise) {
    if (ratio > 1 + noise) return Change::slower;
    return ratio < 1 / (1 + noise) ? Change::faster : Change::within_noise;
}

Pair make_pair(const Figure& then, const Figure& now) {
    Pair pair{.name = now.name, .then_sec = then.seconds, .now_sec = now.seconds};
    if (then.seconds <= 0) return pair;
    const double noise = std::max(least_change, then.spread + now.spread);
    pair.ratio = now.seconds / then.seconds;
    pair.change = change_of(pair.ratio, noise);
    if (then.x_floor <= 0 || now.x_floor <= 0) return pair;
    pair.floor_ratio = now.x_floor / then.x_floor;
    if (change_of(pair.floor_ratio, noise) != pair.change) pair.change = Change::within_noise;
    return pair;
}

const char* mark_of(Change change) {
    switch (change) {
        case Change::within_noise:
            return "";
        case Change::faster:
            return "  + faster";
        case Change::slower:
            return "  ! slower";
        case Change::only_then:
            return "  - only in the baseline";
        case Change::only_now:
            break;
    }
    return "  - only in this run";
}

std::string ratio_text(double ratio) {
    return ratio > 0 ? fmt::format("{:.3f}", ratio) : std::string();
}

std::string microseconds(const std::optional<double>& seconds) {
    return seconds ? fmt::format("{:.4g} us", *seconds * 1e6) : std::string();
}

/// Without what Google Benchmark appends to all of our names.
std::string_view short_name(std::string_view name) {
    constexpr std::string_view tail = "/iterations:1/manual_time";
    return name.substr(0, name.size() - (name.ends_with(tail) ? tail.size() : 0));
}

}  // namespace

std::vector<Figure> merged(const std::vector<Figure>& repetitions) {
    struct Repeated {
        std::vector<double> seconds;
        std::vector<double> x_floor;
    };
    std::vector<Figure> result;
    std::map<std::string, Repeated> rows;
    for (const Figure& one : repetitions) {
        Repeated& row = rows[one.name];
        if (row.seconds.empty()) result.push_back(one);
        row.seconds.push_back(one.seconds);
        row.x_floor.push_back(one.x_floor);
        Figure& kept = *std::ranges::find(result, one.name, &Figure::name);
        kept.seconds = median(row.seconds);
        kept.x_floor = median(row.x_floor);
        kept.spread = std::max(kept.spread, one.spread);
    }
    return result;
}

std::vector<Figure> parse_figures(std::string_view text) {
    std::vector<Figure> iterations;
    std::vector<Figure> medians;
    try {
        const json document = json::parse(text);
        for (const json& row : document.at("benchmarks")) {
            const std::optional<Figure> figure = figure_of(row);
            if (!figure) continue;
            if (row.value("run_type", "iteration") == "iteration") iterations.push_back(*figure);
            if (row.value("aggregate_name", "") == "median") medians.push_back(*figure);
        }
    } catch (const json::exception& error) {
        throw BaselineError(
            fmt::format("not the JSON that --benchmark_out writes ({}); save a run with "
                        "--benchmark_out=FILE",
                        error.what()));
    }
    return merged(iterations.empty() ? medians : iterations);
}

std::vector<Figure> read_figures(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        throw BaselineError(fmt::format("{}: cannot be read, or is empty", path));
    }
    try {
        return parse_figures(text.str());
    } catch (const BaselineError& error) {
        throw BaselineError(fmt::format("{}: {}", path, error.what()));
    }
}

std::vector<Pair> compare(const std::vector<Figure>& then, const std::vector<Figure>& now) {
    std::vector<Pair> pairs;
    for (const Figure& one : now) {
        const auto before = std::ranges::find(then, one.name, &Figure::name);
        if (before != then.end()) {
            pairs.push_back(make_pair(*before, one));
        } else {
            pairs.push_back({.name = one.name, .now_sec = one.seconds, .change = Change::only_now});
        }
    }
    for (const Figure& one : then) {
        if (std::ranges::find(now, one.name, &Figure::name) != now.end()) continue;
        pairs.push_back({.name = one.name, .then_sec = one.seconds, .change = Change::only_then});
    }
    return pairs;
}

std::string text_of(const std::vector<Pair>& pairs) {
    size_t width = 4;
    for (const Pair& pair : pairs) width = std::max(width, short_name(pair.name).size());
    std::string text = fmt::format("{:<{}} {:>12} {:>12} {:>7} {:>7}\n", "row", width, "then",
                                   "now", "ratio", "x_floor");
    std::map<Change, size_t> counts;
    for (const Pair& pair : pairs) {
        ++counts[pair.change];
        text +=
            fmt::format("{:<{}} {:>12} {:>12} {:>7} {:>7}{}\n", short_name(pair.name), width,
                        microseconds(pair.then_sec), microseconds(pair.now_sec),
                        ratio_text(pair.ratio), ratio_text(pair.floor_ratio), mark_of(pair.change));
    }
    return text + fmt::format(
                      "{} faster, {} slower, {} within noise, {} only in the baseline, "
                      "{} only in this run\n",
                      counts[Change::faster], counts[Change::slower], counts[Change::within_noise],
                      counts[Change::only_then], counts[Change::only_now]);
}

size_t count_slower_than(const std::vector<Pair>& pairs, double percent) {
    return static_cast<size_t>(std::ranges::count_if(pairs, [&](const Pair& pair) {
        return pair.change == Change::slower && pair.ratio > 1 + percent / 100;
    }));
}

}  // namespace glint::bench
