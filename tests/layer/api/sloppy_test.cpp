// The sloppy sample: it works on the driver below, and a small GPU refuses it sin by sin, in words
// that its author understands.
#include <algorithm>
#include <string>

#include "tests/layer/api/child.hpp"
#include "tests/layer/api/played.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer::test;

namespace {

/// The layer's sentences on stderr with this in them.
size_t sentences_with(const std::string& err, std::string_view part) {
    size_t count = 0;
    for (size_t start = 0; start < err.size();) {
        const size_t end = std::min(err.find('\n', start), err.size());
        const std::string_view line = std::string_view(err).substr(start, end - start);
        if (line.starts_with("glint-layer: ") && line.find(part) != std::string_view::npos) ++count;
        start = end + 1;
    }
    return count;
}

Outcome run_on(const char* profile, const char* memory) {
    play(profile, {{"MEMORY", memory}, {"QUIET", "0"}});
    return run_program({GLINT_SLOPPY});
}

}  // namespace

TEST_GROUP(Sloppy){};

TEST(Sloppy, WorksOnTheDriverBelow) {
    play_nothing();
    const Outcome outcome = run_program({GLINT_SLOPPY});
    LONGS_EQUAL(0, outcome.code);
    STRCMP_EQUAL(
        "memory that is not aligned: right\n"
        "results read without a map: right\n"
        "global size 70000: right\n"
        "local size 135: right\n"
        "atomic histogram: right\n",
        outcome.out.c_str());
    STRCMP_EQUAL("", outcome.err.c_str());
}

TEST(Sloppy, OneSentenceForEachSinOnGc2000) {
    const Outcome outcome = run_on("gc2000", "strict");
    LONGS_EQUAL(0, outcome.signal);
    LONGS_EQUAL(1, outcome.code);
    // What the layer can see, it says.
    for (
        const char* sin : {
            "clCreateBuffer: 16384 bytes at ",
            "clEnqueueNDRangeKernel: kernel number: global size 70000 in dimension 0 ends at 70000",
            "clEnqueueNDRangeKernel: kernel number: 135 work-items a group; this kernel runs with ",
            "clBuildProgram: line 2: GC2000 has no such atomics on global memory: 'atomic_inc'",
            "clReleaseMemObject: a kernel wrote to 16384 bytes of the program's own memory, which "
            "was "
            "not mapped or read afterwards",
        }) {
        LONGS_EQUAL_TEXT(1, sentences_with(outcome.err, sin), sin);
    }
    LONGS_EQUAL(5, sentences_with(outcome.err, ""));
    LONGS_EQUAL(5, count_of(outcome.err, "\n"));
}

TEST(Sloppy, WhatToDoIsSaidToo) {
    const Outcome outcome = run_on("gc2000", "strict");
    for (const char* advice :
         {"align both to 4096", "fold it into two dimensions or split the launch",
          "ask CL_KERNEL_WORK_GROUP_SIZE", "add them up in a second kernel", "map it first"}) {
        LONGS_EQUAL_TEXT(1, sentences_with(outcome.err, advice), advice);
    }
}

TEST(Sloppy, TheProgramMeetsWhatItWouldOnTheBoard) {
    const Outcome outcome = run_on("gc2000", "strict");
    // Number 0 is right by chance, being 0 before and after.
    for (const char* line : {"memory that is not aligned: right\n",
                             "results read without a map: 4095 of 4096 numbers are wrong\n",
                             "global size 70000: error -63\n", "local size 135: error -54\n",
                             "(2:0) : error : 'atomic_inc' hasn't the corresponding declaration",
                             "atomic histogram: error -11\n"}) {
        STRCMP_CONTAINS(line, outcome.out.c_str());
    }
}

TEST(Sloppy, ALargerDeviceForgivesTheAtomics) {
    const Outcome outcome = run_on("gc7000l", "strict");
    LONGS_EQUAL(1, outcome.code);
    LONGS_EQUAL(4, sentences_with(outcome.err, ""));
    STRCMP_CONTAINS("atomic histogram: right\n", outcome.out.c_str());
}
