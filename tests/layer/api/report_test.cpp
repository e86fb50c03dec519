// GLINT_LAYER_REPORT: the account is exact, whatever the program did.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/layer/api/child.hpp"
#include "tests/layer/api/played.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer::test;
using nlohmann::json;

namespace {

constexpr const char* two_kernels = R"(
__kernel void first(__global uint* out) { out[get_global_id(0)] = 1; }
__kernel void second(__global uint* out) { out[get_global_id(0)] = 2; }
)";

using Body = std::function<void(const Played&)>;

/// What the layer wrote when a process that did this ended.
json report_of(const std::string& profile, Settings settings, const Body& body) {
    const TemporaryFile file;
    settings["REPORT"] = file.path();
    const Outcome outcome = in_child([&] { body(Played(profile, settings)); });
    LONGS_EQUAL(0, outcome.code);
    return json::parse(file.read());
}

void check_equal(const char* expected, const json& actual) {
    STRCMP_EQUAL(json::parse(expected).dump().c_str(), actual.dump().c_str());
}

struct HostMemory {
    alignas(4096) std::array<std::byte, 4096> bytes{};
};

void move_bytes(const Played& played) {
    HostMemory host;
    const cl_command_queue queue = played.queue;
    const cl_mem a = played.buffer(1000);
    const cl_mem b = played.buffer(1000);
    constexpr size_t zero[3] = {};
    constexpr size_t box[3] = {4, 3, 2};
    constexpr cl_uint pattern = 0;
    void* memory = host.bytes.data();
    clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, 100, memory, 0, nullptr, nullptr);
    clEnqueueWriteBufferRect(queue, a, CL_TRUE, zero, zero, box, 0, 0, 0, 0, memory, 0, nullptr,
                             nullptr);
    clEnqueueFillBuffer(queue, a, &pattern, 4, 0, 64, 0, nullptr, nullptr);
    clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 50, memory, 0, nullptr, nullptr);
    clEnqueueReadBufferRect(queue, a, CL_TRUE, zero, zero, box, 0, 0, 0, 0, memory, 0, nullptr,
                            nullptr);
    clEnqueueCopyBuffer(queue, a, b, 0, 0, 30, 0, nullptr, nullptr);
    clEnqueueCopyBufferRect(queue, a, b, zero, zero, box, 0, 0, 0, 0, 0, nullptr, nullptr);
    // What fails moves nothing.
    LONGS_EQUAL(CL_INVALID_VALUE,
                clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 1001, memory, 0, nullptr, nullptr));
    LONGS_EQUAL(CL_INVALID_VALUE,
                clEnqueueWriteBuffer(queue, a, CL_TRUE, 999, 2, memory, 0, nullptr, nullptr));
    LONGS_EQUAL(CL_INVALID_VALUE,
                clEnqueueCopyBuffer(queue, a, b, 1000, 0, 1, 0, nullptr, nullptr));
    played.finish();
}

/// Both ways, whole and in part.
void map_bytes(const Played& played) {
    HostMemory host;
    const cl_mem mem = played.buffer(4096, CL_MEM_USE_HOST_PTR, host.bytes.data());
    played.unmap(mem, played.map(mem, CL_MAP_READ | CL_MAP_WRITE, 0, 4096));
    played.unmap(mem, played.map(mem, CL_MAP_READ, 0, 1000));
    played.unmap(mem, played.map(mem, CL_MAP_WRITE, 64, 100));
    const cl_mem own = played.buffer(4096, CL_MEM_ALLOC_HOST_PTR);
    played.unmap(own, played.map(own, CL_MAP_READ | CL_MAP_WRITE, 0, 4096));
}

/// One of each kind, with a second reference to each.
struct Objects {
    explicit Objects(const Played& played)
        : program(played.built(two_kernels)),
          kernel(clCreateKernel(program, "first", nullptr)),
          mem(played.buffer(64)),
          sampler(clCreateSampler(played.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST,
                                  nullptr)) {
        Played::set(kernel, 0, mem);
        constexpr size_t one = 1;
        LONGS_EQUAL(CL_SUCCESS, clEnqueueNDRangeKernel(played.queue, kernel, 1, nullptr, &one,
                                                       nullptr, 0, nullptr, &event));
        played.finish();
        const cl_int codes[] = {clRetainProgram(program),       clRetainKernel(kernel),
                                clRetainMemObject(mem),         clRetainSampler(sampler),
                                clRetainEvent(event),           clRetainCommandQueue(played.queue),
                                clRetainContext(played.context)};
        for (const cl_int code : codes) LONGS_EQUAL(CL_SUCCESS, code);
    }
    void release(const Played& played) const {
        const cl_int codes[] = {
            clReleaseProgram(program),       clReleaseKernel(kernel),
            clReleaseMemObject(mem),         clReleaseSampler(sampler),
            clReleaseEvent(event),           clReleaseCommandQueue(played.queue),
            clReleaseContext(played.context)};
        for (const cl_int code : codes) LONGS_EQUAL(CL_SUCCESS, code);
    }
    cl_program program;
    cl_kernel kernel;
    cl_mem mem;
    cl_sampler sampler;
    cl_event event = nullptr;
};

