// The cache of program binaries: what comes out is what went in, or nothing.
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/gpu/program.hpp"
#include "tests/fakes/file_size_limit.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using glint::gpu::BinaryCache;
using glint::test::missing_in;

namespace {

using Bytes = std::vector<unsigned char>;

Bytes some_binary(size_t size, unsigned seed = 1) {
    Bytes bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * 37 + seed);
    return bytes;
}

}  // namespace

TEST_GROUP(BinaryCaches) {
    glint::fakes::TemporaryFolder folder;
    BinaryCache cache{folder.path()};
    const std::string key = "platform\ndevice\n1.2.3\n-DROWS=4\n__kernel void k() {}";
    const Bytes binary = some_binary(50);

    /// The name of the only file.
    std::string only_file() {
        LONGS_EQUAL(1, folder.files());
        return std::filesystem::directory_iterator(folder.path())->path().filename().string();
    }
};

TEST(BinaryCaches, WhatIsStoredIsLoaded) {
    CHECK_TRUE(cache.load(key).empty());
    cache.store(key, binary);
    STRCMP_EQUAL("", cache.problem().c_str());
    CHECK_TRUE(binary == cache.load(key));
    CHECK_TRUE(binary == BinaryCache(folder.path()).load(key));
    CHECK_TRUE(only_file().ends_with(".clbin"));
}

TEST(BinaryCaches, ALaterBinaryReplacesTheEarlier) {
    cache.store(key, binary);
    const Bytes later = some_binary(9, 5);
    cache.store(key, later);
    CHECK_TRUE(later == cache.load(key));
    LONGS_EQUAL(1, folder.files());
}

TEST(BinaryCaches, EveryPartOfTheKeyCounts) {
    cache.store(key, binary);
    for (size_t i = 0; i < key.size(); ++i) {
        std::string other = key;
        other[i] = static_cast<char>(other[i] ^ 1);
        CHECK_TRUE(cache.load(other).empty());
    }
    CHECK_TRUE(cache.load(key + " ").empty());
    CHECK_TRUE(cache.load("").empty());
    CHECK_TRUE(binary == cache.load(key));
}

TEST(BinaryCaches, AFileOfAnotherKeyUnderThisKeysNameIsDropped) {
    for (std::string other :
         {std::string(key.size(), 'x'), std::string("short"), key + " longer"}) {
        cache.store(other, some_binary(50, 9));
        const std::string other_file = only_file();
        const std::string bytes = folder.read(other_file);
        cache.drop(other);
        cache.store(key, binary);
        const std::string own_file = only_file();
        folder.write(own_file, bytes);
        CHECK_TRUE(cache.load(key).empty());
        LONGS_EQUAL(0, folder.files());
    }
}

TEST(BinaryCaches, AFileCutShortAtAnyLengthIsDropped) {
    cache.store(key, binary);
    const std::string name = only_file();
    const std::string whole = folder.read(name);
    for (size_t size = 0; size < whole.size(); ++size) {
        folder.write(name, whole.substr(0, size));
        CHECK_TRUE(cache.load(key).empty());
        LONGS_EQUAL(0, folder.files());
    }
    folder.write(name, whole + 'x');
    CHECK_TRUE(cache.load(key).empty());
    folder.write(name, whole);
    CHECK_TRUE(binary == cache.load(key));
}

TEST(BinaryCaches, OneFlippedBitAnywhereIsFound) {
    cache.store(key, binary);
    const std::string name = only_file();
    const std::string whole = folder.read(name);
    for (size_t byte = 0; byte < whole.size(); ++byte) {
        for (const size_t bit : {byte % 8, (byte + 5) % 8}) {
            std::string damaged = whole;
            damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit));
            folder.write(name, damaged);
            CHECK_TRUE(cache.load(key).empty());
            LONGS_EQUAL(0, folder.files());
        }
    }
}

TEST(BinaryCaches, ADroppedEntryIsGoneAndOthersStay) {
    cache.store(key, binary);
    cache.store("other", some_binary(3));
    cache.drop(key);
    cache.drop(key);
    CHECK_TRUE(cache.load(key).empty());
    CHECK_TRUE(some_binary(3) == cache.load("other"));
}

TEST(BinaryCaches, AFolderThatCannotBeWrittenIsNamedAndHarmless) {
    const std::string below_a_file = folder.write("file", "x") + "/cache";
    for (const std::string& path : {below_a_file, std::string("/proc/glint-no-such-folder")}) {
        BinaryCache unwritable(path);
        unwritable.store(key, binary);
        STRCMP_EQUAL("", missing_in(unwritable.problem(), {path, "cannot write"}).c_str());
        CHECK_TRUE(unwritable.load(key).empty());
        unwritable.drop(key);
    }
}

TEST(BinaryCaches, AProblemIsForgottenOnceStoringWorks) {
    const std::string path = folder.write("cache", "a file in the way");
    BinaryCache late(path);
    late.store(key, binary);
    CHECK_FALSE(late.problem().empty());
    std::filesystem::remove(path);
    late.store(key, binary);
    STRCMP_EQUAL("", late.problem().c_str());
    CHECK_TRUE(binary == late.load(key));
}

TEST(BinaryCaches, AStoreThatIsInterruptedLeavesNoFile) {
    {
        const glint::fakes::FileSizeLimit full_disk(100);
        cache.store(key, binary);
    }
    STRCMP_EQUAL("", missing_in(cache.problem(), {folder.path().string()}).c_str());
    LONGS_EQUAL(0, folder.files());
    CHECK_TRUE(cache.load(key).empty());
}

TEST(BinaryCaches, AStoreThatIsInterruptedKeepsTheEarlierFile) {
    cache.store(key, binary);
    {
        const glint::fakes::FileSizeLimit full_disk(100);
        cache.store(key, some_binary(500));
    }
    CHECK_TRUE(binary == cache.load(key));
    LONGS_EQUAL(1, folder.files());
}

TEST(BinaryCaches, FilesOfAnotherWriterAreLeftAlone) {
    folder.write("new-abcdef", "half a program");
    folder.write("new-", "");
    cache.store(key, binary);
    CHECK_TRUE(binary == cache.load(key));
    STRCMP_EQUAL("half a program", folder.read("new-abcdef").c_str());
    LONGS_EQUAL(3, folder.files());
}

TEST(BinaryCaches, AFolderInPlaceOfAFileIsNoProgram) {
    cache.store(key, binary);
    const std::string name = only_file();
    std::filesystem::remove(folder.path() / name);
    std::filesystem::create_directories(folder.path() / name / "below");
    CHECK_TRUE(cache.load(key).empty());
    cache.store(key, binary);
    CHECK_FALSE(cache.problem().empty());
}

TEST(BinaryCaches, NoFolderSwitchesTheCacheOff) {
    BinaryCache off{""};
    off.store(key, binary);
    STRCMP_EQUAL("", off.problem().c_str());
    CHECK_TRUE(off.load(key).empty());
    off.drop(key);
}
