// The tests' own tools: a failure in a process of its own must fail the run.
#include <csignal>
#include <cstdlib>

#include "tests/layer/api/child.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer::test;

namespace {

constexpr const char* wanted = "LAYER_TESTS_FAIL";

int exit_code_of_a_run(const char* how) {
    ::setenv(wanted, how, 1);
    return run_program({GLINT_LAYER_TESTS, "-p", "-sg", "Failing"}).code;
}

std::string failure_that_is_asked_for() {
    const char* how = std::getenv(wanted);
    return how == nullptr ? "" : how;
}

}  // namespace

TEST_GROUP(Failing){};

TEST(Failing, WhenAsked) {
    const std::string how = failure_that_is_asked_for();
    if (how == "check") FAIL("as asked");
    if (how == "signal") std::raise(SIGKILL);
    if (how == "child") LONGS_EQUAL(0, in_child([] { FAIL("as asked"); }).code);
}

TEST_GROUP(Self){};

TEST(Self, AFailureInAProcessOfItsOwnFailsTheRun) {
    LONGS_EQUAL(0, exit_code_of_a_run(""));
    LONGS_EQUAL(1, exit_code_of_a_run("check"));
    LONGS_EQUAL(1, exit_code_of_a_run("signal"));
    LONGS_EQUAL(1, exit_code_of_a_run("child"));
}

TEST(Self, ChildrenAreSeenWhole) {
    const Outcome outcome = in_child([] {
        std::fputs("out", stdout);
        std::fputs("err", stderr);
        std::exit(7);
    });
    LONGS_EQUAL(7, outcome.code);
    LONGS_EQUAL(0, outcome.signal);
    STRCMP_EQUAL("out", outcome.out.c_str());
    STRCMP_EQUAL("err", outcome.err.c_str());
    LONGS_EQUAL(SIGTERM, in_child([] { std::raise(SIGTERM); }).signal);
}
