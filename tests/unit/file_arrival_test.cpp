// A file that is copied to where a camera waits for it is there when it is whole, not before.
#include <filesystem>
#include <fstream>

#include "daemon/node_watch.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "tests/fakes/turn.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;

TEST_GROUP(FileArrival) {
    Loop loop;
    fakes::TemporaryFolder folder;
    int changes = 0;
    NodeWatch watch{loop, folder.path() / "clips" / "clip.y4m", [this] { ++changes; }};

    int changes_after(const std::function<void()>& act) {
        changes = 0;
        act();
        fakes::turn_while_busy(loop);
        return changes;
    }
};

TEST(FileArrival, IsSaidWhenTheFileIsClosed) {
    const auto clips = folder.path() / "clips";
    CHECK(changes_after([&] { std::filesystem::create_directory(clips); }) > 0);
    std::ofstream file;
    LONGS_EQUAL(0, changes_after([&] { file.open(clips / "clip.y4m"); }));
    LONGS_EQUAL(0, changes_after([&] { file << "YUV4MPEG2 W16" << std::flush; }));
    CHECK(changes_after([&] { file.close(); }) > 0);
}

TEST(FileArrival, AMoveALinkAndAnotherModeAreSaidAtOnce) {
    const auto clips = folder.path() / "clips";
    std::filesystem::create_directory(clips);
    folder.write("whole", "P5");
    fakes::turn_while_busy(loop);
    CHECK(changes_after(
              [&] { std::filesystem::rename(folder.path() / "whole", clips / "clip.y4m"); }) > 0);
    CHECK(changes_after([&] {
              std::filesystem::permissions(clips / "clip.y4m", std::filesystem::perms::owner_read);
          }) > 0);
    CHECK(changes_after([&] { std::filesystem::remove(clips / "clip.y4m"); }) > 0);
    CHECK(changes_after([&] { std::filesystem::create_symlink("/dev/null", clips / "clip.y4m"); }) >
          0);
}
