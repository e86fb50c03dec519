// Programs that sin by exactly one thing, and their innocent brothers.
#include <string>
#include <vector>

#include "tests/layer/compiler/support.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer;
using namespace glint::layer::test;

namespace {

std::string kernel(const std::string& body, const std::string& parameters = "__global int* p") {
    return "__kernel void k(" + parameters + ")\n{\n" + body + "\n}\n";
}

void check_fine(const std::string& source, const CompilerLimits& limits,
                const std::string& options = "") {
    STRCMP_EQUAL("", refusals(source, limits, options).c_str());
}

void check_sin(const std::string& part, const std::string& source, const CompilerLimits& limits,
               const std::string& options = "") {
    STRCMP_EQUAL("", other_than(part, refusals(source, limits, options)).c_str());
}

}  // namespace

TEST_GROUP(Features){};

TEST(Features, VersionAboveTheDevices) {
    check_fine(kernel("p[0] = 1;"), gc2000(), "-cl-std=CL1.1");
    check_sin("up to 1.1, not CL1.2", kernel("p[0] = 1;"), gc2000(), "-cl-std=CL1.2");
}

TEST(Features, AtomicsInTheVendorsWords) {
    const std::string source = kernel("atomic_inc(p);");
    check_fine(source, gc7000l());
    const CompilerVerdict verdict = check_program(source, "", gc2000());
    CHECK_FALSE(verdict.builds);
    STRCMP_EQUAL(
        "(3:0) : error : 'atomic_inc' hasn't the corresponding declaration\n"
        "glint-layer: line 3: GC2000 has no such atomics on global memory: 'atomic_inc' needs "
        "cl_khr_global_int32_base_atomics; let each work-item write results of its own and add "
        "them up in a second kernel\n",
        verdict.log.c_str());
    LONGS_EQUAL(1, verdict.problems.size());
    LONGS_EQUAL(0, verdict.costs.size());
}

TEST(Features, AtomicsNeedTheExtensionOfTheirMemory) {
    CompilerLimits limits = gc2000();
    limits.extensions.insert("cl_khr_local_int32_base_atomics");
    check_fine(kernel("atomic_inc(p);", "__local int* p"), limits);
    check_sin("cl_khr_local_int32_ext", kernel("atomic_max(p, 3);", "__local int* p"), limits);
    check_sin("cl_khr_global_int32_base", kernel("atomic_inc(p);"), limits);
    check_sin("'atom_inc'", kernel("atom_inc(p);"), gc2000());
    check_fine(kernel("atom_inc(p);"), gc7000l());
}

TEST(Features, LongDoubleAndHalf) {
    check_sin("64-bit integer", kernel("p[0] = (int)((long)p[1] * p[2] >> 8);"), gc2000());
    check_fine(kernel("p[0] = (int)((long)p[1] * p[2] >> 8);"), gc7000l());
    check_fine(kernel("p[0] = (p[1] & 1) != 0 ? 65536 : 1;"), gc2000());
    check_sin("64-bit integer", kernel("p[0] = (int)(((long)(p[1] > 2) << 33) + p[2] >> 3);"),
              gc2000());
    check_sin("line 3: GC2000 has no double", kernel("double d = p[0]; p[0] = (int)(d * 2);"),
              gc2000());
    check_sin("no half", kernel("half h = p[0]; p[0] = (int)(h * 2);"), gc7000l());
    check_fine(kernel("q[0] = vload_half(1, p);", "__global half* p, __global float* q"),
               gc7000l());
    check_fine(kernel("p[0] = p[0] * 2.0;", "__global float* p"),
               gc2000());  // a float without fp64
    CompilerLimits able = gc7000l();
    able.extensions.insert("cl_khr_fp64");
    check_sin("no double", kernel("double d = p[0]; p[0] = (int)(d * 2);"), able);
    able.fp64 = true;
    check_fine(kernel("double d = p[0]; p[0] = (int)(d * 2);"), able);
}

