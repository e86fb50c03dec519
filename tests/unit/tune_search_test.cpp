// Which candidates glint-tune tries, and when it leaves the default.
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/expect.hpp"
#include "tools/tune/search.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::tune;
using glint::kernels::find;
using glint::kernels::Operator;
using glint::kernels::Variant;

namespace {

const Variant& local_copies = *find(Operator::histogram, "local_copies");
const Variant& private_counters = *find(Operator::histogram, "private_counters");
const Variant& march_rows = *find(Operator::convolution, "march_rows");
constexpr FrameSize full_hd{1920, 1080};

Limits gpu() {
    return {.cpu = false,
            .compute_units = 4,
            .local_bytes = 48 * 1024,
            .work_item = {1024, 64},
            .kernels = {{.work_group = 256, .multiple = 32}, {.work_group = 64, .multiple = 16}}};
}

TunableValues histogram(int32_t local, int32_t copies = 4, int32_t items = 256) {
    return {{"LOCAL", local}, {"COPIES", copies}, {"ITEMS_PER_UNIT", items}};
}

TunableValues two_passes(int32_t reduce_local) {
    TunableValues values = histogram(32);
    values.emplace("REDUCE_GLOBAL", 256);
    values.emplace("REDUCE_LOCAL", reduce_local);
    return values;
}

TunableValues march(int32_t x, int32_t y, int32_t rows = 16) {
    return {{"COLUMNS", 4}, {"ROWS", rows}, {"LOCAL_X", x}, {"LOCAL_Y", y}};
}

void check_why(const Variant& variant, const TunableValues& values, const Limits& limits,
               const char* part) {
    const std::string why = why_left_out(variant, values, full_hd, limits);
    if (*part == '\0') {
        STRCMP_EQUAL("", why.c_str());
    } else {
        STRCMP_CONTAINS(part, why.c_str());
    }
}

/// A space of three tunables whose best place is given; costs grow with the distance from it.
struct Landscape {
    TunableValues best;
    std::set<TunableValues> measured;
    size_t sweeps = 0;
    size_t most_sweeps = 100;

    Space space(size_t candidates) {
        Space result{.defaults = {{"A", 1}, {"B", 1}, {"C", 1}},
                     .coordinates = {},
                     .allowed = [](const TunableValues& values) { return values.at("A") != 3; }};
        for (const char* name : {"A", "B", "C"}) {
            Coordinate coordinate;
            for (size_t i = 1; i <= candidates; ++i)
                coordinate.push_back({{name, static_cast<int32_t>(i)}});
            result.coordinates.push_back(coordinate);
        }
        return result;
    }
    double cost(const TunableValues& values) const {
        double sum = 1;
        for (const auto& [name, value] : values) sum += std::abs(value - best.at(name));
        return sum;
    }
    std::vector<Trial> operator()(const std::vector<TunableValues>& candidates) {
        if (++sweeps > most_sweeps) return {};
        std::vector<Trial> trials;
        for (const TunableValues& values : candidates) {
            CHECK_TRUE_TEXT(measured.insert(values).second, "measured twice");
            CHECK_TRUE_TEXT(values.at("A") != 3, "not allowed");
            trials.push_back({values, cost(values), cost({{"A", 1}, {"B", 1}, {"C", 1}}), ""});
        }
        return trials;
    }
};

}  // namespace

TEST_GROUP(TuneCandidates){};

TEST(TuneCandidates, WorkGroupsAreMultiplesWithinTheLimits) {
    check_why(local_copies, histogram(64), gpu(), "");
    check_why(local_copies, histogram(256), gpu(), "");
    check_why(local_copies, histogram(512), gpu(), "256 work-items a group");
    check_why(local_copies, histogram(16), gpu(), "no multiple of 32");
    check_why(march_rows, march(16, 2), gpu(), "");
    check_why(march_rows, march(8, 2), gpu(), "no multiple of 32");
    check_why(march_rows, march(128, 4), gpu(), "256 work-items a group");
    Limits narrow = gpu();
    narrow.work_item[1] = 1;
    check_why(march_rows, march(16, 2), narrow, "1 work-items at most in dimension 1");
}

TEST(TuneCandidates, OnACpuAnySizeMayBeBest) {
    Limits cpu = gpu();
    cpu.cpu = true;
    check_why(local_copies, histogram(1, 4, 4), cpu, "");
    check_why(march_rows, march(1, 1), cpu, "");
    check_why(local_copies, histogram(512), cpu, "256 work-items a group");
}

TEST(TuneCandidates, AThirdOfTheLocalMemoryAtMost) {
    check_why(local_copies, histogram(256, 16), gpu(), "");
    check_why(local_copies, histogram(256, 32), gpu(), "32768 of 49152 bytes");
    // Its copies are private.
    check_why(private_counters, histogram(32, 32), gpu(), "");
}

TEST(TuneCandidates, FourWorkGroupsAtLeast) {
    check_why(local_copies, histogram(256, 4, 256), gpu(), "");
    check_why(local_copies, histogram(256, 4, 128), gpu(), "only 2 work-groups");
    check_why(march_rows, march(128, 2, 64), gpu(), "");  // 4 x 9
    STRCMP_CONTAINS("only 3 work-groups",
                    why_left_out(march_rows, march(128, 2, 64), {1280, 128}, gpu()).c_str());
}

