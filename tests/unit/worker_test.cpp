// The second thread: jobs in, completions out on the loop thread.
#include <atomic>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "daemon/worker.hpp"
#include "tests/fakes/gate.hpp"
#include "tests/fakes/turn.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using glint::fakes::turn_until;
using glint::fakes::turn_while_busy;
using glint::test::text_thrown;

namespace {

constexpr std::chrono::seconds ages{3600};
constexpr std::chrono::seconds no_time{0};

/// Notes which thread destroys it.
struct Witness {
    explicit Witness(std::thread::id& where) : by(where) {}
    ~Witness() { by = std::this_thread::get_id(); }
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;
    std::thread::id& by;
};

}  // namespace

TEST_GROUP(Workers) {
    Loop loop;
    std::optional<Worker> worker;
    std::vector<int> finished;
    std::latch started{1};
    fakes::Gate release;

    void setup() override {
        worker.emplace(loop, "test-worker");
    }
    void teardown() override {
        release.open();
        worker.reset();
    }

    void post(int number) {
        worker->post(
            ages, [number] { return number; },
            [this](Outcome<int> outcome) { finished.push_back(outcome.get()); });
    }
    /// Occupies the worker until `release` is counted down; returns once it is.
    void post_blocked(std::chrono::seconds deadline) {
        worker->post(
            deadline,
            [this] {
                started.count_down();
                release.wait();
                return 100;
            },
            [this](Outcome<int> outcome) { finished.push_back(outcome.get()); });
        started.wait();
    }
    bool turn_until_idle() {
        return turn_until(loop, [this] { return worker->idle(); });
    }
};

TEST(Workers, JobsRunAndFinishInOrder) {
    for (int number = 0; number < 50; ++number) post(number);
    CHECK_TRUE(turn_until_idle());
    LONGS_EQUAL(50, finished.size());
    for (int number = 0; number < 50; ++number)
        LONGS_EQUAL(number, finished[static_cast<size_t>(number)]);
}

TEST(Workers, WorkRunsOnTheWorkerAndDoneOnTheLoop) {
    std::thread::id worked;
    std::thread::id done;
    worker->post(
        ages, [&] { return worked = std::this_thread::get_id(); },
        [&](Outcome<std::thread::id>) { done = std::this_thread::get_id(); });
    CHECK_TRUE(turn_until_idle());
    CHECK_TRUE(done == std::this_thread::get_id());
    CHECK_TRUE(worked != std::thread::id());
    CHECK_TRUE(worked != std::this_thread::get_id());
}

TEST(Workers, NothingFinishesUnlessTheLoopTurns) {
    std::latch ran(1);
    worker->post(
        ages,
        [&] {
            ran.count_down();
            return 1;
        },
        [this](Outcome<int>) { finished.push_back(1); });
    ran.wait();
    LONGS_EQUAL(0, finished.size());
    CHECK_FALSE(worker->idle());
    CHECK_TRUE(turn_until_idle());
    LONGS_EQUAL(1, finished.size());
}

TEST(Workers, WhatAJobThrowsComesOutOfItsOutcome) {
    std::string text;
    worker->post(
        ages, []() -> int { throw std::logic_error("no such thing"); },
        [&](Outcome<int> outcome) {
            text = text_thrown<std::logic_error>([&] { (void)outcome.get(); });
        });
    post(1);
    CHECK_TRUE(turn_until_idle());
    STRCMP_EQUAL("no such thing", text.c_str());
    LONGS_EQUAL(1, finished.size());  // the worker lives on
}

TEST(Workers, AnOutcomeKnowsWhatItFailedWith) {
    Outcome<int> failed(std::make_exception_ptr(std::logic_error("x")));
    CHECK_TRUE(failed.failed_with<std::logic_error>());
    CHECK_TRUE(failed.failed_with<std::exception>());
    CHECK_FALSE(failed.failed_with<std::runtime_error>());
    CHECK_FALSE(Outcome<int>(5).failed_with<std::exception>());
}

TEST(Workers, WhatNobodyCatchesEndsTheLoop) {
    worker->post(
        ages, []() -> int { throw std::logic_error("uncaught"); },
        [](Outcome<int> outcome) { (void)outcome.get(); });
    STRCMP_EQUAL("uncaught", text_thrown<std::logic_error>([this] { loop.run(); }).c_str());
}

TEST(Workers, OneThatThrowsTakesNoOtherAlong) {
    std::atomic<bool> both_finished = false;
    bool told = false;
    worker->post(
        ages, [] { return 1; }, [](Outcome<int>) { throw std::logic_error("uncaught"); });
    worker->post(
        ages, [] { return 2; }, [&](Outcome<int>) { told = true; });
    worker->post(
        ages,
        [&] {
            both_finished = true;
            return 3;
        },
        [](Outcome<int>) {});
    while (!both_finished) std::this_thread::yield();
    STRCMP_EQUAL("uncaught", text_thrown<std::logic_error>([this] { loop.run(); }).c_str());
    CHECK_TRUE(told);
}

