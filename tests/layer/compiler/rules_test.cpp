// The source rules of old front ends, over preprocessed text: no clang in here.
#include <string>
#include <vector>

#include "tests/layer/compiler/source_rules.hpp"
#include "tests/layer/compiler/support.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer;
using namespace glint::layer::compiler;

namespace {

std::vector<Finding> findings(const std::string& text) {
    return broken_rules(tokenize(text), "GC2000");
}

void check_fine(const std::string& text) {
    for (const Finding& finding : findings(text)) FAIL((text + ": " + finding.reason).c_str());
}

void check_sin(const std::string& text, uint32_t line, const std::string& part) {
    const auto found = findings(text);
    LONGS_EQUAL_TEXT(1, found.size(), text.c_str());
    LONGS_EQUAL_TEXT(line, found[0].line, text.c_str());
    STRCMP_CONTAINS(part.c_str(), found[0].reason.c_str());
    STRCMP_CONTAINS("GC2000", found[0].reason.c_str());
}

}  // namespace

TEST_GROUP(SourceRules){};

TEST(SourceRules, AttributesComeAfterKernel) {
    check_sin("__attribute__((reqd_work_group_size(8, 1, 1)))\n__kernel void k(int a) { a = 1; }",
              1, "'__kernel' first");
    check_fine("__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(int a) { a = 1; }");
    check_fine("typedef float v __attribute__((aligned(16)));\n__kernel void k(int a) { a = 1; }");
}

TEST(SourceRules, NoInlineHelpers) {
    check_sin("\ninline int twice(int a) { return 2 * a; }", 2, "make 'twice' a macro");
    check_sin("static __inline__ int twice(int a) { return 2 * a; }", 1, "inline");
    check_fine("int twice(int a) { return 2 * a; }");
    check_fine("inline int twice(int a);");
}

TEST(SourceRules, NoVoidParameterLists) {
    check_sin("int one(void) { return 1; }", 1, "write 'one()'");
    check_sin("int one(void);", 1, "write 'one()'");
    check_fine("int one() { return 1; }");
    check_fine("void none(__global void* p) { int a = (int)(1); (void)a; }");
}

TEST(SourceRules, NoEmptyKernels) {
    check_sin("kernel void k(global int* p)\n{ ; }", 1, "empty kernels");
    check_sin("__kernel void k() {}", 1, "empty kernels");
    check_fine("void helper() {}");
    check_fine("__kernel void k(__global int* p);");
}

TEST(SourceRules, NoVecTypeHint) {
    check_sin("__kernel __attribute__((vec_type_hint(float4)))\nvoid k(int a) { a = 1; }", 1,
              "vec_type_hint");
    check_fine("__kernel __attribute__((work_group_size_hint(1, 1, 1))) void k(int a) { a = 1; }");
}

TEST(SourceRules, LocalVariablesStayAtTheTop) {
    check_sin("__kernel void k(int a) {\n if (a) {\n __local int t[4]; t[0] = a; } }", 3,
              "move it out");
    check_sin("kernel void k(int a) { { const local int t = 1; } }", 1, "move it out");
    check_fine("__kernel void k(int a) { __local int t[4]; t[0] = a; }");
    check_fine("__kernel void k(__local int* t) { { __local int* p = (__local int*)t; *p = 1; } }");
}

TEST(SourceRules, NoThreeElementsInMemory) {
    check_sin("__kernel void k(__global uchar3* p) { p[0] = 1; }", 1, "'uchar3'");
    check_sin("__kernel void k(__global float3 const * p) { p[0] = 1; }", 1, "'float3'");
    check_sin("__kernel void k(int a) { float3 t[4]; t[0] = a; }", 1, "'float3'");
    check_sin("typedef float3 colour; __kernel void k(__global colour* p) { p[0] = 1; }", 1,
              "'colour'");
    check_fine("__kernel void k(__global float* p) { float3 a = vload3(0, p); a *= 2; }");
    check_fine("__kernel void k(__global float4* p) { p[0] = 1; }");
}

TEST(SourceRules, No64BitLiterals) {
    for (const std::string literal : {"5L", "5ul", "0x10LU", "4294967296", "0x100000000",
                                      "3000000000", "99999999999999999999"}) {
        check_sin("int f() {\n\n return " + literal + "; }", 3, "'" + literal + "'");
    }
    for (const std::string literal : {"5", "5u", "0xffffffff", "3000000000u", "2147483647", "1.0f",
                                      "1e10", "0x1p40f", "0xe", "037777777777", "1.l"}) {
        check_fine("float f() { return " + literal + "; }");
    }
}

TEST(SourceRules, LinesAreThoseOfTheSource) {
    check_sin("# 1 \"<stdin>\"\n# 1 \"x.h\" 1\nint a;\n# 40 \"<stdin>\" 2\nint b() { return 1L; }",
              40, "1L");
    check_sin("#pragma OPENCL EXTENSION x : 5L\nint b() { return 1L; }", 2, "1L");
}

TEST(SourceRules, TextIsNotCode) {
    check_fine("__constant char t[] = \"inline int f(void) { \\\" 5L }\";\nint a = '\\'';");
}

TEST(SourceRules, AnythingMayBeCutShort) {
    const std::string text =
        "__attribute__((x(1))) __kernel void k(__global uchar3* p, int a[2]) { if (a) { __local "
        "int "
        "t[4]; } \"s\" } inline int f(void) { return 5L; }";
    for (size_t size = 0; size <= text.size(); ++size) findings(text.substr(0, size));
    for (size_t from = 0; from <= text.size(); ++from) findings(text.substr(from));
}
