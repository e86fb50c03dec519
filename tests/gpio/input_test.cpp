// Lines that are watched: levels, edges and their times, losses, removal.
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "daemon/gpio/lines.hpp"
#include "tests/fakes/gpio_kernel.hpp"
#include "tests/gpio/bench.hpp"
#include "tests/gpio/support.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::test;
using glint::gpio::Bias;
using glint::gpio::Edge;
using glint::gpio::InputLine;
using glint::gpio::InputSpec;

TEST_GROUP(GpioInputs) {
    std::unique_ptr<GpioBench> bench = make_gpio_bench();
    std::string chip = bench->add_chip("glint-inputs", {"glint-a", "glint-b"});

    void pulses(unsigned offset, int count) const {
        for (int at = 0; at < count; ++at) {
            bench->drive(chip, offset, true);
            bench->drive(chip, offset, false);
        }
    }
};

TEST(GpioInputs, TheLevelIsKnownAtOnce) {
    bench->drive(chip, 0, true);
    bench->drive(chip, 1, false);
    InputLine a(input(chip, "glint-a"));
    InputLine b(input(chip, "glint-b"));
    CHECK_TRUE(a.active());
    CHECK_FALSE(b.active());
    CHECK_FALSE(readable(a.fd()));
    LONGS_EQUAL(0, take_waiting(a).size());
    LONGS_EQUAL(0, a.edges());
    LONGS_EQUAL(0, a.missed());
}

TEST(GpioInputs, ActiveLowTurnsLevelsAndEdgesRound) {
    bench->drive(chip, 0, true);
    InputSpec spec = input(chip, "glint-a");
    spec.active_low = true;
    InputLine line(spec);
    CHECK_FALSE(line.active());
    bench->drive(chip, 0, false);
    std::vector<Edge> edges = take_edges(line, 1);
    LONGS_EQUAL(1, edges.size());
    CHECK_TRUE(edges[0].rising);
    CHECK_TRUE(line.active());
    bench->drive(chip, 0, true);
    edges = take_edges(line, 1);
    LONGS_EQUAL(1, edges.size());
    CHECK_FALSE(edges[0].rising);
    CHECK_FALSE(line.active());
}

TEST(GpioInputs, BiasPullsAnOpenLine) {
    InputSpec spec = input(chip, "glint-a");
    for (const bool up : {true, false, true}) {
        spec.bias = up ? Bias::pull_up : Bias::pull_down;
        CHECK_EQUAL(up, InputLine(spec).active());
    }
    spec.bias = Bias::disabled;
    CHECK_TRUE(InputLine(spec).active());  // as it was left
}

TEST(GpioInputs, AnEdgeHasTheKernelsTimeItsDirectionAndItsNumber) {
    InputLine line(input(chip, "glint-a"));
    uint64_t before = now_nsec();
    for (uint64_t sequence = 1; sequence <= 6; ++sequence) {
        const bool high = sequence % 2 == 1;
        bench->drive(chip, 0, high);
        CHECK_TRUE(becomes_readable(line.fd()));
        const uint64_t after = now_nsec();
        const std::vector<Edge> edges = take_edges(line, 1);
        LONGS_EQUAL(1, edges.size());
        CHECK_TRUE(edges[0].timestamp_nsec >= before);
        CHECK_TRUE(edges[0].timestamp_nsec <= after);
        CHECK_EQUAL(high, edges[0].rising);
        CHECK_EQUAL(high, line.active());
        LONGS_EQUAL(sequence, edges[0].sequence);
        LONGS_EQUAL(sequence, line.edges());
        CHECK_FALSE(readable(line.fd()));
        before = after;
    }
    LONGS_EQUAL(0, line.missed());
}

TEST(GpioInputs, LinesAreCountedApart) {
    InputLine a(input(chip, "glint-a"));
    InputLine b(input(chip, "glint-b"));
    pulses(1, 1);
    LONGS_EQUAL(2, take_edges(b, 2).size());
    CHECK_FALSE(readable(a.fd()));
    pulses(0, 1);
    LONGS_EQUAL(2, take_edges(a, 2).back().sequence);
    LONGS_EQUAL(2, b.edges());
}

TEST(GpioInputs, ASmallSpanTakesThemInTurns) {
    InputLine line(input(chip, "glint-a"));
    pulses(0, 4);
    std::array<Edge, 3> some;
    uint64_t sequence = 0;
    while (sequence < 8 && becomes_readable(line.fd())) {
        const size_t got = line.read(some);
        for (size_t at = 0; at < got; ++at) LONGS_EQUAL(++sequence, some[at].sequence);
    }
    LONGS_EQUAL(8, sequence);
    LONGS_EQUAL(0, line.read(some));
    LONGS_EQUAL(0, line.read({}));
    LONGS_EQUAL(0, line.missed());
}

