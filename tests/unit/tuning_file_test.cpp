// The tuning file: what is read, what is refused, what is written.
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/gpu/tuning.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::gpu;
using glint::ConfigError;
using glint::kernels::Operator;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

const TuningKey histogram_key{.device = "GC7000L.6214",
                              .driver = "6.4 \"beta\"\\",
                              .size = {1920, 1080},
                              .op = Operator::histogram,
                              .filter_size = 0,
                              .variant = "private_counters"};
const TunedVariant histogram_figures{.tunables = {{"COPIES", 8}, {"LOCAL", 16}},
                                     .ms = 1.25,
                                     .default_ms = 1.5,
                                     .wall_ms = 2,
                                     .cpu_ms = 3};

TuningKey convolution_key(uint32_t filter_size, const char* variant) {
    TuningKey key = histogram_key;
    key.op = Operator::convolution;
    key.filter_size = filter_size;
    key.variant = variant;
    return key;
}

void check_refused(const std::string& text, std::initializer_list<std::string_view> parts) {
    const std::string why = text_thrown<ConfigError>([&] { (void)parse_tuning(text, "t.toml"); });
    STRCMP_EQUAL("", missing_in(why, parts).c_str());
}

/// The keys of an entry, with one of them replaced.
std::string entry(const std::string& table, const std::string& line = "") {
    std::string text = "[gc.drv." + table + "]\n";
    const std::string name = line.substr(0, line.find(' '));
    for (const std::string key : {"ms", "default_ms", "wall_ms", "cpu_ms"}) {
        text += key == name ? line + "\n" : key + " = 1.0\n";
    }
    return text + (name == "tunables" ? line : "tunables = { LOCAL = 16 }") + "\n";
}

}  // namespace

TEST_GROUP(TuningFile){};

TEST(TuningFile, WhatIsWrittenIsReadAgain) {
    Tuning tuning;
    tuning[histogram_key] = histogram_figures;
    TunedVariant rows = histogram_figures;
    rows.tunables = {{"LOCAL_X", 16}, {"LOCAL_Y", 2}, {"ROWS", 32}};
    tuning[convolution_key(3, "int_rows")] = rows;
    tuning[convolution_key(5, "int_rows")] = rows;
    const Tuning read = parse_tuning(format_tuning(tuning), "f.toml");
    LONGS_EQUAL(3, read.size());
    for (const auto& [key, figures] : tuning) {
        const TunedVariant& again = read.at(key);
        CHECK_TRUE(figures.tunables == again.tunables);
        DOUBLES_EQUAL(figures.ms, again.ms, 1e-9);
        DOUBLES_EQUAL(figures.default_ms, again.default_ms, 1e-9);
        DOUBLES_EQUAL(figures.wall_ms, again.wall_ms, 1e-9);
        DOUBLES_EQUAL(figures.cpu_ms, again.cpu_ms, 1e-9);
        STRCMP_EQUAL("f.toml", again.file.c_str());
    }
}

TEST(TuningFile, AClockThatIsTooCoarseLeavesAFileThatCanBeRead) {
    Tuning tuning;
    tuning[histogram_key] = histogram_figures;
    tuning[histogram_key].ms = 0;
    CHECK_TRUE(parse_tuning(format_tuning(tuning), "").at(histogram_key).ms > 0);
}

TEST(TuningFile, NothingIsNoEntryAndNoError) {
    LONGS_EQUAL(0, parse_tuning("", "").size());
    LONGS_EQUAL(0, parse_tuning(format_tuning({}), "").size());
}

TEST(TuningFile, UnknownKeysArePassedOver) {
    const std::string text = entry("640x480.histogram.private_counters") + "weather = \"fine\"\n";
    LONGS_EQUAL(1, parse_tuning(text, "").size());
}

TEST(TuningFile, RefusesWithPlaceAndReason) {
    check_refused("[x\n", {"t.toml:", ":"});
    check_refused("[gc.drv.640x480x3.histogram.private_counters]\n", {"t.toml:1:", "640x480x3"});
    check_refused("[gc.drv.0x480.histogram.private_counters]\n", {"0x480", "1920x1080"});
    check_refused("[gc.drv.640x480.blur.private_counters]\n", {"t.toml:1:", "operator blur"});
    check_refused(entry("640x480.histogram.magic"), {"t.toml:1:", "no histogram variant magic"});
    check_refused(entry("640x480.convolution.3x5.int_rows"), {"3x5", "no filter size"});
    check_refused("\ngc = 1\n", {"t.toml:2:", "gc is expected to be a table"});
}

TEST(TuningFile, RefusesValuesThatTheKernelsPromiseNothingFor) {
    const char* table = "640x480.histogram.private_counters";
    check_refused(entry(table, "tunables = { COPIES = 3 }"), {"t.toml:6:", "COPIES", "4, 8"});
    check_refused(entry(table, "tunables = { COPIES = \"8\" }"), {"COPIES", "4, 8"});
    check_refused(entry(table, "tunables = { ROWS = 8 }"), {"no tunable ROWS"});
    check_refused(entry(table, "tunables = 8"), {"tunables", "a table of values"});
    check_refused(entry(table, "ms = 0"), {"t.toml:2:", "ms = 0"});
    check_refused(entry(table, "ms = -1.5"), {"ms = -1.5"});
    check_refused(entry(table, "cpu_ms = \"fast\""), {"t.toml:5:", "cpu_ms = "});
    check_refused("[gc.drv.640x480.histogram.private_counters]\n", {"ms is missing"});
}

TEST(TuningFile, LaterFilesComeOverEarlierOnesAndABadOneOnlyLosesItself) {
    const glint::fakes::TemporaryFolder folder;
    const char* table = "640x480.histogram.private_counters";
    const auto shipped =
        folder.write("shipped.toml", entry(table) + entry("640x480.histogram.global_counters"));
    const auto own = folder.write("own.toml", entry(table, "ms = 0.5"));
    const auto bad = folder.write("bad.toml", "[");
    std::vector<std::string> problems;
    const Tuning tuning = load_tuning({folder.file("absent.toml"), shipped, bad, own}, problems);
    LONGS_EQUAL(2, tuning.size());
    TuningKey key{
        .device = "gc", .driver = "drv", .size = {640, 480}, .variant = "private_counters"};
    DOUBLES_EQUAL(0.5, tuning.at(key).ms, 1e-9);
    STRCMP_EQUAL(own.c_str(), tuning.at(key).file.c_str());
    key.variant = "global_counters";
    STRCMP_EQUAL(shipped.c_str(), tuning.at(key).file.c_str());
    LONGS_EQUAL(1, problems.size());
    STRCMP_EQUAL("", missing_in(problems[0], {"bad.toml:1:"}).c_str());
}

TEST(TuningFile, FrameSizesAsText) {
    STRCMP_EQUAL("1920x1080", to_string(FrameSize{1920, 1080}).c_str());
    STRCMP_EQUAL("65535x1", to_string(parse_frame_size("65535x1").value_or(FrameSize{})).c_str());
    for (const char* wrong : {"", "x", "640", "640x", "x480", "640x480 ", "65536x1", "-1x5",
                              "640x4294967297", "640X480"}) {
        CHECK_FALSE_TEXT(parse_frame_size(wrong).has_value(), wrong);
    }
}
