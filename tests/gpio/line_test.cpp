// The service's lines on the loop: edges, losses of a chip and their healing, alarms and strobes.
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "daemon/failure.hpp"
#include "daemon/line.hpp"
#include "tests/fakes/gpio_kernel.hpp"
#include "tests/fakes/turn.hpp"
#include "tests/gpio/bench.hpp"
#include "tests/gpio/support.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using glint::fakes::turn_until;
using glint::fakes::turn_while_busy;
using glint::test::missing_in;

TEST_GROUP(Lines) {
    std::unique_ptr<test::GpioBench> bench = test::make_gpio_bench();
    std::string chip = bench->add_chip("glint-lines", {"glint-in", "glint-out"});
    Loop loop;
    std::vector<gpio::Edge> edges;
    std::vector<std::string> problems;  ///< after each change
    std::unique_ptr<Line> line;

    Line& open(LineConfig config) {
        config.name = "l";
        if (config.chip.empty()) config.chip = chip;
        line = std::make_unique<Line>(loop, config,
                                      [this](const gpio::Edge& edge) { edges.push_back(edge); });
        line->listen({.edge = {}, .changed = [this] { problems.push_back(line->problem()); }});
        line->open();
        return *line;
    }
    LineConfig trigger() const {
        return {.role = LineRole::trigger, .line = "glint-in"};
    }
    LineConfig output(LineRole role) const {
        return {.role = role, .line = "glint-out"};
    }
    bool level() {
        return bench->level(chip, 1);
    }
    [[nodiscard]] bool has_edges(size_t count) {
        return turn_until(loop, [&] { return edges.size() >= count; });
    }
};

TEST(Lines, EveryEdgeComesAndIsCounted) {
    Line& input = open(trigger());
    STRCMP_EQUAL("", input.problem().c_str());
    for (int i = 0; i < 6; ++i) {
        bench->drive(chip, 0, i % 2 == 0);
        CHECK_TRUE(has_edges(static_cast<size_t>(i) + 1));
    }
    for (size_t i = 0; i < edges.size(); ++i) {
        CHECK_EQUAL(i % 2 == 0, edges[i].rising);
        LONGS_EQUAL(i + 1, edges[i].sequence);
    }
    LONGS_EQUAL(6, input.edges());
    LONGS_EQUAL(0, input.missed());
    CHECK_FALSE(input.active());
}

TEST(Lines, TenSecondsOfAThousandEdgesASecondAreWhole) {
    using std::chrono::steady_clock;
    // A kernel that is played takes no time, and libgpiod 1.6 has it keep sixteen edges.
    if (!test::simulated_by_kernel() || !gpio::InputLine::missed_is_exact()) return;
    constexpr size_t count = 10'000;
    const Line& input = open(trigger());
    const auto start = steady_clock::now();
    std::jthread outside([&] {
        for (size_t at = 0; at < count; ++at) {
            std::this_thread::sleep_until(start + at * std::chrono::milliseconds(1));
            bench->drive(chip, 0, at % 2 == 0);
        }
    });
    for (size_t second = 1; second <= 10; ++second) CHECK_TRUE(has_edges(second * 1000));
    outside.join();
    LONGS_EQUAL(count, input.edges());
    LONGS_EQUAL(0, input.missed());
    for (size_t i = 0; i < count; ++i) {
        LONGS_EQUAL(i + 1, edges[i].sequence);
        CHECK_EQUAL(i % 2 == 0, edges[i].rising);
    }
    UT_PRINT((test::pace_of(edges) + "\n").c_str());
}

