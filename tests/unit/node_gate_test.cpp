// A device node that is not open yet: what waits for it, and for how long.
#include <chrono>
#include <filesystem>

#include "daemon/node_gate.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "tests/fakes/turn.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using glint::fakes::turn_until;
using glint::fakes::turn_while_busy;

namespace fs = std::filesystem;

TEST_GROUP(NodeGates) {
    glint::fakes::TemporaryFolder folder;
    Loop loop;
    int passed = 0;
    /// Root may open everything, so the tests look at a bit of the mode.
    NodeGate gate{loop, folder.file("node"), [](const std::string& node) {
                      return (fs::status(node).permissions() & fs::perms::others_read) !=
                             fs::perms::none;
                  }};

    void make_node(fs::perms mode) {
        fs::permissions(folder.write("node", ""), mode);
    }
    void pass(microseconds limit = std::chrono::hours{1}) {
        gate.pass(limit, [this] { ++passed; });
    }
};

TEST(NodeGates, OneThatIsNotThereIsNotWaitedFor) {
    pass();
    LONGS_EQUAL(1, passed);
}

TEST(NodeGates, OneThatIsOpenIsNotWaitedFor) {
    make_node(fs::perms(0666));
    pass();
    LONGS_EQUAL(1, passed);
}

TEST(NodeGates, OneThatIsOpenedLaterIsPassedOnceThen) {
    make_node(fs::perms(0600));
    pass();
    turn_while_busy(loop);
    LONGS_EQUAL(0, passed);
    fs::permissions(folder.file("node"), fs::perms(0666));
    CHECK_TRUE(turn_until(loop, [this] { return passed > 0; }));
    fs::permissions(folder.file("node"), fs::perms(0664));
    turn_while_busy(loop);
    LONGS_EQUAL(1, passed);
}

TEST(NodeGates, OneThatStaysClosedHoldsUpNobodyForEver) {
    make_node(fs::perms(0600));
    pass(std::chrono::milliseconds{5});
    CHECK_TRUE(turn_until(loop, [this] { return passed > 0; }));
    LONGS_EQUAL(1, passed);
}

TEST(NodeGates, WhoeverNoLongerWaitsIsNotCalled) {
    make_node(fs::perms(0600));
    pass(std::chrono::milliseconds{5});
    gate.cancel();
    pass();  // a later one
    gate.cancel();
    fs::permissions(folder.file("node"), fs::perms(0666));
    turn_while_busy(loop);
    LONGS_EQUAL(0, passed);
}