TEST(Workers, ResultsThatCannotBeCopiedAreMoved) {
    int value = 0;
    worker->post(
        ages, [] { return std::make_unique<int>(42); },
        [&](Outcome<std::unique_ptr<int>> outcome) { value = *outcome.get(); });
    CHECK_TRUE(turn_until_idle());
    LONGS_EQUAL(42, value);
}

TEST(Workers, AJobIsDestroyedOnTheLoopThread) {
    std::thread::id work_by;
    std::thread::id done_by;
    worker->post(
        ages, [witness = std::make_unique<Witness>(work_by)] { return 1; },
        [witness = std::make_unique<Witness>(done_by)](Outcome<int>) {});
    CHECK_TRUE(turn_until_idle());
    turn_while_busy(loop);
    CHECK_TRUE(work_by == std::this_thread::get_id());
    CHECK_TRUE(done_by == std::this_thread::get_id());
}

TEST(Workers, AJobThatFinishedWithoutTheLoopIsDestroyedWithTheWorker) {
    std::thread::id by;
    std::latch ran(1);
    worker->post(
        ages,
        [&, witness = std::make_unique<Witness>(by)] {
            ran.count_down();
            return 1;
        },
        [this](Outcome<int>) { finished.push_back(1); });
    ran.wait();
    worker.reset();
    CHECK_TRUE(by == std::this_thread::get_id());
    LONGS_EQUAL(0, finished.size());
}

TEST(Workers, AJobMayPostAnother) {
    worker->post(
        ages, [] { return 1; }, [this](Outcome<int>) { post(2); });
    CHECK_TRUE(turn_until(loop, [this] { return finished.size() == 1; }));
    CHECK_TRUE(worker->idle());
}

TEST(Workers, IdleMeansThatEveryJobHasFinished) {
    CHECK_TRUE(worker->idle());
    post_blocked(ages);
    post(1);
    CHECK_FALSE(worker->idle());
    turn_while_busy(loop);
    CHECK_FALSE(worker->idle());
    release.open();
    CHECK_TRUE(turn_until_idle());
    LONGS_EQUAL(2, finished.size());
}

TEST(Workers, AJobBeyondItsDeadlineIsOverdueUntilItEnds) {
    CHECK_FALSE(worker->overdue());
    post_blocked(no_time);
    CHECK_TRUE(turn_until(loop, [this] { return worker->overdue(); }));
    release.open();
    CHECK_TRUE(turn_until_idle());
    CHECK_FALSE(worker->overdue());
}

TEST(Workers, AJobWithinItsDeadlineIsNotOverdueNorIsOneThatWaits) {
    post_blocked(ages);
    worker->post(
        no_time, [] { return 1; }, [this](Outcome<int>) { finished.push_back(1); });
    turn_while_busy(loop);
    CHECK_FALSE(worker->overdue());
    release.open();
    CHECK_TRUE(turn_until_idle());
}

TEST(Workers, StopSoonBeginsNoFurtherJob) {
    post_blocked(ages);
    post(1);
    worker->stop_soon();
    CHECK_FALSE(worker->stopped());
    release.open();
    CHECK_TRUE(turn_until(loop, [this] { return worker->stopped(); }));
    turn_while_busy(loop);
    LONGS_EQUAL(1, finished.size());
    LONGS_EQUAL(100, finished[0]);
    CHECK_FALSE(worker->idle());  // one never ran
}

TEST(Workers, AnIdleWorkerStopsToo) {
    worker->stop_soon();
    CHECK_TRUE(turn_until(loop, [this] { return worker->stopped(); }));
}

TEST(Workers, DestructionForgetsWaitingJobsOnThisThread) {
    std::thread::id by;
    std::atomic<bool> ran{false};
    post_blocked(ages);
    worker->post(
        ages, [&, witness = std::make_unique<Witness>(by)] { return ran = true; },
        [this](Outcome<bool>) { finished.push_back(1); });
    worker->stop_soon();
    release.open();
    worker.reset();
    CHECK_FALSE(ran);
    CHECK_TRUE(by == std::this_thread::get_id());
    turn_while_busy(loop);
    LONGS_EQUAL(0, finished.size());
}

TEST(Workers, DestructionWaitsForTheRunningJob) {
    std::atomic<bool> ended{false};
    worker->post(
        ages,
        [&] {
            started.count_down();
            release.wait();
            return ended = true;
        },
        [](Outcome<bool>) {});
    started.wait();
    std::thread releaser([this] { release.open(); });
    worker.reset();
    CHECK_TRUE(ended);
    releaser.join();
}
