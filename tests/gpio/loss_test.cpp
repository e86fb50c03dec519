// Bursts: what the kernel's queue keeps, and what is known of the edges that it does not.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "daemon/gpio/lines.hpp"
#include "tests/fakes/gpio_kernel.hpp"
#include "tests/gpio/bench.hpp"
#include "tests/gpio/support.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::test;
using glint::gpio::Edge;
using glint::gpio::InputLine;

TEST_GROUP(GpioLosses) {
    std::unique_ptr<GpioBench> bench = make_gpio_bench();
    std::string chip = bench->add_chip("glint-losses", {"glint-trigger"});
    const bool exact = InputLine::missed_is_exact();
    bool high = false;

    void toggle(int count) {
        for (int at = 0; at < count; ++at) bench->drive(chip, 0, high = !high);
    }
};

TEST(GpioLosses, ASecondOfAThousandEdgesFitsOrIsCounted) {
    InputLine line(input(chip, "glint-trigger"));
    toggle(1000);
    const std::vector<Edge> edges = take_waiting(line);
    LONGS_EQUAL(exact ? 1000 : 16, edges.size());
    LONGS_EQUAL(0, line.missed());  // an even number, lost together, does not show without numbers
    CHECK_FALSE(line.active());
}

TEST(GpioLosses, AnOddNumberThatWasLostShows) {
    InputLine line(input(chip, "glint-trigger"));
    toggle(16 + 31);
    const std::vector<Edge> edges = take_waiting(line);
    LONGS_EQUAL(exact ? 47 : 16, edges.size());
    LONGS_EQUAL(exact ? 0 : 1, line.missed());
    CHECK_TRUE(line.active());  // though the last edge read was a falling one, without numbers
    toggle(1);
    const std::vector<Edge> next = take_waiting(line);
    LONGS_EQUAL(1, next.size());
    CHECK_FALSE(next[0].rising);
    LONGS_EQUAL(exact ? 48 : 18, next[0].sequence);
    LONGS_EQUAL(exact ? 0 : 1, line.missed());
}

TEST(GpioLosses, WhatTheLongestQueueCannotKeepIsCountedExactly) {
    InputLine line(input(chip, "glint-trigger"));
    toggle(5001);
    const std::vector<Edge> edges = take_waiting(line);
    CHECK_TRUE(line.active());
    if (exact) {
        LONGS_EQUAL(1024, edges.size());
        LONGS_EQUAL(5001 - 1024, line.missed());
        LONGS_EQUAL(5001 - 1024 + 1, edges.front().sequence);
        LONGS_EQUAL(5001, edges.back().sequence);
    } else {
        LONGS_EQUAL(16, edges.size());
        LONGS_EQUAL(1, line.missed());
        LONGS_EQUAL(17, line.edges());
    }
}

TEST(GpioLosses, ALossInTheMiddleShowsByTwoEdgesOfOneDirection) {
    InputLine line(input(chip, "glint-trigger"));
    toggle(16 + 1);
    std::array<Edge, 1> one;
    LONGS_EQUAL(1, line.read(one));  // makes room for one
    toggle(1);
    const std::vector<Edge> edges = take_waiting(line);
    LONGS_EQUAL(exact ? 17 : 16, edges.size());
    CHECK_FALSE(edges.back().rising);
    LONGS_EQUAL(18, edges.back().sequence);
    LONGS_EQUAL(exact ? 0 : 1, line.missed());
    CHECK_FALSE(line.active());
}

TEST(GpioLosses, TenSecondsOfAThousandEdgesAreWholeForALoopThatIsBusyForHalfOfOne) {
    if (!exact) return;  // sixteen edges are no half second
    InputLine line(input(chip, "glint-trigger"));
    uint64_t sequence = 0;
    for (int halves = 0; halves < 20; ++halves) {
        toggle(500);
        for (const Edge& edge : take_waiting(line)) {
            LONGLONGS_EQUAL(++sequence, edge.sequence);
            CHECK_EQUAL(sequence % 2 == 1, edge.rising);
        }
    }
    LONGLONGS_EQUAL(10'000, sequence);
    LONGS_EQUAL(0, line.missed());
}

TEST_GROUP(PlayedGpioLosses) {
    glint::fakes::GpioKernel kernel;
    std::string chip = kernel.add_chip("soc", {"TRIGGER"});
    const bool exact = InputLine::missed_is_exact();

    void toggle(int count) {
        for (int at = 0; at < count; ++at) kernel.drive(chip, 0, !kernel.line(chip, 0).high);
    }
};

TEST(PlayedGpioLosses, AnEdgeUnderWayIsNoLoss) {
    InputLine line(input("", "TRIGGER"));
    toggle(16);
    kernel.hold_events();
    toggle(1);
    LONGS_EQUAL(16, take_waiting(line).size());
    kernel.release_events();
    const std::vector<Edge> edges = take_waiting(line);
    LONGS_EQUAL(1, edges.size());
    LONGS_EQUAL(17, edges[0].sequence);
    LONGS_EQUAL(0, line.missed());
    CHECK_TRUE(line.active());
}

TEST(PlayedGpioLosses, AnEdgeThatComesWithTheLevelIsNoLoss) {
    InputLine line(input("", "TRIGGER"));
    toggle(16);
    kernel.hold_events();
    toggle(1);
    kernel.level_asked = [this] { kernel.release_events(); };
    const std::vector<Edge> edges = take_waiting(line);
    kernel.level_asked = nullptr;
    LONGS_EQUAL(exact ? 16 : 17, edges.size());  // numbers make the question needless
    LONGS_EQUAL(0, line.missed());
    kernel.release_events();
    LONGS_EQUAL(17, edges.size() + take_waiting(line).size());
    LONGS_EQUAL(0, line.missed());
    CHECK_TRUE(line.active());
}

TEST(PlayedGpioLosses, TheLevelIsLookedAtOnlyAfterAFullQueue) {
    InputLine line(input("", "TRIGGER"));
    int asked = 0;
    kernel.level_asked = [&] { ++asked; };
    toggle(15);
    LONGS_EQUAL(15, take_waiting(line).size());
    LONGS_EQUAL(0, asked);
    toggle(1025);
    std::ignore = take_waiting(line);
    LONGS_EQUAL(1, asked);
    kernel.level_asked = nullptr;
}
