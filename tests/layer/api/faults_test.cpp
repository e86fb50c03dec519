// Faults as a program meets them.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/layer/api/child.hpp"
#include "tests/layer/api/played.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer::test;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

constexpr size_t words = 16;
constexpr size_t bytes = words * sizeof(cl_uint);

/// Two kernels over one buffer of zeros.
struct Faulty {
    explicit Faulty(const std::string& faults)
        : played("gc2000", {{"FAULTS", faults}, {"MEMORY", "pass"}}) {
        const cl_program program = played.built(R"(
            __kernel void first(__global uint* out) { out[get_global_id(0)] = 16; }
            __kernel void second(__global uint* out) { out[get_global_id(0)] = 32; }
        )");
        first = clCreateKernel(program, "first", nullptr);
        second = clCreateKernel(program, "second", nullptr);
        out = played.buffer(bytes, CL_MEM_USE_HOST_PTR, host);
        Played::set(first, 0, out);
        Played::set(second, 0, out);
    }
    [[nodiscard]] cl_int launch(cl_kernel kernel, cl_event* event = nullptr) const {
        constexpr size_t size = words;
        return clEnqueueNDRangeKernel(played.queue, kernel, 1, nullptr, &size, nullptr, 0, nullptr,
                                      event);
    }
    [[nodiscard]] std::vector<cl_uint> result() const { return played.read(out, words); }

    Played played;
    alignas(4096) cl_uint host[words] = {};
    cl_kernel first = nullptr;
    cl_kernel second = nullptr;
    cl_mem out = nullptr;
};

bool complete(cl_event event) {
    cl_int status = CL_QUEUED;
    LONGS_EQUAL(CL_SUCCESS, clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                           &status, nullptr));
    return status == CL_COMPLETE;
}

struct Called {
    std::atomic<int> times{0};
    std::atomic<cl_int> status{-1000};
    std::thread::id thread;
};

void CL_CALLBACK note_call(cl_event /*event*/, cl_int status, void* data) {
    auto& called = *static_cast<Called*>(data);
    called.thread = std::this_thread::get_id();
    called.status = status;
    ++called.times;
}

cl_int code_of_context(const Played& played) {
    cl_uint count = 0;
    return clGetContextInfo(played.context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, nullptr);
}

cl_int code_of_kernel_with(const Played& played, cl_context context) {
    const char* text = "__kernel void k(__global uint* out) { out[0] = 1; }";
    cl_int code = CL_SUCCESS;
    const cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &code);
    if (code != CL_SUCCESS) return code;
    LONGS_EQUAL(CL_SUCCESS, Played::build(program));
    const cl_kernel kernel = clCreateKernel(program, "k", &code);
    const cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, nullptr, &code);
    Played::set(kernel, 0, out);
    const cl_command_queue queue = played.new_queue(context);
    code = clEnqueueTask(queue, kernel, 0, nullptr, nullptr);
    return code != CL_SUCCESS ? code : clFinish(queue);
}

}  // namespace

TEST_GROUP(Faults){};

TEST(Faults, TheNthCallFailsAndNoOther) {
    const Faulty faulty("clFinish@2=CL_OUT_OF_HOST_MEMORY");
    LONGS_EQUAL(CL_SUCCESS, clFinish(faulty.played.queue));
    LONGS_EQUAL(CL_OUT_OF_HOST_MEMORY, clFinish(faulty.played.queue));
    LONGS_EQUAL(CL_SUCCESS, clFinish(faulty.played.queue));
}

TEST(Faults, FromTheNthCallOn) {
    const Faulty faulty("clFlush@2+=CL_INVALID_COMMAND_QUEUE");
    LONGS_EQUAL(CL_SUCCESS, clFlush(faulty.played.queue));
    LONGS_EQUAL(CL_INVALID_COMMAND_QUEUE, clFlush(faulty.played.queue));
    LONGS_EQUAL(CL_INVALID_COMMAND_QUEUE, clFlush(faulty.played.queue));
}

TEST(Faults, EveryCall) {
    const Faulty faulty("clCreateSampler@*=CL_NOT_ALIGNED");
    for (int call = 0; call < 3; ++call) {
        cl_int code = CL_SUCCESS;
        POINTERS_EQUAL(nullptr, clCreateSampler(faulty.played.context, CL_FALSE, CL_ADDRESS_NONE,
                                                CL_FILTER_NEAREST, &code));
        LONGS_EQUAL(-1143, code);
    }
}