json refusal_of(const json& report, std::string_view place) {
    for (const json& refusal : report["refusals"]) {
        if (refusal["place"] == place) return refusal;
    }
    return {};
}

}  // namespace

TEST_GROUP(Report){};

TEST(Report, SaysWhatWasPlayed) {
    const json report = report_of("gc7000ul", {{"MEMORY", "shadow-all"}}, [](const Played&) {});
    check_equal("\"gc7000ul\"", report["profile"]);
    check_equal("\"shadow-all\"", report["memory"]);
    check_equal("[]", report["calls_beyond_version"]);
    LONGS_EQUAL(1, report["calls"]["clCreateContext"]);
    CHECK_FALSE(report["calls"].contains("clFinish"));
}

TEST(Report, BytesReadWrittenAndCopied) {
    const json report = report_of("gc7000l", {{"MEMORY", "strict"}}, move_bytes);
    check_equal(R"({"read": 74, "written": 188, "copied": 54, "mapped": 0, "unmapped": 0})",
                report["bytes"]);
}

TEST(Report, MapsOfOnesOwnMemoryMoveNothing) {
    for (const char* mode : {"pass", "shadow", "not-aligned"}) {
        const json report = report_of("gc2000", {{"MEMORY", mode}}, map_bytes);
        check_equal(R"({"read": 0, "written": 0, "copied": 0, "mapped": 0, "unmapped": 0})",
                    report["bytes"]);
        check_equal(R"({"use_host_ptr": 1, "alloc_host_ptr": 1, "copy_host_ptr": 0, "plain": 0,
                        "shadowed": 0, "mapped_in_place": 1})",
                    report["buffers"]);
    }
}

TEST(Report, MapsOfAShadowMoveBytes) {
    for (const char* mode : {"shadow-all", "strict"}) {
        const json report = report_of("gc2000", {{"MEMORY", mode}}, map_bytes);
        check_equal(R"({"read": 0, "written": 0, "copied": 0, "mapped": 5196, "unmapped": 4196})",
                    report["bytes"]);
        check_equal(R"({"use_host_ptr": 1, "alloc_host_ptr": 1, "copy_host_ptr": 0, "plain": 0,
                        "shadowed": 1, "mapped_in_place": 0})",
                    report["buffers"]);
    }
}

TEST(Report, BuffersByKind) {
    const json report = report_of("gc2000", {{"MEMORY", "shadow"}}, [](const Played& played) {
        HostMemory host;
        (void)played.buffer(64);
        (void)played.buffer(64, CL_MEM_READ_ONLY);
        (void)played.buffer(64, CL_MEM_COPY_HOST_PTR, host.bytes.data());
        (void)played.buffer(64, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, host.bytes.data());
        (void)played.buffer(64, CL_MEM_USE_HOST_PTR, host.bytes.data());
        (void)played.buffer(60, CL_MEM_USE_HOST_PTR, host.bytes.data() + 64);
        LONGS_EQUAL(CL_INVALID_BUFFER_SIZE, played.buffer_code(0));
    });
    check_equal(R"({"use_host_ptr": 2, "alloc_host_ptr": 1, "copy_host_ptr": 1, "plain": 2,
                    "shadowed": 1, "mapped_in_place": 0})",
                report["buffers"]);
}

TEST(Report, BuffersThatWereNotMadeDoNotCount) {
    const json report = report_of("gc2000", {{"MEMORY", "shadow-all"}}, [](const Played& played) {
        HostMemory host;
        LONGS_EQUAL(
            CL_INVALID_VALUE,
            played.buffer_code(64, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                               host.bytes.data()));
    });
    LONGS_EQUAL(0, report["buffers"]["use_host_ptr"]);
    LONGS_EQUAL(0, report["buffers"]["shadowed"]);
}