TEST(TuneCandidates, TheSecondKernelHasLimitsOfItsOwn) {
    check_why(private_counters, two_passes(16), gpu(), "");
    check_why(private_counters, two_passes(64), gpu(), "");
    check_why(private_counters, two_passes(256), gpu(), "64 work-items a group");
    Limits large = gpu();
    large.kernels[1].work_group = 256;
    check_why(private_counters, two_passes(256), large, "only 1 work-groups");
}

TEST(TuneCandidates, ShapesAreOneCoordinateAndFixedTunablesNone) {
    const std::vector<Coordinate> coordinates = coordinates_of(march_rows);
    LONGS_EQUAL(2, coordinates.size());
    size_t shapes = 0;
    for (const Coordinate& coordinate : coordinates) {
        for (const TunableValues& change : coordinate) {
            CHECK_FALSE(change.contains("COLUMNS"));
            shapes += change.contains("LOCAL_X") && change.contains("LOCAL_Y") ? 1 : 0;
        }
    }
    LONGS_EQUAL(6 * 4, shapes);
    LONGS_EQUAL(3, coordinates_of(local_copies).size());
}

TEST(TuneCandidates, Texts) {
    STRCMP_EQUAL("16x2", work_group_text(march(16, 2)).c_str());
    STRCMP_EQUAL("ROWS=16", others_text(march_rows, march(16, 2)).c_str());
    STRCMP_EQUAL("64", work_group_text(histogram(64)).c_str());
    STRCMP_EQUAL("ITEMS_PER_UNIT=256 COPIES=4", others_text(local_copies, histogram(64)).c_str());
}

TEST_GROUP(TuneSearch) {
    Landscape landscape{.best = {{"A", 1}, {"B", 1}, {"C", 1}}, .measured = {}};
    std::vector<Trial> trials_of(size_t candidates, std::vector<Trial> known = {}) {
        return search(landscape.space(candidates), std::move(known),
                      [this](const auto& wanted) { return landscape(wanted); });
    }
};

TEST(TuneSearch, FewCandidatesAreAllTried) {
    landscape.best = {{"A", 2}, {"B", 2}, {"C", 1}};
    const std::vector<Trial> trials = trials_of(2);
    LONGS_EQUAL(8, trials.size());
    CHECK_TRUE(best_of(trials)->values == landscape.best);
    LONGS_EQUAL(8, expected_trials(landscape.space(2)));
}

TEST(TuneSearch, ManyAreTriedAlongOneCoordinateAfterTheOther) {
    landscape.best = {{"A", 5}, {"B", 2}, {"C", 6}};
    const std::vector<Trial> trials = trials_of(7);
    CHECK_TRUE(best_of(trials)->values == landscape.best);
    CHECK_TRUE_TEXT(trials.size() < 30, "not the product of 294");
}

TEST(TuneSearch, KnownTrialsAreNotMeasuredAgain) {
    landscape.best = {{"A", 5}, {"B", 2}, {"C", 6}};
    landscape.most_sweeps = 2;
    const std::vector<Trial> stopped = trials_of(7);
    const size_t before = landscape.measured.size();
    CHECK_TRUE(before > 1 && before < 10);
    landscape.most_sweeps = 100;
    const std::vector<Trial> all = trials_of(7, stopped);  // would fail on a repeated one
    CHECK_TRUE(best_of(all)->values == landscape.best);
    LONGS_EQUAL(landscape.measured.size(), all.size());
}

TEST(TuneSearch, ACandidateThatIsWrongIsNeverTheBest) {
    std::vector<Trial> trials{{{{"A", 1}}, 2, 2, ""}, {{{"A", 2}}, 0, 2, "bin 3 differs"}};
    CHECK_TRUE(best_of(trials)->values.at("A") == 1);
    trials.erase(trials.begin());
    POINTERS_EQUAL(nullptr, best_of(trials));
}

TEST(TuneSearch, TheBestIsMeasuredBesideTheDefaultOfItsOwnSweep) {
    // The second sweep met a machine twice as slow.
    const std::vector<Trial> trials{{{{"A", 1}}, 2, 2, ""}, {{{"A", 2}}, 3, 4, ""}};
    CHECK_TRUE(best_of(trials)->values.at("A") == 2);
}

TEST_GROUP(TuneDecision){};

TEST(TuneDecision, MedianAndItsError) {
    DOUBLES_EQUAL(3, sample_of({5, 1, 3, 2, 900}).median, 1e-12);
    DOUBLES_EQUAL(0, sample_of({4, 4, 4}).error, 1e-12);
    // Distances from 3: 2 2 1 1 0, their median 1; a disturbed run changes nothing.
    DOUBLES_EQUAL(1.2533 * 1.4826 / std::sqrt(5.0), sample_of({1, 2, 3, 4, 5}).error, 1e-9);
    DOUBLES_EQUAL(1.2533 * 1.4826 / std::sqrt(5.0), sample_of({1, 2, 3, 4, 500}).error, 1e-9);
}

TEST(TuneDecision, TheDefaultIsKeptUnlessACandidateIsClearlyBetter) {
    CHECK_TRUE(clearly_better({.median = 94, .error = 0.5}, {.median = 100, .error = 0.5}));
    CHECK_FALSE(clearly_better({.median = 96, .error = 0}, {.median = 100, .error = 0}));
    CHECK_FALSE(clearly_better({.median = 90, .error = 3}, {.median = 100, .error = 3}));
    CHECK_FALSE(clearly_better({.median = 110, .error = 0}, {.median = 100, .error = 0}));
}
