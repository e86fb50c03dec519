// Local, constant and private memory, arguments, buffers: each limit is crossed by one, and kept
// to.
#include <fmt/format.h>

#include "tests/layer/api/child.hpp"
#include "tests/layer/api/played.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer::test;

namespace {

/// A kernel that needs `own` words of local memory and takes more as an argument.
std::string local_user(size_t own) {
    return fmt::format(R"(
__kernel void local_user(__global uint* out, __local uint* scratch) {{
    __local uint own[{0}];
    uint i = get_local_id(0);
    own[{0} - 1 - i] = i;
    scratch[i] = i * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = own[{0} - 1 - i] + scratch[i];
}}
)",
                       own);
}

/// A kernel with this many arguments in constant memory.
std::string constant_user(int count) {
    std::string parameters;
    std::string sum = "0";
    for (int i = 0; i < count; ++i) {
        parameters += fmt::format(", __constant uint* c{}", i);
        sum += fmt::format(" + c{}[0]", i);
    }
    return fmt::format("__kernel void constant_user(__global uint* out{}) {{ out[0] = {}; }}",
                       parameters, sum);
}

void check_constants_of(const Played& played, cl_uint most, size_t bytes) {
    const cl_program over = played.built(constant_user(static_cast<int>(most) + 1));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, Played::kernel_code(over, "constant_user"));
    const cl_kernel kernel = played.kernel(constant_user(static_cast<int>(most)), "constant_user");
    const cl_mem out = played.buffer(4);
    std::vector<cl_uint> ones(bytes / 4 + 1, 1);
    const cl_mem full = played.buffer(bytes, CL_MEM_COPY_HOST_PTR, ones.data());
    Played::set(kernel, 0, out);
    for (cl_uint i = 1; i <= most; ++i) Played::set(kernel, i, full);
    LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {1}));
    LONGS_EQUAL(most, played.read(out, 1)[0]);
    Played::set(kernel, most, played.buffer(bytes + 1, CL_MEM_COPY_HOST_PTR, ones.data()));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, played.launch(kernel, {1}));
}

/// GC2000's 256 bytes of arguments, of which the buffer takes a pointer's eight, and what comes on
/// top.
/// A pointer takes four bytes there, whatever it takes here.
std::string with_256_bytes(std::string_view on_top) {
    return fmt::format(R"(
__kernel void many(__global float* out, float16 a, float16 b, float16 c, float8 d, float4 e,
                   float2 f, float g{}) {{
    out[0] = a.s0 + b.s1 + c.s2 + d.s3 + e.w + f.y + g;
}}
)",
                       on_top);
}

void set_256_bytes(cl_kernel kernel, cl_mem out) {
    Played::set(kernel, 0, out);
    for (cl_uint i = 1; i <= 3; ++i) Played::set(kernel, i, cl_float16{{1, 2, 3}});
    Played::set(kernel, 4, cl_float8{{1, 2, 3, 4}});
    Played::set(kernel, 5, cl_float4{{1, 2, 3, 5}});
    Played::set(kernel, 6, cl_float2{{1, 6}});
    Played::set(kernel, 7, cl_float{7});
}

cl_int sub_buffer_code(cl_mem buffer, size_t origin) {
    const cl_buffer_region region{origin, 64};
    cl_int code = CL_SUCCESS;
    const cl_mem part =
        clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    CHECK_EQUAL(code == CL_SUCCESS, part != nullptr);
    return code;
}

}  // namespace

TEST_GROUP(MemoryLimits){};

TEST(MemoryLimits, LocalMemoryOfTheKernelsOwn) {
    const Played played("gc2000");
    LONGS_EQUAL(CL_SUCCESS, Played::kernel_code(played.built(local_user(256)), "local_user"));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES,
                Played::kernel_code(played.built(local_user(257)), "local_user"));
}

TEST(MemoryLimits, LocalMemoryByArgument) {
    const Played played("gc2000");
    const cl_kernel kernel = played.kernel(local_user(128), "local_user");
    const cl_mem out = played.buffer(64);
    Played::set(kernel, 0, out);
    Played::set_local(kernel, 1, 512);
    LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {16}, {16}));
    LONGS_EQUAL(45, played.read(out, 16)[15]);
    Played::set_local(kernel, 1, 513);
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, played.launch(kernel, {16}, {16}));
    Played::set_local(kernel, 1, 64);  // a refusal is not for ever
    LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {16}, {16}));
}

TEST(MemoryLimits, LocalMemoryOfALargerDevice) {
    const Played played("gc7000l-localmem");
    LONGS_EQUAL(CL_SUCCESS, Played::kernel_code(played.built(local_user(4096)), "local_user"));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES,
                Played::kernel_code(played.built(local_user(4097)), "local_user"));
}

TEST(MemoryLimits, ConstantArgumentsOfGc2000) {
    check_constants_of(Played("gc2000"), 4, 2688);
}

TEST(MemoryLimits, ConstantArgumentsOfGc7000l) {
    check_constants_of(Played("gc7000l"), 9, 65536);
}

TEST(MemoryLimits, SizeOfAllArguments) {
    const Played played("gc2000");
    const cl_mem out = played.buffer(4);
    const cl_kernel inside = played.kernel(with_256_bytes(""), "many");
    set_256_bytes(inside, out);
    LONGS_EQUAL(CL_SUCCESS, played.launch(inside, {1}));
    float sum = 0;
    LONGS_EQUAL(CL_SUCCESS, clEnqueueReadBuffer(played.queue, out, CL_TRUE, 0, sizeof sum, &sum, 0,
                                                nullptr, nullptr));
    DOUBLES_EQUAL(1 + 2 + 3 + 4 + 5 + 6 + 7, sum, 0);
    const cl_kernel over = played.kernel(with_256_bytes(", char one_more"), "many");
    set_256_bytes(over, out);
    constexpr cl_char one_more = 0;
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, clSetKernelArg(over, 8, sizeof one_more, &one_more));
    set_256_bytes(over, out);  // to set an argument anew takes no more room
}

TEST(MemoryLimits, SubBuffersAreAligned) {
    const Played played("gc7000l");
    const cl_mem whole = played.buffer(4096);
    for (const size_t origin : {0U, 128U, 3968U}) {
        LONGS_EQUAL(CL_SUCCESS, sub_buffer_code(whole, origin));
    }
    for (const size_t origin : {1U, 64U, 127U, 129U}) {
        LONGS_EQUAL(CL_MISALIGNED_SUB_BUFFER_OFFSET, sub_buffer_code(whole, origin));
    }
}

TEST(MemoryLimits, SizeOfABuffer) {
    const Played played("gc2000");
    LONGS_EQUAL(CL_SUCCESS, played.buffer_code(67108864));
    LONGS_EQUAL(CL_INVALID_BUFFER_SIZE, played.buffer_code(67108865));
    LONGS_EQUAL(CL_INVALID_BUFFER_SIZE, played.buffer_code(0));
}

TEST(MemoryLimits, SizeOfABufferOnALargerDevice) {
    const Played played("gc7000l");
    LONGS_EQUAL(CL_SUCCESS, played.buffer_code(134217728));
    LONGS_EQUAL(CL_INVALID_BUFFER_SIZE, played.buffer_code(134217729));
}
