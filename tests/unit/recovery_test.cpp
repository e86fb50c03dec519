// What brings a camera back and what takes it down: back-off, its node's coming, stalls.
#include <sys/resource.h>

#include <filesystem>
#include <tuple>
#include <vector>

#include "daemon/recovery.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "tests/fakes/turn.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using glint::fakes::turn_until;
using glint::fakes::turn_while_busy;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// Every folder above is watched, too, and in /tmp other programs are at work.
constexpr const char* quiet_folder = "/var/tmp";

}  // namespace

TEST_GROUP(Recoveries) {
    Loop loop;
    int tries = 0;
    Recovery recovery{loop, [this] { ++tries; }};

    bool tried(int times) {
        return turn_until(loop, [&] { return tries >= times; });
    }
};

TEST(Recoveries, BackOffDoublesToAMinute) {
    Backoff backoff;
    for (const int delay : {0, 1, 2, 4, 8, 16, 32, 60, 60}) {
        LONGS_EQUAL(delay, backoff.next().count());
    }
    backoff.reset();
    LONGS_EQUAL(0, backoff.next().count());
    LONGS_EQUAL(1, backoff.next().count());
}

TEST(Recoveries, TheFirstFailureIsTheCallersToTryAtOnce) {
    LONGS_EQUAL(0, recovery.failed().count());
    turn_while_busy(loop);
    LONGS_EQUAL(0, tries);
    LONGS_EQUAL(1, recovery.failed().count());
    LONGS_EQUAL(2, recovery.failed().count());
    recovery.streaming();  // not yet for ten seconds
    LONGS_EQUAL(4, recovery.failed().count());
    recovery.cancel();
    LONGS_EQUAL(0, recovery.failed().count());
}

TEST(Recoveries, WaitingForANodeTriesOnceAndWheneverSomethingCame) {
    const fakes::TemporaryFolder folder{quiet_folder};
    recovery.wait_for(folder.file("dev/by-path/camera"));
    CHECK_TRUE(tried(1));  // it may have come meanwhile
    std::filesystem::create_directories(folder.path() / "dev/by-path");
    CHECK_TRUE(tried(2));
    std::filesystem::create_symlink("/dev/null", folder.path() / "dev/by-path/camera");
    CHECK_TRUE(tried(3));
}

#ifndef GLINT_SANITIZED  // they need descriptors of their own
TEST(Recoveries, WithoutAWatchItLooksNowAndThen) {
    const fakes::TemporaryFolder folder{quiet_folder};
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{0, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
    recovery.wait_for(folder.file("camera"));
    CHECK_TRUE(tried(1));
    recovery.wait_for(folder.file("camera"));
    ::setrlimit(RLIMIT_NOFILE, &before);
    CHECK_TRUE(tried(2));
    recovery.wait_for(folder.file("camera"));  // now there is one
    CHECK_TRUE(tried(3));
    folder.write("camera", "");
    CHECK_TRUE(tried(4));
}
#endif

TEST(Recoveries, AfterCancelNothingIsTried) {
    const fakes::TemporaryFolder folder{quiet_folder};
    recovery.wait_for(folder.file("camera"));
    recovery.cancel();
    std::ignore = folder.write("camera", "");
    bool later = false;
    Timer timer(loop, [&] { later = true; });
    timer.arm(milliseconds{80});  // a try would come after 50
    CHECK_TRUE(turn_until(loop, [&] { return later; }));
    LONGS_EQUAL(0, tries);
}

TEST_GROUP(Stalls) {
    Loop loop;
    uint64_t frames = 0;
    std::vector<int64_t> stalls;  ///< in milliseconds
    StallWatch watch{loop,
                     [this](microseconds passed) { stalls.push_back(passed.count() / 1000); }};
};

TEST(Stalls, AreNoticedOnceAfterTheLastFrame) {
    watch.start(
        milliseconds{10}, [this] { return frames++ < 3 ? frames : uint64_t{4}; }, milliseconds{10});
    CHECK_TRUE(turn_until(loop, [this] { return !stalls.empty(); }));
    LONGS_EQUAL(10, stalls.front());
    CHECK_TRUE(frames > 3);
    bool later = false;
    Timer timer(loop, [&] { later = true; });
    timer.arm(milliseconds{30});
    CHECK_TRUE(turn_until(loop, [&] { return later; }));
    LONGS_EQUAL(1, stalls.size());
}

TEST(Stalls, TheFirstFrameMayTakeLongerAndThatTimeIsTold) {
    const uint64_t before = now_nsec();
    watch.start(
        milliseconds{5}, [this] { return frames; }, milliseconds{40});
    CHECK_TRUE(turn_until(loop, [this] { return !stalls.empty(); }));
    LONGS_EQUAL(40, stalls.front());
    CHECK_TRUE(now_nsec() - before >= 40'000'000);
}

TEST(Stalls, AStoppedWatchIsSilent) {
    watch.start(
        milliseconds{1}, [this] { return frames; }, milliseconds{1});
    watch.stop();
    bool later = false;
    Timer timer(loop, [&] { later = true; });
    timer.arm(milliseconds{10});
    CHECK_TRUE(turn_until(loop, [&] { return later; }));
    LONGS_EQUAL(0, stalls.size());
}

TEST(Stalls, TheLimitIsThreePeriodsAndASecondAtLeast) {
    CHECK_TRUE(stall_limit(30) == seconds{1});
    CHECK_TRUE(stall_limit(3) == seconds{1});
    CHECK_TRUE(stall_limit(0.5) == seconds{6});
    CHECK_TRUE(stall_limit(0) == seconds{5});
}
