// The estimate: what is counted how, and where the line is.
#include <string>

#include "tests/layer/compiler/support.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer;
using namespace glint::layer::test;

namespace {

KernelCost cost_of(const std::string& source, const CompilerLimits& limits) {
    const CompilerVerdict verdict = check_program(source, "", limits);
    LONGS_EQUAL_TEXT(1, verdict.costs.size(), verdict.log.c_str());
    return verdict.costs[0];
}

/// What a statement adds to a kernel that otherwise copies p[1] to p[0].
uint32_t cost_of_change(const std::string& type, const std::string& expression,
                        const CompilerLimits& limits) {
    const auto source = [&](const std::string& value) {
        return "__kernel void k(__global " + type + "* p, " + type + " u) { " + type +
               " a = p[1]; p[0] = " + value + "; }";
    };
    return cost_of(source(expression), limits).instructions -
           cost_of(source("a"), limits).instructions;
}

std::string with_array(int elements, const std::string& type = "uint") {
    const std::string size = std::to_string(elements);
    return "__kernel void k(__global uint* p) { uint i; " + type + " a[" + size +
           "]; for (i = 0u; i < " + size + "u; ++i) a[i] = (" + type + ")p[i]; for (i = 0u; i < " +
           size + "u; ++i) p[i] = (uint)a[p[i]]; }";
}

std::string with_additions(int count) {
    std::string source = "__kernel void k(__global uint* p) { uint a = p[0]; uint b = p[1];\n";
    for (int i = 0; i < count; ++i) source += i % 2 == 0 ? "a += b;\n" : "b ^= a;\n";
    return source + "p[0] = a; p[1] = b; }";
}

}  // namespace

TEST_GROUP(Budget){};

TEST(Budget, IntegerVectorsAreScalarWhereTheDeviceIs) {
    LONGS_EQUAL(1, cost_of_change("int", "a + u", gc2000()));
    LONGS_EQUAL(4, cost_of_change("int4", "a + u", gc2000()));
    LONGS_EQUAL(16, cost_of_change("int16", "a + u", gc2000()));
    LONGS_EQUAL(1, cost_of_change("int4", "a + u", gc7000l()));
    LONGS_EQUAL(4, cost_of_change("int16", "a + u", gc7000l()));
}

TEST(Budget, FloatVectorsGoByTheWidth) {
    LONGS_EQUAL(1, cost_of_change("float", "a * u", gc2000()));
    LONGS_EQUAL(1, cost_of_change("float4", "a * u", gc2000()));
    LONGS_EQUAL(2, cost_of_change("float8", "a * u", gc2000()));
    LONGS_EQUAL(1, cost_of_change("float4", "a * u + a", gc2000()));  // multiply-add
    CompilerLimits narrow = gc2000();
    narrow.float_width = 1;
    LONGS_EQUAL(4, cost_of_change("float4", "a * u", narrow));
}

TEST(Budget, FunctionsByTheTable) {
    LONGS_EQUAL(4, cost_of_change("int4", "min(a, u)", gc2000()));
    LONGS_EQUAL(2, cost_of_change("float4", "clamp(a, u, 2.0f)", gc2000()));
    LONGS_EQUAL(40, cost_of_change("float", "sin(a)", gc2000()));
    LONGS_EQUAL(2, cost_of_change("float", "native_sin(a)", gc2000()));
    LONGS_EQUAL(16, cost_of_change("uint", "a / u", gc2000()));
}

TEST(Budget, CharactersTakeARegisterPerFour) {
    const std::string copy = "__kernel void k(__global TYPE* p) { p[0] = p[1]; }";
    const auto of = [&](const std::string& type) {
        return cost_of(std::string(copy).replace(copy.find("TYPE"), 4, type), gc2000());
    };
    LONGS_EQUAL(3, of("int4").instructions);  // load, store, return
    LONGS_EQUAL(1, of("int4").registers);
    LONGS_EQUAL(3, of("char4").instructions);
    LONGS_EQUAL(9, of("char16").instructions);
    LONGS_EQUAL(4, of("char16").registers);
}

TEST(Budget, HelpersCountInTheirKernels) {
    const std::string helper = "uint f(uint a) { return a * 3u + (a >> 3); }\n";
    const std::string kernel = "__kernel void k(__global uint* p) { p[0] = f(p[1]); }";
    LONGS_EQUAL(6, cost_of(helper + kernel, gc2000()).instructions);
    LONGS_EQUAL(6, cost_of("__attribute__((noinline)) " + helper + kernel, gc2000()).instructions -
                       1);  // its return
}

TEST(Budget, ArraysTakeRegisters) {
    CHECK(cost_of(with_array(64), gc2000()).registers >= 16);
    CHECK(cost_of(with_array(64), gc2000()).registers <= 18);
    // Stored unpacked.
    LONGS_EQUAL(cost_of(with_array(64), gc2000()).registers,
                cost_of(with_array(64, "uchar"), gc2000()).registers);
}

TEST(Budget, JustUnderAndWellOverTheRegisters) {
    STRCMP_EQUAL("", why_too_large(cost_of(with_array(240), gc2000()), gc2000()).c_str());
    const std::string why = why_too_large(cost_of(with_array(1024), gc2000()), gc2000());
    STRCMP_CONTAINS("Not Enough Register Memory\nOCL-007005: (clCreateKernel) cannot link kernel",
                    why.c_str());
    STRCMP_CONTAINS("\nglint-layer: kernel 'k' takes about 25", why.c_str());
    STRCMP_CONTAINS("registers, GC2000 has 64: use fewer or smaller private variables",
                    why.c_str());
}

TEST(Budget, JustUnderAndWellOverTheInstructions) {
    const KernelCost under = cost_of(with_additions(507), gc2000());
    LONGS_EQUAL(512, under.instructions);
    STRCMP_EQUAL("", why_too_large(under, gc2000()).c_str());
    const KernelCost over = cost_of(with_additions(800), gc2000());
    STRCMP_CONTAINS(
        "Not Enough Instruction Memory\nOCL-007005: (clCreateKernel) cannot link kernel",
        why_too_large(over, gc2000()).c_str());
    STRCMP_EQUAL("", why_too_large(over, gc7000l()).c_str());  // runs from memory
}

TEST(Budget, TheLimitIsInclusive) {
    CHECK_TRUE(why_too_large({"k", 512, 64}, gc2000()).empty());
    CHECK_FALSE(why_too_large({"k", 513, 64}, gc2000()).empty());
    CHECK_FALSE(why_too_large({"k", 512, 65}, gc2000()).empty());
}

TEST(Budget, WhatALoopNeedsLivesThroughIt) {
    // Eight vectors made before the loop and read at its start stay until it ends.
    std::string source = "__kernel void k(__global float4* p, uint n) { uint i; float4 s = 0.0f;\n";
    for (int i = 0; i < 8; ++i) {
        source += "float4 v" + std::to_string(i) + " = p[" + std::to_string(i) + "];\n";
    }
    source += "for (i = 0u; i < n; ++i) { s = s * s";
    for (int i = 0; i < 8; ++i) source += " + v" + std::to_string(i) + " * s";
    source += "; } p[n] = s; }";
    const uint32_t registers = cost_of(source, gc2000()).registers;
    CHECK(registers >= 9);
    CHECK(registers <= 12);
}
