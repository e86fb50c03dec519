// Nodes that come, go and change: seen below folders that do not exist yet, too.
#include <filesystem>
#include <tuple>

#include "daemon/node_watch.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "tests/fakes/turn.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using glint::fakes::turn_until;
using glint::fakes::turn_while_busy;
namespace fs = std::filesystem;

namespace {

/// Every folder above is watched, too, and in /tmp other programs are at work.
constexpr const char* quiet_folder = "/var/tmp";

}  // namespace

TEST_GROUP(NodeWatches) {
    Loop loop;
    fakes::TemporaryFolder folder{quiet_folder};
    int changes = 0;

    /// Whether something was noticed since the last call.
    bool noticed() {
        const bool seen = turn_until(loop, [this] { return changes > 0; });
        turn_while_busy(loop);
        changes = 0;
        return seen;
    }
};

TEST(NodeWatches, SeeFilesComeAndGoAndChangeTheirMode) {
    const NodeWatch watch(loop, folder.path() / "video0", [this] { ++changes; });
    std::ignore = folder.write("video0", "");
    CHECK_TRUE(noticed());
    fs::permissions(folder.path() / "video0", fs::perms::owner_read);
    CHECK_TRUE(noticed());
    fs::remove(folder.path() / "video0");
    CHECK_TRUE(noticed());
    fs::create_symlink("/dev/null", folder.path() / "video0");
    CHECK_TRUE(noticed());
}

TEST(NodeWatches, SeeAFileAppearInFoldersThatDidNotExist) {
    const fs::path path = folder.path() / "v4l" / "by-path" / "camera";
    const NodeWatch watch(loop, path, [this] { ++changes; });
    for (int round = 0; round < 2; ++round) {  // unplugged, and plugged in again
        fs::create_directory(folder.path() / "v4l");
        CHECK_TRUE(noticed());
        fs::create_directory(folder.path() / "v4l" / "by-path");
        CHECK_TRUE(noticed());
        fs::create_symlink("/dev/null", path);
        CHECK_TRUE(noticed());
        fs::remove_all(folder.path() / "v4l");
        CHECK_TRUE(noticed());
    }
}

TEST(NodeWatches, SeeNothingOnceTheyAreGone) {
    {
        const NodeWatch watch(loop, folder.path() / "video0", [this] { ++changes; });
    }
    std::ignore = folder.write("video0", "");
    turn_while_busy(loop);
    LONGS_EQUAL(0, changes);
}
