// OpenStream: what comes in shared memory is what the bus says, nobody can write it, and it ends as
// it should.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <list>

#include "tests/bus/bench.hpp"
#include "tests/bus/stream_reader.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

constexpr uint32_t width = 322;
constexpr uint32_t height = 130;
constexpr uid_t nobody = 65534;

std::string config(const std::string& source, double rate = 50, const std::string& more = "") {
    return camera_table({.source = source,
                         .format = "NV12",
                         .width = width,
                         .height = height,
                         .rate = rate,
                         .more = "publish_interval_ms = 60000\n" + more});
}

void check_entry(const StreamReader& reader, uint32_t region, const HistogramReply& reply) {
    const glintd_stream_histograms& shape = reader.header().histograms;
    LONGS_EQUAL(reply.timestamp_nsec, reader.entry().timestamp_nsec);
    LONGS_EQUAL(reply.generation, reader.entry().generation);
    LONGS_EQUAL(reply.bit_depth, shape.bit_depth);
    LONGS_EQUAL(reply.bin_width, shape.bin_width);
    const std::vector<uint32_t>& bins = reply.channels.at("Y");
    LONGS_EQUAL(bins.size(), shape.bins);
    CHECK_TRUE(std::equal(bins.begin(), bins.end(), reader.bins(region, 0)));
}

/// Every frame is another; GetHistogram and the stream agree about the same one.
void check_histograms(const std::string& gpu, bool with_gpu) {
    Bench bench(
        {.config = config("test:ramp", 10,
                          "[camera.front.region.odd]\nx = 3\ny = 5\nwidth = 17\nheight = 9\n"),
         .gpu = gpu});
    const CameraClient camera = bench.camera();
    if (with_gpu) camera.wait_for_gpu();
    StreamReader reader(camera, "histograms");
    LONGS_EQUAL(2, reader.header().histograms.region_count);
    STRCMP_EQUAL("odd", reader.header().histograms.regions[1].name);
    for (int frame = 0; frame < 3; ++frame) {
        HistogramReply whole;
        HistogramReply odd;
        // A busy machine may ask too late for the same frame.
        bench.client->wait_until("never the same frame", [&] {
            if (!reader.next()) return false;
            whole = camera.histogram("frame");
            odd = camera.histogram("odd");
            return whole.sequence == reader.entry().sequence && odd.sequence == whole.sequence;
        });
        check_entry(reader, 0, whole);
        check_entry(reader, 1, odd);
    }
    LONGS_EQUAL(0, camera.counter("BytesCopied"));
    LONGS_EQUAL(0, camera.counter("BytesExported"));
    bench.daemon.stop();
}

/// A still picture: any frame is as any other.
void check_pictures(const std::string& gpu, bool with_gpu) {
    Bench bench({.config = config("test:checker"), .gpu = gpu});
    const CameraClient camera = bench.camera();
    if (with_gpu) camera.wait_for_gpu();
    camera.set_filter("box3");
    for (const char* stage : {"raw", "filtered"}) {
        const FrameReply frame = camera.frame(stage);
        const uint64_t exported = camera.counter("BytesExported");
        {
            StreamReader reader(camera, stage);
            const glintd_stream_picture& picture = reader.header().picture;
            STRCMP_EQUAL(frame.fourcc.c_str(), picture.fourcc);
            STRCMP_EQUAL(frame.range.c_str(), picture.range);
            LONGS_EQUAL(frame.width, picture.width);
            LONGS_EQUAL(frame.height, picture.height);
            LONGS_EQUAL(frame.planes.size(), picture.plane_count);
            for (size_t i = 0; i < frame.planes.size(); ++i) {
                LONGS_EQUAL(frame.planes[i].first, picture.planes[i].offset_bytes);
                LONGS_EQUAL(frame.planes[i].second, picture.planes[i].stride_bytes);
            }
            uint64_t last = 0;
            for (int entry = 0; entry < 3; ++entry) {
                CHECK_TRUE(reader.next());
                CHECK(reader.entry().sequence > last);
                CHECK_TRUE(reader.payload() == frame.bytes());
                last = reader.entry().sequence;
            }
        }
        CHECK(camera.counter("BytesExported") >= exported + 3 * frame.bytes().size());
    }
    LONGS_EQUAL(0, camera.counter("BytesCopied"));
    // Whoever is gone costs nothing.
    bench.client->wait_until("it is copied still", [&] {
        const uint64_t exported = camera.counter("BytesExported");
        const uint64_t processed = camera.counter("FramesProcessed");
        bench.client->wait_until("no frame",
                                 [&] { return camera.counter("FramesProcessed") > processed + 2; });
        return camera.counter("BytesExported") == exported;
    });
    bench.daemon.stop();
}