TEST(Lines, AChipThatGoesIsSaidAndTheCountGoesOnWhenItIsBack) {
    if (::access("/dev", W_OK) != 0) return;  // its coming is seen in /dev, where a file is put
    LineConfig config = trigger();
    config.chip = "glint-lines";
    Line& input = open(config);
    bench->drive(chip, 0, true);
    CHECK_TRUE(has_edges(1));
    bench->remove_chip(chip);
    CHECK_TRUE(turn_until(loop, [&] { return !input.problem().empty(); }));
    CHECK_FALSE(input.active());
    LONGS_EQUAL(1, input.edges());

    chip = bench->add_chip("glint-lines", {"glint-in", "glint-out"});
    const std::string poke = "/dev/glint-line-test-" + std::to_string(::getpid());
    CHECK_TRUE(turn_until(loop, [&] {
        std::ofstream(poke.c_str()).flush();
        return input.problem().empty();
    }));
    ::unlink(poke.c_str());
    bench->drive(chip, 0, true);
    CHECK_TRUE(has_edges(2));
    LONGS_EQUAL(2, edges[1].sequence);
    LONGS_EQUAL(2, input.edges());
}

TEST(Lines, OneThatSomebodyHoldsIsTriedAgain) {
    auto other =
        std::make_unique<gpio::OutputLine>(gpio::OutputSpec{.chip = chip, .line = "glint-out"});
    Line& out = open(output(LineRole::alarm));
    STRCMP_CONTAINS("glint-out", out.problem().c_str());
    try {
        out.set(true);
        FAIL("a line that is not ours was set");
    } catch (const Failure& failure) {
        STRCMP_EQUAL("org.glintd1.Error.LineBusy", failure.name());
    }
    out.hold("alarm a", true);  // meanwhile
    other.reset();
    CHECK_TRUE(turn_until(loop, [&] { return out.problem().empty(); }));
    CHECK_TRUE(out.active());
    CHECK_TRUE(level());
}

TEST(Lines, AnAlarmLineIsActiveWhileAnybodyHoldsIt) {
    LineConfig config = output(LineRole::alarm);
    config.active_low = true;
    Line& out = open(config);
    CHECK_TRUE(level());
    out.hold("alarm a", true);
    out.hold("alarm b", true);
    out.hold("alarm a", false);
    CHECK_TRUE(out.active());
    CHECK_FALSE(level());
    out.set(true);
    out.hold("alarm b", false);
    CHECK_TRUE(out.active());
    out.set(false);
    CHECK_FALSE(out.active());
    CHECK_TRUE(level());
    out.hold("alarm b", true);
    line.reset();  // the service stops
    // gpio-sim gives a line that nobody has the level of its pull, whatever it was set to.
    if (!test::simulated_by_kernel()) CHECK_TRUE(level());
}

TEST(Lines, AStrobePulsesOnceForEachThatBegins) {
    LineConfig config = output(LineRole::strobe);
    config.pulse_us = 2000;
    Line& out = open(config);
    out.hold("alarm a", true);
    CHECK_TRUE(level());
    CHECK_TRUE(turn_until(loop, [&] { return !level(); }));
    out.hold("alarm a", true);
    CHECK_FALSE(level());  // it is the same alarm
    out.hold("alarm b", true);
    CHECK_TRUE(level());
    CHECK_TRUE(turn_until(loop, [&] { return !level(); }));
    out.set(true);
    CHECK_TRUE(turn_until(loop, [&] { return !level(); }));
    out.set(true);
    CHECK_TRUE(level());
    out.set(false);
    CHECK_TRUE(turn_until(loop, [&] { return !level(); }));
}

TEST(Lines, ATriggerCannotBeSet) {
    Line& input = open(trigger());
    CHECK_THROWS(Failure, input.set(true));
}

TEST(Lines, WhatWaitingCannotMendIsLeftAlone) {
    bench->add_chip("glint-more", {"glint-in"});
    LineConfig config = trigger();
    config.name = "l";
    line = std::make_unique<Line>(loop, config, [](const gpio::Edge&) {});
    line->open();
    STRCMP_EQUAL("", missing_in(line->problem(), {"glint-in", "gpiochip"}).c_str());
    turn_while_busy(loop);
    CHECK_FALSE(line->problem().empty());
}