TEST(Report, LaunchesByKernelAndBuilds) {
    const json report = report_of("gc2000", {}, [](const Played& played) {
        const cl_program program = played.built(two_kernels);
        const cl_kernel first = clCreateKernel(program, "first", nullptr);
        const cl_kernel second = clCreateKernel(program, "second", nullptr);
        const cl_mem mem = played.buffer(64);
        Played::set(first, 0, mem);
        Played::set(second, 0, mem);
        for (int i = 0; i < 3; ++i) LONGS_EQUAL(CL_SUCCESS, played.launch(first, {4}));
        LONGS_EQUAL(CL_SUCCESS, clEnqueueTask(played.queue, second, 0, nullptr, nullptr));
        LONGS_EQUAL(CL_INVALID_GLOBAL_WORK_SIZE, played.launch(second, {65537}));
        played.finish();
        LONGS_EQUAL(
            CL_BUILD_PROGRAM_FAILURE,
            Played::build(played.program("__kernel void k(__global double* p) { *p = 1; }")));
    });
    check_equal(R"({"first": 3, "second": 1})", report["launches"]);
    check_equal(R"({"source": 2, "refused": 1, "unchecked": 0, "binary": 0})", report["builds"]);
}

TEST(Report, BinaryLoads) {
    const json report = report_of("gc2000", {}, [](const Played& played) {
        constexpr unsigned char bytes[] = {1, 2, 3};
        const unsigned char* binary = bytes;
        constexpr size_t size = sizeof bytes;
        const cl_device_id device = played.device();
        cl_int status = CL_SUCCESS;
        clCreateProgramWithBinary(played.context, 1, &device, &size, &binary, &status, nullptr);
    });
    check_equal(R"({"source": 0, "refused": 0, "unchecked": 0, "binary": 1})", report["builds"]);
}

TEST(Report, OneOfEachKindIsLeft) {
    const json report =
        report_of("gc2000", {}, [](const Played& played) { Objects(played).release(played); });
    check_equal(R"({"contexts": 1, "queues": 1, "mems": 1, "samplers": 1, "programs": 1,
                    "kernels": 1, "events": 1})",
                report["live"]);
}

TEST(Report, NothingIsLeft) {
    const json report = report_of("gc2000", {{"MEMORY", "strict"}}, [](const Played& played) {
        const Objects objects(played);
        played.unmap(objects.mem, played.map(objects.mem, CL_MAP_WRITE, 0, 64));
        objects.release(played);
        objects.release(played);
    });
    check_equal(R"({"contexts": 0, "queues": 0, "mems": 0, "samplers": 0, "programs": 0,
                    "kernels": 0, "events": 0})",
                report["live"]);
}

TEST(Report, EventsOfMapsAreTheProgramsToRelease) {
    const auto body = [](const Played& played, bool release) {
        HostMemory host;
        const cl_mem mem = played.buffer(4096, CL_MEM_USE_HOST_PTR, host.bytes.data());
        cl_event events[2] = {};
        void* mapped = clEnqueueMapBuffer(played.queue, mem, CL_TRUE, CL_MAP_WRITE, 0, 4096, 0,
                                          nullptr, &events[0], nullptr);
        LONGS_EQUAL(CL_SUCCESS,
                    clEnqueueUnmapMemObject(played.queue, mem, mapped, 0, nullptr, &events[1]));
        played.finish();
        for (const cl_event event : events) {
            if (release) LONGS_EQUAL(CL_SUCCESS, clReleaseEvent(event));
        }
    };
    for (const char* mode : {"pass", "strict"}) {
        for (const bool release : {false, true}) {
            const json report = report_of("gc2000", {{"MEMORY", mode}},
                                          [&](const Played& played) { body(played, release); });
            LONGS_EQUAL(release ? 0 : 2, report["live"]["events"]);
        }
    }
}

TEST(Report, RefusalsWithPlaceAndCount) {
    const json report = report_of("gc2000", {}, [](const Played& played) {
        for (int i = 0; i < 3; ++i) {
            LONGS_EQUAL(CL_INVALID_BUFFER_SIZE, played.buffer_code(67108865));
        }
        cl_int code = CL_SUCCESS;
        clCreateCommandQueue(played.context, played.device(),
                             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    });
    LONGS_EQUAL(2, report["refusals"].size());
    check_equal(R"({"place": "clCreateBuffer", "error": "CL_INVALID_BUFFER_SIZE", "times": 3,
                    "sentence": "67108865 bytes; the device allocates 67108864 at most"})",
                refusal_of(report, "clCreateBuffer"));
    const json queue = refusal_of(report, "clCreateCommandQueue");
    LONGS_EQUAL(1, queue["times"]);
    check_equal("\"CL_INVALID_QUEUE_PROPERTIES\"", queue["error"]);
}

