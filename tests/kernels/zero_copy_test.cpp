// The proof of zero copy on a real driver, and that it can fail.
#include <array>

#include "daemon/gpu/program.hpp"
#include "kernels/kernel_sources.hpp"
#include "tests/kernels/device.hpp"
#include "zero_copy/frame_memory.hpp"
#include "zero_copy/gpu_buffer.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;

TEST_GROUP(ZeroCopy) {
    gpu::BinaryCache cache{""};
    gpu::BuiltProgram build(std::string_view source) {
        constexpr std::array names{"pattern_write", "pattern_compare"};
        return gpu::build_program(context(), cache, source, "-cl-std=CL1.1", names);
    }
    zero_copy::TransportProof prove(const gpu::BuiltProgram& pattern,
                                    zero_copy::FrameMemory& memory) {
        zero_copy::GpuBuffer buffer(context().handle.get(), memory.data(), memory.size());
        auto proof = zero_copy::prove(buffer, memory, context().handle.get(), queue(),
                                      {pattern.kernels[0].get(), pattern.kernels[1].get()});
        LONGS_EQUAL(CL_SUCCESS, buffer.enqueue_unmap(queue()));
        LONGS_EQUAL(CL_SUCCESS, clFinish(queue()));
        return proof;
    }
};

TEST(ZeroCopy, PagesOfOursAreSharedWhereMemoryIs) {
    zero_copy::FrameMemory memory(size_t{1920} * 1080 * 3 / 2);
    const auto proof = prove(build(kernels::ep_pattern), memory);
    STRCMP_EQUAL("", proof.reason.c_str());
    CHECK(proof.correct);
    // A card with memory of its own must keep a copy.
    STRCMP_EQUAL(context().device.traits.unified_memory ? "proven" : "no",
                 zero_copy::name_of(proof.zero_copy));
}

TEST(ZeroCopy, ADeviceThatWritesSomethingElseIsRefused) {
    std::string wrong(kernels::ep_pattern);
    wrong.replace(wrong.find("buffer[i] = (i + seed)"), 22, "buffer[i] = (i - seed)");
    zero_copy::FrameMemory memory(8192);
    const auto proof = prove(build(wrong), memory);
    CHECK_FALSE(proof.correct);
    STRCMP_CONTAINS("the CPU read 2048 of 2048 words wrong after map", proof.reason.c_str());
}

TEST(ZeroCopy, ADeviceThatReadsSomethingElseIsRefused) {
    std::string wrong(kernels::ep_pattern);
    wrong.replace(wrong.find("buffer[i] != (i + seed)"), 23, "buffer[i] != (i - seed)");
    zero_copy::FrameMemory memory(8192);
    const auto proof = prove(build(wrong), memory);
    CHECK_FALSE(proof.correct);
    STRCMP_CONTAINS("the device read 2048 of 2048 words wrong after unmap", proof.reason.c_str());
}

TEST(ZeroCopy, MappingTwiceAndUnmappingTwiceIsHarmless) {
    zero_copy::FrameMemory memory(4096);
    zero_copy::GpuBuffer buffer(context().handle.get(), memory.data(), memory.size());
    CHECK_FALSE(buffer.mapped());
    LONGS_EQUAL(CL_SUCCESS, buffer.enqueue_unmap(queue()));
    LONGS_EQUAL(CL_SUCCESS, buffer.enqueue_map(queue(), CL_MAP_READ, nullptr));
    CHECK(buffer.mapped());
    LONGS_EQUAL(CL_SUCCESS, buffer.enqueue_unmap(queue()));
    LONGS_EQUAL(CL_SUCCESS, buffer.enqueue_unmap(queue()));
    LONGS_EQUAL(CL_SUCCESS, clFinish(queue()));
}
