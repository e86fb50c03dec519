// What is kept of clang's answers, and what is not.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/layer/compiler/clang_cache.hpp"
#include "tests/layer/compiler/support.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer::compiler;
namespace fs = std::filesystem;

TEST_GROUP(ClangCache) {
    fs::path folder_ = fs::absolute("layer_clang_cache_" + std::to_string(::getpid()));
    fs::path script_ = folder_ / "clang";
    fs::path kept_ = folder_ / "kept";
    const char* before_ = std::getenv("GLINT_LAYER_CACHE");
    std::string was_ = before_ == nullptr ? "" : before_;

    void setup() override {
        fs::create_directory(folder_);
        ::setenv("GLINT_LAYER_CACHE", kept_.c_str(), 1);
    }

    void teardown() override {
        ::unsetenv("GLINT_LAYER_CLANG");
        ::setenv("GLINT_LAYER_CACHE", was_.c_str(), 1);
        fs::remove_all(folder_);
    }

    /// Versions are asked once per program: another `name`, another clang.
    void stand_in(const std::string& name, const std::string& version, const std::string& body) {
        script_ = folder_ / name;
        std::ofstream(script_) << "#!/bin/sh\nif [ \"$1\" = --version ]; then printf '%s' '"
                               << version << "'; exit; fi\necho run >> " << folder_ / "runs" << '\n'
                               << body << '\n';
        ::chmod(script_.c_str(), 0700);
        ::setenv("GLINT_LAYER_CLANG", script_.c_str(), 1);
    }

    [[nodiscard]] size_t runs() const {
        std::ifstream lines(folder_ / "runs");
        size_t count = 0;
        for (std::string line; std::getline(lines, line);) ++count;
        return count;
    }
};

TEST(ClangCache, SameRequestIsAnsweredOnce) {
    stand_in("a", "1.0", "cat; echo warning >&2");
    for (int i = 0; i < 3; ++i) {
        const ClangRun run = cached_clang({"-x", "cl"}, "text");
        CHECK_TRUE(run.succeeded);
        STRCMP_EQUAL("text", run.output.c_str());
        STRCMP_EQUAL("warning\n", run.errors.c_str());
    }
    LONGS_EQUAL(1, runs());
}

TEST(ClangCache, OtherArgumentsInputOrClangAreAskedAnew) {
    stand_in("b", "1.0", "cat");
    static_cast<void>(cached_clang({"-x", "cl"}, "text"));
    static_cast<void>(cached_clang({"-xcl"}, "text"));
    static_cast<void>(cached_clang({"-x", "cl"}, "other"));
    LONGS_EQUAL(3, runs());
    stand_in("c", "2.0", "echo new");
    STRCMP_EQUAL("new\n", cached_clang({"-x", "cl"}, "text").output.c_str());
    LONGS_EQUAL(4, runs());
}

TEST(ClangCache, RefusalsAreKept) {
    stand_in("d", "1.0", "echo '1:1: error: no' >&2; exit 1");
    for (int i = 0; i < 2; ++i) {
        const ClangRun run = cached_clang({}, "text");
        CHECK_FALSE(run.succeeded);
        STRCMP_EQUAL("1:1: error: no\n", run.errors.c_str());
    }
    LONGS_EQUAL(1, runs());
}

TEST(ClangCache, FailuresAreNot) {
    stand_in("e", "1.0", "kill -9 $$");
    for (int i = 0; i < 2; ++i) CHECK_FALSE(cached_clang({}, "text").failure.empty());
    LONGS_EQUAL(2, runs());
}

TEST(ClangCache, AClangWithoutAVersionIsAlwaysAsked) {
    stand_in("f", "", "cat");
    for (int i = 0; i < 2; ++i) static_cast<void>(cached_clang({}, "text"));
    LONGS_EQUAL(2, runs());
}

TEST(ClangCache, DamagedFilesAreAskedAnew) {
    stand_in("g", "1.0", "cat");
    static_cast<void>(cached_clang({}, "text"));
    for (const auto& file : fs::directory_iterator(kept_)) {
        fs::resize_file(file.path(), fs::file_size(file.path()) - 3);
    }
    STRCMP_EQUAL("text", cached_clang({}, "text").output.c_str());
    LONGS_EQUAL(2, runs());
}

TEST(ClangCache, AFolderThatCannotBeMadeIsDoneWithout) {
    std::ofstream(kept_) << "a file";
    stand_in("h", "1.0", "cat");
    for (int i = 0; i < 2; ++i) STRCMP_EQUAL("text", cached_clang({}, "text").output.c_str());
    LONGS_EQUAL(2, runs());
}