TEST(Faults, ALaunchThatFailsDidNothing) {
    const Faulty faulty("clEnqueueNDRangeKernel@2=CL_OUT_OF_RESOURCES");
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, faulty.launch(faulty.second));
    LONGS_EQUAL(16, faulty.result()[0]);
}

TEST(Faults, AKernelAlone) {
    const Faulty faulty("clEnqueueNDRangeKernel[second]@2=CL_OUT_OF_RESOURCES");
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first));
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.second));
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, faulty.launch(faulty.second));
}

TEST(Faults, KilledInsideACall) {
    const Outcome outcome = in_child([] {
        const Faulty faulty("clFinish@2=kill;clEnqueueNDRangeKernel@9=kill");
        LONGS_EQUAL(CL_SUCCESS, clFinish(faulty.played.queue));
        clFinish(faulty.played.queue);
    });
    LONGS_EQUAL(SIGKILL, outcome.signal);
}

TEST(Faults, KilledInsideALaunch) {
    const Outcome outcome = in_child([] {
        const Faulty faulty("clEnqueueNDRangeKernel[second]@1=kill");
        LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first));
        (void)faulty.launch(faulty.second);
    });
    LONGS_EQUAL(SIGKILL, outcome.signal);
}

TEST(Faults, ACallThatNeverReturns) {
    const Outcome outcome = in_child([] {
        const Faulty faulty("clFinish@2=block");
        LONGS_EQUAL(CL_SUCCESS, clFinish(faulty.played.queue));
        ::alarm(1);
        clFinish(faulty.played.queue);
    });
    LONGS_EQUAL(SIGALRM, outcome.signal);
}

TEST(Faults, ALostContextFailsAndANewOneWorks) {
    const Faulty faulty("clFlush@1=lost");
    const Played& played = faulty.played;
    LONGS_EQUAL(CL_SUCCESS, code_of_context(played));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, clFlush(played.queue));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, code_of_context(played));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, clFinish(played.queue));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, faulty.launch(faulty.first));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, played.buffer_code(64));
    cl_int code = CL_SUCCESS;
    POINTERS_EQUAL(nullptr, clEnqueueMapBuffer(played.queue, faulty.out, CL_TRUE, CL_MAP_READ, 0,
                                               bytes, 0, nullptr, nullptr, &code));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, code);
    LONGS_EQUAL(CL_SUCCESS, code_of_kernel_with(played, played.new_context()));
    LONGS_EQUAL(CL_SUCCESS, clReleaseCommandQueue(played.queue));
    LONGS_EQUAL(CL_SUCCESS, clReleaseContext(played.context));
}

TEST(Faults, LostInALaunch) {
    const Faulty faulty("clEnqueueNDRangeKernel@2=lost");
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, faulty.launch(faulty.first));
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, clFlush(faulty.played.queue));
}

TEST(Faults, AHangNeverCompletes) {
    const Outcome outcome = in_child([] {
        const Faulty faulty("clEnqueueNDRangeKernel@2=hang");
        cl_event before = nullptr;
        cl_event hung = nullptr;
        cl_event after = nullptr;
        LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first, &before));
        LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.second, &hung));
        LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first, &after));
        LONGS_EQUAL(CL_SUCCESS, clFlush(faulty.played.queue));
        CHECK(wait_for(milliseconds(10000), [&] { return complete(before); }));
        CHECK(!wait_for(milliseconds(200), [&] { return complete(hung) || complete(after); }));
        ::_exit(7);
    });
    LONGS_EQUAL(7, outcome.code);
}

TEST(Faults, ALateLaunchCompletesLater) {
    const Faulty faulty("clEnqueueNDRangeKernel@1=late:300");
    cl_event event = nullptr;
    const auto start = Clock::now();
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first, &event));
    LONGS_EQUAL(CL_SUCCESS, clFlush(faulty.played.queue));
    CHECK(!complete(event));
    CHECK(wait_for(milliseconds(20000), [&] { return complete(event); }));
    CHECK(Clock::now() - start >= milliseconds(300));
    LONGS_EQUAL(16, faulty.result()[0]);
}

