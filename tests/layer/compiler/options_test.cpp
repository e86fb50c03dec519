// The option string: words, what is passed on, the language version.
#include <string>
#include <vector>

#include "tests/layer/compiler/options.hpp"
#include "tests/layer/compiler/support.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer;
using namespace glint::layer::compiler;

namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += "[" + word + "]";
    return text;
}

}  // namespace

TEST_GROUP(BuildOptionString){};

TEST(BuildOptionString, IsSplitLikeAShellWould) {
    STRCMP_EQUAL("", joined(split_words("")).c_str());
    STRCMP_EQUAL("[a][b]", joined(split_words("  a\t b\n")).c_str());
    STRCMP_EQUAL("[-DA=1 2][-DB=x\"y]", joined(split_words("-DA='1 2' \"-DB=x\\\"y\"")).c_str());
    STRCMP_EQUAL("[-DS=\"text\"][]", joined(split_words("-DS=\\\"text\\\" ''")).c_str());
    STRCMP_EQUAL("[open end]", joined(split_words("'open end")).c_str());
}

TEST(BuildOptionString, OnlyAFrontEndsOptionsArePassedOn) {
    const auto options = parse_options(
        "-D N=3 -DM -UM -I /inc -cl-mad-enable -cl-ext=+all -Xclang -load -o /etc/x -g -O3 -w @f "
        "-D",
        test::gc2000());
    STRCMP_EQUAL("[-DN=3][-DM][-UM][-I/inc][-cl-mad-enable]", joined(options.arguments).c_str());
    LONGS_EQUAL(0, options.findings.size());
}

TEST(BuildOptionString, TheVersionIsBounded) {
    LONGS_EQUAL(110, parse_options("", test::gc2000()).c_version);
    LONGS_EQUAL(120, parse_options("", test::gc7000l()).c_version);
    LONGS_EQUAL(0, parse_options("-cl-std=CL1.1", test::gc2000()).findings.size());
    LONGS_EQUAL(0, parse_options("-cl-std=CL1.2", test::gc7000l()).findings.size());
    for (const char* high : {"-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-std=bogus"}) {
        const auto options = parse_options(high, test::gc2000());
        LONGS_EQUAL(1, options.findings.size());
        STRCMP_CONTAINS("-cl-std=CL1.1", options.findings[0].reason.c_str());
    }
    CompilerLimits newer = test::gc7000l();
    newer.c_version = 300;
    LONGS_EQUAL(120, parse_options("", newer).c_version);
    LONGS_EQUAL(300, parse_options("-cl-std=CL3.0", newer).c_version);
}