TEST(GpioInputs, TheKernelKeepsSixteenEdgesEitherWay) {
    InputLine line(input(chip, "glint-a"));
    pulses(0, 8);
    const std::vector<Edge> edges = take_edges(line, 16);
    LONGS_EQUAL(16, edges.size());
    for (size_t at = 0; at < 16; ++at) CHECK_EQUAL(at % 2 == 0, edges[at].rising);
    LONGS_EQUAL(0, line.missed());
    CHECK_FALSE(line.active());
}

TEST(GpioInputs, ABusyLineNamesItsHolder) {
    const InputLine holder(input(chip, "glint-a"));
    STRCMP_EQUAL("busy", refusal([&] { const InputLine line(input(chip, "0")); },
                                 {"line \"glint-a\" (" + chip + " 0)", "held by \"glintd\""})
                             .c_str());
}

TEST(GpioInputs, ALineIsFreeAgainAfterwards) {
    const size_t before = open_descriptors();
    for (int at = 0; at < 1000; ++at) {
        const InputLine line(input(chip, "glint-a"));
        CHECK_FALSE(line.ended());
    }
    LONGS_EQUAL(before, open_descriptors());
}

TEST(GpioInputs, ARemovedChipEndsTheLine) {
    InputLine line(input(chip, "glint-a"));
    pulses(0, 1);
    LONGS_EQUAL(2, take_edges(line, 2).size());
    CHECK_TRUE(line.check());
    bench->remove_chip(chip);
    CHECK_FALSE(line.check());
    CHECK_TRUE(line.ended());
    STRCMP_EQUAL("absent", name_of(line.failure().kind()));
    LONGS_EQUAL(ENODEV, line.failure().code());
    STRCMP_EQUAL("",
                 missing_in(line.failure().what(), {"line \"glint-a\"", "chip has gone"}).c_str());
    LONGS_EQUAL(0, take_waiting(line).size());
    LONGS_EQUAL(2, line.edges());
}

TEST(GpioInputs, DebouncingNeedsTheSecondLibrary) {
    InputSpec spec = input(chip, "glint-a");
    spec.debounce = std::chrono::microseconds(5000);
    if (InputLine::missed_is_exact()) {
        CHECK_FALSE(InputLine(spec).active());
    } else {
        STRCMP_EQUAL("unsupported", refusal([&] { const InputLine line(spec); },
                                            {"debounce_us = 5000", "\"glint-a\"",
                                             "needs libgpiod 2, this is 1.", "filter in hardware"})
                                        .c_str());
    }
}

TEST(GpioInputs, TheLibraryNamesItself) {
    STRCMP_EQUAL(InputLine::missed_is_exact() ? "libgpiod 2." : "libgpiod 1.",
                 glint::gpio::library_version().substr(0, 11).c_str());
}

TEST_GROUP(PlayedGpioInputs) {
    glint::fakes::GpioKernel kernel;
    std::string chip = kernel.add_chip("soc", {"TRIGGER", "DOOR"});
    const bool exact = InputLine::missed_is_exact();

    void toggle(int count) {
        for (int at = 0; at < count; ++at) kernel.drive(chip, 0, !kernel.line(chip, 0).high);
    }
    static std::string refused(std::initializer_list<std::string_view> parts) {
        return refusal([] { const InputLine line(input("", "TRIGGER")); }, parts);
    }
};

TEST(PlayedGpioInputs, TheKernelIsToldWhatTheConfigurationSays) {
    InputSpec spec = input("", "TRIGGER");
    {
        const InputLine line(spec);
        const auto& told = kernel.line(chip, 0);
        STRCMP_EQUAL("glintd", told.consumer.c_str());
        LONGLONGS_EQUAL(GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING |
                            GPIO_V2_LINE_FLAG_EDGE_FALLING,
                        told.flags);
        LONGS_EQUAL(0, told.debounce_usec);
    }
    CHECK_FALSE(kernel.line(chip, 0).held);
    spec.active_low = true;
    constexpr std::pair<Bias, uint64_t> words[] = {
        {Bias::as_is, 0},
        {Bias::disabled, GPIO_V2_LINE_FLAG_BIAS_DISABLED},
        {Bias::pull_up, GPIO_V2_LINE_FLAG_BIAS_PULL_UP},
        {Bias::pull_down, GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN}};
    for (const auto& [bias, flag] : words) {
        spec.bias = bias;
        const InputLine line(spec);
        LONGLONGS_EQUAL(flag | GPIO_V2_LINE_FLAG_ACTIVE_LOW | GPIO_V2_LINE_FLAG_INPUT |
                            GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING,
                        kernel.line(chip, 0).flags);
    }
}