TEST(Features, Images) {
    const std::string writes =
        kernel("write_imagef(p, (int2)(0, 0), (float4)(0));", "__write_only image2d_t p");
    check_fine(writes, gc7000l());
    CompilerLimits reads_only = gc7000l();
    reads_only.image_writes = false;
    check_sin("cannot write images: 'write_imagef'", writes, reads_only);
    check_fine(kernel("p[0] = get_image_width(i);", "__global int* p, __read_only image2d_t i"),
               reads_only);
    STRCMP_CONTAINS("has no images", refusals(writes, gc2000()).c_str());
    check_sin("has no images", kernel("p[0] = 1;", "__global int* p, __read_only image2d_t i"),
              gc2000());
}

TEST(Features, PrintfNeedsOpenClC12) {
    check_sin("printf needs OpenCL C 1.2", kernel("printf(\"x\"); p[0] = 1;"), gc2000());
    check_fine(kernel("printf(\"x\"); p[0] = 1;"), gc7000l());
}

TEST(Features, RulesHoldForOldFrontEndsOnly) {
    const std::string source = "int one(void) { return 1; }\n" + kernel("p[0] = one();");
    check_sin("line 1: GC2000's front end does not take '(void)'", source, gc2000());
    check_fine(source, gc7000l());
}

TEST(Features, EachSinIsToldOnce) {
    const std::string text = refusals(
        "int one(void) { return 1; }\n" +
            kernel("double d = p[0];\nif (p[1]) { __local int t; t = 1; }\natomic_inc(p);\n"
                   "atomic_inc(p + 1);\nlong l = 5L; p[0] = (int)(d + l) + one();"),
        gc2000());
    for (const char* part : {"(void)", "double", "__local", "atomic_inc", "64-bit integer", "5L"}) {
        STRCMP_CONTAINS(part, text.c_str());
    }
    LONGS_EQUAL(6, std::ranges::count(text, '\n'));
}

TEST(Features, BrokenSource) {
    check_sin("line 3: not OpenCL C that GC2000 takes: expected ';'", kernel("p[0] = 1"), gc2000());
    check_sin("nothing declares 'foo'", kernel("p[0] = foo(1);"), gc7000l());
    check_sin("file not found", "#include \"no_such_file.h\"\n" + kernel("p[0] = 1;"), gc2000());
    CHECK_FALSE(check_program("\x01\x02 {{{", "", gc2000()).builds);
}

TEST(Features, MacrosTellTheDevice) {
    check_fine(
        "#ifndef __EMBEDDED_PROFILE__\n#error full\n#endif\n#if __OPENCL_VERSION__ != 110\n"
        "#error version\n#endif\n#ifdef __IMAGE_SUPPORT__\n#error images\n#endif\n#ifdef "
        "cl_khr_global_int32_base_atomics\n#error atomics\n#endif\n" +
            kernel("p[0] = 1;"),
        gc2000());
    CompilerLimits odd = gc7000l();
    odd.extensions.insert("cl_viv_something");
    check_fine(
        "#ifdef __EMBEDDED_PROFILE__\n#error embedded\n#endif\n#ifndef cl_viv_something\n"
        "#error extension\n#endif\n#ifndef __IMAGE_SUPPORT__\n#error images\n#endif\n" +
            kernel("p[0] = 1;"),
        odd);
}

TEST(Features, DefinesWithQuotes) {
    const std::string source = kernel("__constant char* t = TEXT; p[0] = t[0] + SUM;");
    check_fine(source, gc2000(), "-DTEXT='\"a b\"' -D 'SUM=(1 + 2)'");
    check_fine(source, gc2000(), "-DTEXT=\\\"ab\\\" -D SUM=3");
}

TEST(Features, AMebibyteOfSource) {
    std::string source = "/*" + std::string(1 << 20, '*') + "*/\n";
    for (int i = 0; i < 200; ++i) source += "int f" + std::to_string(i) + "(int a) { return a; }\n";
    check_fine(source + kernel("p[0] = f7(p[1]);"), gc2000());
}
