// The compiler as a program meets it: what builds, what does not, and what is said of it.
#include <fmt/format.h>

#include "tests/layer/api/child.hpp"
#include "tests/layer/api/played.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer::test;

namespace {

constexpr const char* plain =
    "__kernel void plain(__global uint* out) { out[get_global_id(0)] = 3; }";
constexpr const char* atomic = "__kernel void count(__global uint* out) { atomic_inc(out); }";

/// An array that each work-item has to itself.
std::string with_private_words(int count) {
    return fmt::format(R"(
__kernel void counters(__global uint* out) {{
    uint own[{0}];
    uint i;
    for (i = 0; i < {0}; i++) own[i] = i;
    for (i = 0; i < {0}; i++) own[out[i] % {0}]++;
    for (i = 0; i < {0}; i++) out[i] = own[i];
}}
)",
                       count);
}

/// One after the other, with no loop that a compiler could fold.
std::string with_steps(int count) {
    std::string body;
    for (int i = 0; i < count; ++i) body += fmt::format("    x = x * out[{}] + y;\n", i);
    return "__kernel void steps(__global int* out, int x, int y) {\n" + body +
           "    out[0] = x;\n}\n";
}

cl_build_status status_of(const Played& played, cl_program program) {
    cl_build_status status = CL_BUILD_NONE;
    LONGS_EQUAL(CL_SUCCESS, clGetProgramBuildInfo(program, played.device(), CL_PROGRAM_BUILD_STATUS,
                                                  sizeof status, &status, nullptr));
    return status;
}

void check_too_large(const Played& played, const std::string& source, const char* kernel,
                     const char* what) {
    const cl_program program = played.built(source);
    LONGS_EQUAL(CL_BUILD_SUCCESS, status_of(played, program));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, Played::kernel_code(program, kernel));
    const std::string log = played.log(program);
    STRCMP_CONTAINS(what, log.c_str());
    STRCMP_CONTAINS("OCL-007005: (clCreateKernel) cannot link kernel", log.c_str());
    STRCMP_CONTAINS("glint-layer: ", log.c_str());
}

}  // namespace

TEST_GROUP(CompilerLimits){};

TEST(CompilerLimits, AtomicsDoNotBuildOnGc2000) {
    const Played played("gc2000");
    const cl_program program = played.program(atomic);
    LONGS_EQUAL(CL_BUILD_PROGRAM_FAILURE, Played::build(program));
    LONGS_EQUAL(CL_BUILD_ERROR, status_of(played, program));
    STRCMP_CONTAINS("error : 'atomic_inc' hasn't the corresponding declaration",
                    played.log(program).c_str());
    LONGS_EQUAL(CL_INVALID_PROGRAM_EXECUTABLE, Played::kernel_code(program, "count"));
}

TEST(CompilerLimits, AtomicsCountOnGc7000l) {
    const Played played("gc7000l");
    const cl_kernel kernel = played.kernel(atomic, "count");
    cl_uint zero = 0;
    const cl_mem out = played.buffer(4, CL_MEM_COPY_HOST_PTR, &zero);
    Played::set(kernel, 0, out);
    LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {300}));
    LONGS_EQUAL(300, played.read(out, 1)[0]);
}

TEST(CompilerLimits, LanguageVersionAboveTheDevices) {
    const Played played("gc2000");
    LONGS_EQUAL(CL_SUCCESS, Played::build(played.program(plain), "-cl-std=CL1.1"));
    const cl_program program = played.program(plain);
    LONGS_EQUAL(CL_BUILD_PROGRAM_FAILURE, Played::build(program, "-cl-std=CL1.2"));
    STRCMP_CONTAINS("CL1.2", played.log(program).c_str());
}

TEST(CompilerLimits, TheLanguageIsTheDevices) {
    const Played played("gc2000");
    const cl_kernel kernel = played.kernel(R"(
__kernel void version(__global uint* out) {
    out[0] = __OPENCL_C_VERSION__;
#ifdef __EMBEDDED_PROFILE__
    out[1] = 1;
#else
    out[1] = 0;
#endif
}
)",
                                           "version");
    const cl_mem out = played.buffer(8);
    Played::set(kernel, 0, out);
    LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {1}));
    LONGS_EQUAL(110, played.read(out, 2)[0]);
    LONGS_EQUAL(1, played.read(out, 2)[1]);
}

TEST(CompilerLimits, RegistersAreFoundOutWhenTheKernelIsMade) {
    const Played played("gc2000");
    LONGS_EQUAL(CL_SUCCESS, Played::kernel_code(played.built(with_private_words(32)), "counters"));
    check_too_large(played, with_private_words(1024), "counters", "Not Enough Register Memory");
}

TEST(CompilerLimits, InstructionsAreFoundOutWhenTheKernelIsMade) {
    const Played played("gc2000");
    LONGS_EQUAL(CL_SUCCESS, Played::kernel_code(played.built(with_steps(50)), "steps"));
    check_too_large(played, with_steps(600), "steps", "Not Enough Instruction Memory");
}

TEST(CompilerLimits, Gc7000lRunsFromMemory) {
    const Played played("gc7000l");
    LONGS_EQUAL(CL_SUCCESS, Played::kernel_code(played.built(with_steps(600)), "steps"));
}

TEST(CompilerLimits, AllKernelsOfAProgramAtOnce) {
    const Played played("gc2000");
    cl_uint count = 0;
    cl_kernel kernels[2] = {};
    const cl_program both = played.built(std::string(plain) + with_private_words(32));
    LONGS_EQUAL(CL_SUCCESS, clCreateKernelsInProgram(both, 2, kernels, &count));
    LONGS_EQUAL(2, count);
    for (const cl_kernel kernel : kernels) LONGS_EQUAL(CL_SUCCESS, clReleaseKernel(kernel));
    const cl_program over = played.built(std::string(plain) + with_private_words(1024));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, clCreateKernelsInProgram(over, 2, kernels, &count));
}

TEST(CompilerLimits, BinariesAreNotCheckedAgain) {
    const Played played("gc7000l");
    const cl_program source = played.built(plain);
    size_t size = 0;
    LONGS_EQUAL(CL_SUCCESS,
                clGetProgramInfo(source, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
    std::vector<unsigned char> binary(size);
    unsigned char* bytes = binary.data();
    LONGS_EQUAL(CL_SUCCESS, clGetProgramInfo(source, CL_PROGRAM_BINARIES, sizeof bytes,
                                             static_cast<void*>(&bytes), nullptr));
    const unsigned char* again = bytes;
    const cl_device_id device = played.device();
    cl_int code = CL_SUCCESS;
    const cl_program loaded =
        clCreateProgramWithBinary(played.context, 1, &device, &size, &again, nullptr, &code);
    LONGS_EQUAL(CL_SUCCESS, code);
    LONGS_EQUAL(CL_SUCCESS, Played::build(loaded));
    LONGS_EQUAL(CL_SUCCESS, Played::kernel_code(loaded, "plain"));
}