/// In a child that is another user: 0 if it may open that memory anew to be read, and not to be
/// written.
int open_as_nobody(int memory) {
    const pid_t child = ::fork();
    if (child == 0) {
        const bool became =
            ::setresgid(nobody, nobody, nobody) == 0 && ::setresuid(nobody, nobody, nobody) == 0;
        // Or its own folder of /proc is closed to it.
        if (!became || ::prctl(PR_SET_DUMPABLE, 1) != 0) ::_exit(3);
        const std::string own = fmt::format("/proc/self/fd/{}", memory);
        if (::open(own.c_str(), O_RDONLY) < 0) ::_exit(2);
        ::_exit(::open(own.c_str(), O_RDWR) < 0 ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

size_t streams_mapped(Bench& bench) {
    return count_of(read_file(fmt::format("/proc/{}/maps", bench.daemon.pid())), "glintd-stream");
}

/// Until the daemon has let go of its streams. The memory goes after the reader's descriptor, on
/// the worker where that is still writing, so that neither count says anything of the other.
void wait_for_no_streams(Bench& bench, size_t descriptors_before) {
    const pid_t daemon = bench.daemon.pid();
    CHECK_TEXT(wait_for(seconds(5), [&] { return fd_count(daemon) <= descriptors_before; }),
               "descriptors are left");
    CHECK_TEXT(wait_for(seconds(5), [&] { return streams_mapped(bench) == 0; }),
               "a stream's memory is left");
}

}  // namespace

TEST_GROUP(OpenStream){};

BUS_TEST(OpenStream, histograms_are_those_of_the_bus_on_the_cpu) {
    check_histograms(on_cpu, false);
}

BUS_TEST(OpenStream, histograms_are_those_of_the_bus_on_the_gpu) {
    check_histograms("", true);
}

BUS_TEST(OpenStream, pictures_are_those_of_the_bus_on_the_cpu) {
    check_pictures(on_cpu, false);
}

BUS_TEST(OpenStream, pictures_are_those_of_the_bus_on_the_gpu) {
    check_pictures("", true);
}

BUS_TEST(OpenStream, nobody_writes_what_all_read) {
    Bench bench({.config = config("test:ramp"), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    camera.wait_for_state("streaming");
    StreamReader first(camera, "histograms");
    StreamReader second(camera, "histograms");
    struct stat one {};
    struct stat other {};
    LONGS_EQUAL(0, ::fstat(first.memory(), &one));
    LONGS_EQUAL(0, ::fstat(second.memory(), &other));
    LONGS_EQUAL(one.st_ino, other.st_ino);
    LONGS_EQUAL(O_RDONLY, ::fcntl(first.memory(), F_GETFL) & O_ACCMODE);
    CHECK(::write(first.memory(), "x", 1) < 0);
    CHECK(::ftruncate(first.memory(), 1) < 0);
    POINTERS_EQUAL(MAP_FAILED,
                   ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, first.memory(), 0));
    if (::geteuid() == 0) LONGS_EQUAL(0, open_as_nobody(first.memory()));
    // Not even root, once the kernel has the seal (5.1).
    const Fd reopened(::open(fmt::format("/proc/self/fd/{}", first.memory()).c_str(), O_RDWR));
    if (reopened.get() >= 0) CHECK(::pwrite(reopened.get(), "x", 1, 0) < 0);
    CHECK_TRUE(first.next());
    CHECK_TRUE(second.next());
    bench.daemon.stop();
}

BUS_TEST(OpenStream, another_shape_ends_it_and_it_is_opened_anew) {
    Bench bench({.config = config("test:ramp"), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    camera.wait_for_state("streaming");
    camera.set_filter("box3");
    StreamReader histograms(camera, "histograms");
    StreamReader filtered(camera, "filtered");
    StreamReader raw(camera, "raw");
    camera.set_filter("box5");
    CHECK_TRUE(histograms.next());
    CHECK_TRUE(filtered.next());
    camera.set_regions({{"left", 0, 0, 10, 10}});
    CHECK_TRUE(histograms.hangs_up());
    CHECK_TRUE(histograms.ended());
    StreamReader anew(camera, "histograms");
    CHECK_TRUE(anew.next());
    LONGS_EQUAL(2, anew.header().histograms.region_count);
    CHECK_FALSE(filtered.ended());
    camera.set_filter("none");
    CHECK_TRUE(filtered.hangs_up());
    CHECK_TRUE(filtered.ended());
    CHECK_TRUE(raw.next());
    camera.set_bins(256);
    CHECK_FALSE(anew.ended());
    camera.stop();
    CHECK_TRUE(raw.hangs_up());
    CHECK_TRUE(raw.ended());
    CHECK_TRUE(anew.ended());
    expect_error("NotStreaming", "call Start first", [&] { StreamReader(camera, "histograms"); });
    camera.start();
    CHECK_TRUE(StreamReader(camera, "raw").next());
    bench.daemon.stop();
}

BUS_TEST(OpenStream, refusals_say_what_to_do) {
    Bench bench({.config = config("test:ramp"), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    camera.wait_for_state("streaming");
    expect_error("org.freedesktop.DBus.Error.InvalidArgs",
                 "\"histograms\", \"raw\" and \"filtered\"", [&] { StreamReader(camera, "all"); });
    expect_error("FilterInvalid", "SetFilter", [&] { StreamReader(camera, "filtered"); });
    std::list<StreamReader> readers;
    for (int i = 0; i < 16; ++i) readers.emplace_back(camera, i % 2 == 0 ? "raw" : "histograms");
    expect_error("org.freedesktop.DBus.Error.LimitsExceeded", "16 streams",
                 [&] { StreamReader(camera, "raw"); });
    readers.pop_back();
    bench.client->wait_until("the place is not free", [&] {
        try {
            return StreamReader(camera, "raw").next();
        } catch (const BusError&) {
            return false;
        }
    });
    bench.daemon.stop();
}

BUS_TEST(OpenStream, a_camera_that_starts_answers_when_it_streams) {
    Bench bench({.config = config("test:ramp"), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    camera.stop();
    std::optional<StreamReply> opened;
    bench.client->send_async(camera.new_call("Start"), [](const Message&) {});
    bench.client->send_async(camera.new_call("OpenStream").append("s", "histograms"),
                             [&](const Message& reply) { opened = parse_stream(reply); });
    bench.client->wait_until("no stream", [&] { return opened.has_value(); });
    bench.daemon.stop();
}

BUS_TEST(OpenStream, a_reader_that_is_killed_leaves_nothing_behind) {
    Bench bench({.config = config("test:ramp"), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    camera.wait_for_state("streaming");
    (void)camera.frame();
    // The reply's descriptor is closed by the time the next question is answered.
    CHECK_TRUE(bench.client->answered_within(seconds(5)));
    const size_t fds_before = fd_count(bench.daemon.pid());
    LONGS_EQUAL(0, streams_mapped(bench));
    Process reader({.arguments = {GLINT_READ_STREAM, "front", "raw"},
                    .environment = {{"DBUS_SYSTEM_BUS_ADDRESS", bench.bus.address()}},
                    .output = bench.folder / "lines",
                    .errors = bench.folder / "errors"});
    // It has left the bus by then: the stream hangs on its descriptors alone.
    CHECK_TRUE(wait_for(seconds(20),
                        [&] { return count_of(read_file(bench.folder / "lines"), "\n") > 3; }));
    LONGS_EQUAL(1, streams_mapped(bench));
    reader.signal(SIGKILL);
    CHECK_TRUE(reader.wait_exit(seconds(5)).has_value());
    wait_for_no_streams(bench, fds_before);
    bench.daemon.stop();
}

BUS_TEST(OpenStream, a_reader_that_never_reads_holds_nobody_up) {
    Bench bench({.config = config("test:ramp", 1000), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    camera.wait_for_state("streaming");
    StreamReader silent(camera, "histograms");
    const uint64_t before = camera.counter("FramesProcessed");
    bench.client->wait_until("frames stop",
                             [&] { return camera.counter("FramesProcessed") > before + 200; });
    CHECK_TRUE(bench.client->answered_within(seconds(5)));
    LONGS_EQUAL(1, silent.read());
    CHECK(silent.entry().number >= 200);
    bench.daemon.stop();
}

BUS_TEST(OpenStream, the_example_prints_what_the_bus_says_and_sees_the_end_of_the_service) {
    Bench bench({.config = config("test:ramp", 20), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    camera.wait_for_state("streaming");
    const std::map<std::string, std::string> environment{
        {"DBUS_SYSTEM_BUS_ADDRESS", bench.bus.address()}};
    StreamReader own(camera, "histograms");
    const RunResult two = run_program({GLINT_READ_STREAM, "front", "histograms", "2"}, environment);
    LONGS_EQUAL(0, two.code);
    LONGS_EQUAL(2, count_of(two.output, "\n"));
    const RunResult bad = run_program({GLINT_READ_STREAM, "front", "filtered", "2"}, environment);
    LONGS_EQUAL(1, bad.code);
    STRCMP_CONTAINS("SetFilter", bad.errors.c_str());
    Process last({.arguments = {GLINT_READ_STREAM, "front", "histograms"},
                  .environment = environment,
                  .output = bench.folder / "lines",
                  .errors = bench.folder / "errors"});
    CHECK_TRUE(wait_for(seconds(20),
                        [&] { return contains(read_file(bench.folder / "lines"), "sequence="); }));
    bench.daemon.process().signal(SIGKILL);
    CHECK_TRUE(own.hangs_up());
    CHECK_FALSE(own.ended());
    LONGS_EQUAL(0, last.wait_exit(seconds(5)).value_or(-1));
    STRCMP_CONTAINS("the service is gone", read_file(bench.folder / "lines").c_str());
}