TEST(Report, CallsBeyondTheVersion) {
    const auto body = [](const Played& played) {
        constexpr cl_uint pattern = 0;
        clEnqueueFillBuffer(played.queue, played.buffer(64), &pattern, 4, 0, 64, 0, nullptr,
                            nullptr);
        played.finish();
    };
    const json older = report_of("gc2000", {}, body);
    check_equal("[\"clEnqueueFillBuffer\"]", older["calls_beyond_version"]);
    LONGS_EQUAL(1, older["calls"]["clEnqueueFillBuffer"]);
    check_equal("\"CL_INVALID_OPERATION\"", refusal_of(older, "clEnqueueFillBuffer")["error"]);
    LONGS_EQUAL(0, older["bytes"]["written"]);
    const json newer = report_of("gc7000l", {}, body);
    check_equal("[]", newer["calls_beyond_version"]);
    LONGS_EQUAL(64, newer["bytes"]["written"]);
}

TEST(Report, AnnouncedWhatIsMappedAtALaunch) {
    const json report = report_of("gc2000", {{"MEMORY", "pass"}}, [](const Played& played) {
        const cl_kernel kernel = played.kernel(two_kernels, "first");
        const cl_mem mem = played.buffer(64, CL_MEM_ALLOC_HOST_PTR);
        Played::set(kernel, 0, mem);
        void* mapped = played.map(mem, CL_MAP_READ, 0, 64);
        LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {1}));
        played.unmap(mem, mapped);
        mapped = played.map(mem, CL_MAP_WRITE, 0, 64);
        LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {1}));
        played.unmap(mem, mapped);
    });
    LONGS_EQUAL(1, report["refusals"].size());
    LONGS_EQUAL(1, report["refusals"][0]["times"]);
    const std::string sentence = report["refusals"][0]["sentence"];
    STRCMP_CONTAINS("kernel first is launched while argument 0 is mapped for writing",
                    sentence.c_str());
}

TEST(Report, NamesResultsThatNobodyAskedFor) {
    const json report = report_of("gc2000", {{"MEMORY", "pass"}}, [](const Played& played) {
        static HostMemory host[3];
        const cl_kernel writes = played.kernel(two_kernels, "first");
        const cl_kernel reads = played.kernel(
            "__kernel void reads(__global const uint* in, __global uint* out) { out[0] = in[0]; }",
            "reads");
        const auto wrap = [&](size_t i) {
            return played.buffer(4096, CL_MEM_USE_HOST_PTR, host[i].bytes.data());
        };
        const cl_mem forgotten = wrap(0);
        const cl_mem mapped = wrap(1);
        const cl_mem passed_on = wrap(2);
        for (const cl_mem mem : {forgotten, mapped, passed_on}) {
            Played::set(writes, 0, mem);
            LONGS_EQUAL(CL_SUCCESS, played.launch(writes, {1}));
        }
        played.unmap(mapped, played.map(mapped, CL_MAP_READ, 0, 4096));
        // What another kernel takes need not be seen by the host; its own result is not the
        // program's memory.
        Played::set(reads, 0, passed_on);
        Played::set(reads, 1, played.buffer(4));
        LONGS_EQUAL(CL_SUCCESS, played.launch(reads, {1}));
    });
    LONGS_EQUAL(1, report["refusals"].size());
    LONGS_EQUAL(1, report["refusals"][0]["times"]);
    const std::string sentence = report["refusals"][0]["sentence"];
    STRCMP_CONTAINS("a kernel wrote to 4096 bytes", sentence.c_str());
}

TEST(Report, AFileForEachProcess) {
    const TemporaryFile file;
    const Outcome outcome = in_child([&] {
        const Played played("gc2000", {{"REPORT", file.path() + ".%p"}});
        std::printf("%d", ::getpid());
    });
    const std::filesystem::path path = file.path() + "." + outcome.out;
    CHECK(std::filesystem::exists(path));
    std::filesystem::remove(path);
}

TEST(Report, AFileThatCannotBeWrittenIsSaid) {
    const Outcome outcome = in_child([&] {
        const Played played("gc2000", {{"REPORT", "/nonexistent/report.json"}});
    });
    LONGS_EQUAL(0, outcome.code);
    STRCMP_EQUAL("glint-layer: cannot write /nonexistent/report.json\n", outcome.err.c_str());
}