TEST(Faults, OneBitOfABufferIsFlipped) {
    const Faulty faulty("clEnqueueNDRangeKernel@2=flip:0");
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.second));
    LONGS_EQUAL(32, faulty.result()[0]);
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first));
    const std::vector<cl_uint> result = faulty.result();
    LONGS_EQUAL(17, result[0]);
    for (size_t i = 1; i < words; ++i) LONGS_EQUAL(16, result[i]);
}

TEST(Faults, OneBitOfEachByteIsFlipped) {
    const Faulty faulty("clEnqueueNDRangeKernel[first]@*=flip-all:0");
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first));
    for (const cl_uint word : faulty.result()) LONGS_EQUAL(0x01010111, word);
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.second));
    LONGS_EQUAL(32, faulty.result()[5]);
}

TEST(Faults, ABuildFails) {
    const Played played("gc2000", {{"FAULTS", "clBuildProgram@1=fail"}});
    const cl_program program =
        played.program("__kernel void k(__global uint* out) { out[0] = 1; }");
    LONGS_EQUAL(CL_BUILD_PROGRAM_FAILURE, Played::build(program));
    cl_build_status status = CL_BUILD_NONE;
    LONGS_EQUAL(CL_SUCCESS, clGetProgramBuildInfo(program, played.device(), CL_PROGRAM_BUILD_STATUS,
                                                  sizeof status, &status, nullptr));
    LONGS_EQUAL(CL_BUILD_ERROR, status);
    STRCMP_CONTAINS("a fault that was asked for", played.log(program).c_str());
    LONGS_EQUAL(CL_SUCCESS, Played::build(program));
    LONGS_EQUAL(CL_SUCCESS, Played::kernel_code(program, "k"));
}

TEST(Faults, AMapGivesAnotherPointer) {
    const Faulty faulty("clEnqueueMapBuffer@1=elsewhere");
    const Played& played = faulty.played;
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first));
    auto* mapped =
        static_cast<cl_uint*>(played.map(faulty.out, CL_MAP_READ | CL_MAP_WRITE, 0, bytes));
    CHECK(mapped != faulty.host);
    LONGS_EQUAL(16, mapped[3]);
    mapped[3] = 4;
    played.unmap(faulty.out, mapped);
    LONGS_EQUAL(4, faulty.result()[3]);
    void* again = played.map(faulty.out, CL_MAP_READ, 0, bytes);
    POINTERS_EQUAL(faulty.host, again);
    played.unmap(faulty.out, again);
}

TEST(Faults, ACallbackInsideTheCall) {
    const Faulty faulty("clSetEventCallback@1=sync");
    cl_event event = nullptr;
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first, &event));
    Called called;
    LONGS_EQUAL(CL_SUCCESS, clSetEventCallback(event, CL_COMPLETE, note_call, &called));
    LONGS_EQUAL(1, called.times);
    LONGS_EQUAL(CL_COMPLETE, called.status);
    CHECK(called.thread == std::this_thread::get_id());
    CHECK(complete(event));
}

TEST(Faults, ACallbackThatComesLate) {
    const Faulty faulty("clSetEventCallback@1=late:300");
    cl_event event = nullptr;
    const auto start = Clock::now();
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first, &event));
    static Called called;
    LONGS_EQUAL(CL_SUCCESS, clSetEventCallback(event, CL_COMPLETE, note_call, &called));
    LONGS_EQUAL(CL_SUCCESS, clReleaseEvent(event));  // as careless programs do
    faulty.played.finish();
    CHECK(wait_for(milliseconds(20000), [] { return called.times == 1; }));
    CHECK(Clock::now() - start >= milliseconds(300));
    LONGS_EQUAL(CL_COMPLETE, called.status);
}

TEST(Faults, ACallbackThatNeverComes) {
    const Faulty faulty("clSetEventCallback@1=never");
    cl_event event = nullptr;
    LONGS_EQUAL(CL_SUCCESS, faulty.launch(faulty.first, &event));
    static Called never;
    static Called always;
    LONGS_EQUAL(CL_SUCCESS, clSetEventCallback(event, CL_COMPLETE, note_call, &never));
    LONGS_EQUAL(CL_SUCCESS, clSetEventCallback(event, CL_COMPLETE, note_call, &always));
    faulty.played.finish();
    CHECK(wait_for(milliseconds(20000), [] { return always.times == 1; }));
    CHECK(!wait_for(milliseconds(200), [] { return never.times > 0; }));
}
