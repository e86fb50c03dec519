// Programs come back from the cache, and nothing in it can do harm.
#include <array>
#include <filesystem>
#include <fstream>

#include "daemon/gpu/program.hpp"
#include "kernels/kernel_sources.hpp"
#include "tests/kernels/device.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;
namespace fs = std::filesystem;

TEST_GROUP(Cache) {
    fs::path folder;
    void setup() override {
        std::string name = (fs::temp_directory_path() / "glint-cache-XXXXXX").string();
        CHECK(::mkdtemp(name.data()) != nullptr);
        folder = name;
    }
    void teardown() override {
        fs::remove_all(folder);
    }

    gpu::BuiltProgram build(const fs::path& where, const std::string& options = "-cl-std=CL1.1") {
        gpu::BinaryCache cache(where);
        constexpr std::array names{"pattern_write", "pattern_compare"};
        auto built = gpu::build_program(context(), cache, kernels::ep_pattern, options, names);
        problem = cache.problem();
        return built;
    }
    fs::path only_file() {
        fs::path found;
        for (const auto& entry : fs::directory_iterator(folder)) {
            CHECK_TRUE_TEXT(found.empty(), "more than one file in the cache");
            found = entry.path();
        }
        return found;
    }
    std::string problem;
};

TEST(Cache, TheSecondBuildComesFromIt) {
    CHECK_FALSE(build(folder).from_cache);
    CHECK_TRUE(build(folder).from_cache);
}

TEST(Cache, OtherOptionsAreAnotherProgram) {
    CHECK_FALSE(build(folder).from_cache);
    CHECK_FALSE(build(folder, "-cl-std=CL1.1 -DOTHER=1").from_cache);
}

TEST(Cache, ADamagedFileIsMadeAnew) {
    (void)build(folder);
    const fs::path file = only_file();
    {
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(static_cast<std::streamoff>(fs::file_size(file) / 2));
        stream.put('\x55').put('\x55').put('\x55');
    }
    CHECK_FALSE(build(folder).from_cache);
    CHECK_TRUE(build(folder).from_cache);
}

TEST(Cache, ATruncatedFileIsMadeAnew) {
    (void)build(folder);
    const fs::path file = only_file();
    fs::resize_file(file, fs::file_size(file) - 1);
    CHECK_FALSE(build(folder).from_cache);
    CHECK_TRUE(build(folder).from_cache);
}

TEST(Cache, AFolderThatCannotBeMadeCostsOnlyTime) {
    std::ofstream(folder / "file") << "not a folder";
    const auto built = build(folder / "file" / "cache");
    LONGS_EQUAL(2, built.kernels.size());
    STRCMP_CONTAINS("cannot write the program cache", problem.c_str());
}

TEST(Cache, ABuildErrorCarriesTheCompilersLog) {
    gpu::BinaryCache cache("");
    constexpr std::array names{"broken"};
    try {
        (void)gpu::build_program(context(), cache, "__kernel void broken( {", "", names);
        FAIL("a program that does not compile was built");
    } catch (const gpu::BuildError& error) {
        STRCMP_CONTAINS("CL_BUILD_PROGRAM_FAILURE", error.what());
        STRCMP_CONTAINS("error", error.what());
    }
}
