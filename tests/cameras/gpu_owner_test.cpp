// When OpenCL is first touched: not before its driver's node is open to the service.
#include <fcntl.h>

#include "daemon/gpu_owner.hpp"
#include "tests/cameras/bench.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;

TEST_GROUP(GpuOwners) {
    Machine machine;
    bool may_open = false;
    NodeGate gate{machine.loop, machine.node("galcore"),
                  [this](const std::string&) { return may_open; }};
    int changes = 0;
    GpuOwner owner{machine.loop, machine.builder, machine.completion, gate,
                   // Nothing is built for it.
                   GpuConfig{.device = "no such device"}, GpuHistory(""), [this] { ++changes; }};

    void make_node() {
        machine.folder.write("galcore", "");
    }
};

TEST(GpuOwners, ANodeThatIsNotOpenYetIsWaitedFor) {
    make_node();
    owner.start();
    fakes::turn_while_busy(machine.loop);
    CHECK_FALSE(owner.building());
    CHECK_TRUE(machine.builder.idle());
    STRCMP_CONTAINS("is not open to the service yet", owner.reason().c_str());
    CHECK(changes > 0);
    may_open = true;
    std::filesystem::permissions(machine.node("galcore"), std::filesystem::perms(0660));
    CHECK_TRUE(fakes::turn_until(machine.loop, [&] { return owner.building(); }));
    CHECK_TRUE(fakes::turn_until(machine.loop, [&] { return !owner.building(); }));
    STRCMP_CONTAINS("no OpenCL device matches", owner.reason().c_str());
}

TEST(GpuOwners, WithoutANodeThereIsNothingToWaitFor) {
    owner.start();
    CHECK_TRUE(owner.building());
    CHECK_TRUE(fakes::turn_until(machine.loop, [&] { return !owner.building(); }));
}
