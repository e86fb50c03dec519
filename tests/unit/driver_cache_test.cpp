// What a killed driver leaves in its cache: gone at the next start, and nothing else.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "daemon/gpu/driver_cache.hpp"
#include "tests/fakes/temporary_folder.hpp"

#include <CppUTest/TestHarness.h>

namespace fs = std::filesystem;
using glint::gpu::remove_leftovers;

TEST_GROUP(DriverCache) {
    glint::fakes::TemporaryFolder folder;
    const fs::path own = folder.path() / "cache";
    const fs::path other = folder.path() / "cache-of-others";

    void setup() override {
        for (const fs::path& pocl : {own / "pocl", other / "pocl"}) {
            fs::create_directories(pocl / "tempfile_a" / "b");
            fs::create_directories(pocl / "AB" / "CDEF");
            std::ofstream(pocl / "tempfile_X12") << "half";
            std::ofstream(pocl / "AB" / "CDEF" / "program.bc") << "whole";
        }
    }
    void teardown() override {
        ::unsetenv("POCL_CACHE_DIR");
    }

    void with(const fs::path& driver_cache) {
        ::setenv("POCL_CACHE_DIR", driver_cache.c_str(), 1);
        remove_leftovers(own);
    }
    static bool has_leftovers(const fs::path& cache) {
        return fs::exists(cache / "pocl" / "tempfile_X12") ||
               fs::exists(cache / "pocl" / "tempfile_a");
    }
};

TEST(DriverCache, what_is_half_done_goes_and_what_is_whole_stays) {
    with(own / "pocl");
    CHECK_FALSE(has_leftovers(own));
    CHECK_TRUE(fs::exists(own / "pocl" / "AB" / "CDEF" / "program.bc"));
}

TEST(DriverCache, a_cache_that_others_use_is_left_alone) {
    with(other / "pocl");
    CHECK_TRUE(has_leftovers(other));
    with(own / ".." / "cache-of-others" / "pocl");
    CHECK_TRUE(has_leftovers(other));
}

TEST(DriverCache, no_folder_is_no_error) {
    with(own / "nowhere");
    ::unsetenv("POCL_CACHE_DIR");
    remove_leftovers(own);
    CHECK_TRUE(has_leftovers(own));
}
