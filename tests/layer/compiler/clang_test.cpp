// Running clang, or something in its place.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/layer/compiler/clang.hpp"
#include "tests/layer/compiler/support.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer;
using namespace glint::layer::compiler;

namespace {

const std::string innocent = "__kernel void k(__global int* p) { p[0] = 1; }";

}  // namespace

TEST_GROUP(Clang) {
    std::string script_ = "layer_compiler_test_" + std::to_string(::getpid());

    void stand_in(const std::string& body) {
        std::ofstream(script_) << "#!/bin/sh\n" << body << '\n';
        ::chmod(script_.c_str(), 0700);
        ::setenv("GLINT_LAYER_CLANG", ("./" + script_).c_str(), 1);
    }

    void teardown() override {
        ::unsetenv("GLINT_LAYER_CLANG");
        ::unlink(script_.c_str());
    }
};

TEST(Clang, MissingRefusesNothing) {
    ::setenv("GLINT_LAYER_CLANG", "/nonexistent", 1);
    const CompilerVerdict verdict = check_program(innocent, "", test::gc2000());
    CHECK_FALSE(verdict.checked);
    CHECK_TRUE(verdict.builds);
    LONGS_EQUAL(0, verdict.problems.size());
    STRCMP_CONTAINS("not checked for GC2000: cannot run '/nonexistent'", verdict.log.c_str());
}

TEST(Clang, SomethingElseInItsPlaceRefusesNothing) {
    for (const char* body :
         {"exit 1", "echo 'x: error: unknown argument' >&2; exit 1", "exit 127", "kill -9 $$"}) {
        stand_in(body);
        const CompilerVerdict verdict = check_program(innocent, "", test::gc2000());
        CHECK_FALSE_TEXT(verdict.checked, body);
        CHECK_TRUE_TEXT(verdict.builds, body);
    }
}

TEST(Clang, InputAndBothOutputsAreWhole) {
    stand_in("cat; head -c 300000 /dev/zero | tr '\\0' e >&2");
    const std::string input(1 << 20, 'x');
    const ClangRun run = run_clang({}, input);
    STRCMP_EQUAL("", run.failure.c_str());
    CHECK_TRUE(run.succeeded);
    CHECK_TRUE(run.output == input);
    LONGS_EQUAL(300000, run.errors.size());
}

TEST(Clang, OneThatReadsNothingDoesNoHarm) {
    stand_in("exit 0");
    CHECK_TRUE(run_clang({}, std::string(1 << 20, 'x')).succeeded);
}

TEST(Clang, IsStoppedWithWhateverItStarted) {
    stand_in("sleep 100 & sleep 100");
    const ClangRun run = run_clang({}, "", std::chrono::milliseconds(50));
    STRCMP_CONTAINS("took longer than 50 ms", run.failure.c_str());
    CHECK_FALSE(run.succeeded);
}

TEST(Clang, AHostThatIgnoresItsChildrenIsServedToo) {
    ::signal(SIGCHLD, SIG_IGN);
    const CompilerVerdict fine = check_program(innocent, "", test::gc2000());
    const CompilerVerdict broken = check_program(innocent + ";}", "", test::gc2000());
    ::signal(SIGCHLD, SIG_DFL);
    CHECK_TRUE(fine.checked && fine.builds);
    CHECK_TRUE(broken.checked && !broken.builds);
}