TEST(PlayedGpioInputs, DebouncePeriodsReachTheKernelWhole) {
    if (!exact) return;  // refused, as another test shows
    InputSpec spec = input("", "TRIGGER");
    for (const uint32_t period : {1U, 5000U, 4'294'967'295U}) {
        spec.debounce = std::chrono::microseconds(period);
        const InputLine line(spec);
        LONGLONGS_EQUAL(period, kernel.line(chip, 0).debounce_usec);
    }
    for (const int64_t period : {int64_t{-1}, int64_t{4'294'967'296}}) {
        spec.debounce = std::chrono::microseconds(period);
        STRCMP_EQUAL("unsupported",
                     refusal([&] { const InputLine line(spec); },
                             {"debounce_us = " + std::to_string(period), "0 to 4294967295"})
                         .c_str());
    }
}

TEST(PlayedGpioInputs, AnotherProgramOrADriverIsNamedAsHolder) {
    kernel.line(chip, 0).held = true;
    kernel.line(chip, 0).consumer = "gpiomon";
    STRCMP_EQUAL("busy", refused({"held by \"gpiomon\""}).c_str());
    kernel.line(chip, 0).consumer = "";
    STRCMP_EQUAL("busy", refused({"that gives no name"}).c_str());
}

TEST(PlayedGpioInputs, ALineWithoutInterruptsIsRefused) {
    kernel.line(chip, 0).interrupts = false;
    STRCMP_EQUAL("unsupported", refused({"\"TRIGGER\"", "gives no interrupts"}).c_str());
}

TEST(PlayedGpioInputs, ARefusalSaysWhatToDo) {
    kernel.line(chip, 0).refusal = EPERM;
    STRCMP_EQUAL("denied", refused({"line \"TRIGGER\" (gpiochip0 0) cannot be taken as an input",
                                    "its chip keeps it"})
                               .c_str());
    kernel.line(chip, 0).refusal = EINVAL;
    STRCMP_EQUAL("unsupported", refused({"(Invalid argument): take another line"}).c_str());
    kernel.line(chip, 0).refusal = EIO;
    STRCMP_EQUAL("failed", refused({"(Input/output error)", "`gpioinfo`"}).c_str());
}

TEST(PlayedGpioInputs, AChipThatGoesBeforeItsLineIsTakenIsAbsent) {
    kernel.line_requested = [this] { kernel.remove_chip(chip); };
    STRCMP_EQUAL("absent", refused({"\"TRIGGER\"", "its chip has gone"}).c_str());
}

TEST(PlayedGpioInputs, AKernelWithoutBiasIsNamed) {
    if (exact) return;  // whose kernels all have it
    kernel.traits.has_bias = false;
    InputSpec spec = input("", "TRIGGER");
    spec.bias = Bias::pull_up;
    STRCMP_EQUAL(
        "unsupported",
        refusal([&] { const InputLine line(spec); }, {"\"TRIGGER\"", "bias (Linux 5.5)"}).c_str());
}

TEST(PlayedGpioInputs, TimesAreMonotonicOnOldKernelsToo) {
    kernel.traits.realtime_stamps = true;
    InputLine line(input("", "TRIGGER"));
    const uint64_t before = now_nsec();
    toggle(3);
    const std::vector<Edge> edges = take_waiting(line);
    const uint64_t after = now_nsec();
    LONGS_EQUAL(3, edges.size());
    constexpr uint64_t reading_two_clocks_nsec = 50'000'000;  // on a busy machine
    uint64_t last = before - reading_two_clocks_nsec;
    for (const Edge& edge : edges) {
        CHECK_TRUE(edge.timestamp_nsec >= last);
        CHECK_TRUE(edge.timestamp_nsec <= after + reading_two_clocks_nsec);
        last = edge.timestamp_nsec;
    }
}

TEST(PlayedGpioInputs, RemovalWakesTheReader) {
    InputLine line(input("", "TRIGGER"));
    toggle(2);
    kernel.remove_chip(chip);
    CHECK_TRUE(readable(line.fd()));
    LONGS_EQUAL(0, take_waiting(line).size());
    CHECK_TRUE(line.ended());
    STRCMP_EQUAL("absent", name_of(line.failure().kind()));
    STRCMP_EQUAL("absent", refused({"no GPIO chip"}).c_str());
}

TEST(PlayedGpioInputs, OnOldKernelsARemovalShowsWhenAsked) {
    kernel.traits.ends_reads = false;
    InputLine line(input("", "TRIGGER"));
    toggle(2);
    kernel.remove_chip(chip);
    LONGS_EQUAL(2, take_waiting(line).size());
    CHECK_FALSE(readable(line.fd()));
    CHECK_FALSE(line.ended());
    CHECK_FALSE(line.check());
    STRCMP_EQUAL("absent", name_of(line.failure().kind()));
}

TEST(PlayedGpioInputs, ARemovalAfterALossEndsTheLineWithItsEdges) {
    kernel.traits.ends_reads = false;
    InputLine line(input("", "TRIGGER"));
    toggle(1025);
    kernel.remove_chip(chip);
    LONGS_EQUAL(exact ? 1024 : 16, take_waiting(line).size());
    CHECK_TRUE(line.ended());  // the level could not be read
}
