// GetFrame: sealed, read-only, exact, shared.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

constexpr uint32_t width = 322;
constexpr uint32_t height = 130;

uint8_t checker(uint32_t x, uint32_t y) {
    return (x / 8 + y / 8) % 2 == 0 ? 32 : 224;
}

void check_sealed(const FrameReply& frame) {
    const int fd = frame.memory.get();
    LONGS_EQUAL(F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE, ::fcntl(fd, F_GET_SEALS));
    LONGS_EQUAL(O_RDONLY, ::fcntl(fd, F_GETFL) & O_ACCMODE);
    CHECK(::write(fd, "x", 1) < 0);
    CHECK(::ftruncate(fd, 1) < 0);
    const auto size = static_cast<size_t>(::lseek(fd, 0, SEEK_END));
    ::lseek(fd, 0, SEEK_SET);
    POINTERS_EQUAL(MAP_FAILED, ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
    CHECK(mapped != MAP_FAILED);
    ::munmap(mapped, size);
}

std::string config(const std::string& source, const std::string& format, double rate) {
    return camera_table({.source = source,
                         .format = format,
                         .width = width,
                         .height = height,
                         .rate = rate,
                         .more = "publish_interval_ms = 0\n"});
}

/// Right after a frame, so that the next one is a whole period away.
void wait_for_frame(Bench& bench, const CameraClient& camera) {
    const uint64_t before = camera.counter("FramesProcessed");
    bench.client->wait_until("no frame",
                             [&] { return camera.counter("FramesProcessed") > before; });
}

/// Asks for a frame and for another context, with which every buffer is wrapped anew. False if the
/// frame was there before the stream was rebuilt.
bool frame_comes_after_rebuild(Bench& bench, const CameraClient& camera) {
    wait_for_frame(bench, camera);
    const size_t starts = count_of(bench.daemon.log(), "camera front is starting");
    std::vector<FrameReply> frames;
    size_t starts_then = 0;
    bench.client->send_async(
        camera.new_call("GetFrame").append("s", "raw"), [&](const Message& reply) {
            starts_then = count_of(bench.daemon.log(), "camera front is starting");
            frames.push_back(parse_frame(reply));
        });
    bench.client->call(manager_path, manager_interface, "RetryGpu");
    bench.client->wait_until("no frame", [&] { return frames.size() == 1; });
    LONGS_EQUAL(77, frames[0].bytes().at(frames[0].planes[0].first));
    return starts_then > starts;
}

void check_checker(const std::string& gpu, bool with_gpu) {
    Bench bench({.config = config("test:checker", "NV12", 50), .gpu = gpu});
    const CameraClient camera = bench.camera();
    if (with_gpu) camera.wait_for_gpu();
    camera.wait_for_result();
    const FrameReply frame = camera.frame("raw");
    check_sealed(frame);
    STRCMP_EQUAL("NV12", frame.fourcc.c_str());
    LONGS_EQUAL(width, frame.width);
    LONGS_EQUAL(height, frame.height);
    LONGS_EQUAL(2, frame.planes.size());
    CHECK(frame.sequence > 0);
    CHECK(frame.timestamp_nsec > 0);
    STRCMP_EQUAL(camera.text("Range").c_str(), frame.range.c_str());
    LONGS_EQUAL(camera.number("StrideBytes"), frame.planes[0].second);
    const std::vector<uint8_t> bytes = frame.bytes();
    for (uint32_t y = 0; y < height; ++y) {
        const size_t row = frame.planes[0].first + size_t{y} * frame.planes[0].second;
        for (uint32_t x = 0; x < width; ++x) BYTES_EQUAL(checker(x, y), bytes.at(row + x));
    }
    for (uint32_t y = 0; y < height / 2; ++y) {
        const size_t row = frame.planes[1].first + size_t{y} * frame.planes[1].second;
        for (uint32_t x = 0; x < width; ++x) BYTES_EQUAL(128, bytes.at(row + x));
    }
    bench.daemon.stop();
}

void check_filtered(const std::string& gpu, bool with_gpu) {
    Bench bench({.config = config("test:flat:77", "YUYV", 50), .gpu = gpu});
    const CameraClient camera = bench.camera();
    if (with_gpu) camera.wait_for_gpu();
    camera.wait_for_result();
    const auto check_value = [&](uint8_t expected) {
        const FrameReply frame = camera.frame("filtered");
        check_sealed(frame);
        STRCMP_EQUAL("GREY", frame.fourcc.c_str());
        LONGS_EQUAL(1, frame.planes.size());
        const std::vector<uint8_t> bytes = frame.bytes();
        for (uint32_t y = 0; y < height; ++y) {
            const size_t row = frame.planes[0].first + size_t{y} * frame.planes[0].second;
            for (uint32_t x = 0; x < width; ++x) BYTES_EQUAL(expected, bytes.at(row + x));
        }
    };
    for (const char* smoothing : {"binomial3", "binomial5", "box3", "box5", "sharpen3"}) {
        camera.set_filter(smoothing);
        check_value(77);
    }
    for (const char* edges : {"laplacian3", "sobel_x3", "sobel_y3", "sobel"}) {
        camera.set_filter(edges);
        check_value(0);
    }
    camera.set_filter("custom", 3, 3, {0, 0, 0, 0, 9, 0, 0, 0, 0}, 2);
    check_value(77 * 9 / 4);
    camera.set_filter("none");
    expect_error("FilterInvalid", "no filter", [&] { (void)camera.frame("filtered"); });
    bench.daemon.stop();
}

/// Uneven, so that its orientation shows, of both signs, and with sums beyond both ends of a byte.
std::vector<double> uneven(uint32_t size) {
    std::vector<double> coefficients(size_t{size} * size);
    for (size_t k = 0; k < coefficients.size(); ++k) {
        coefficients[k] = 0.37 - 0.11 * static_cast<double>(k * 7 % 9);
    }
    coefficients[coefficients.size() / 2] = 2.5;
    return coefficients;
}

constexpr uint8_t beyond = 200;  ///< what filters see outside the picture

/// The matrix is given in OpenVX's orientation.
double exact_pixel(const std::vector<double>& coefficients, uint32_t size, uint32_t x, uint32_t y) {
    double sum = 0;
    for (uint32_t row = 0; row < size; ++row) {
        for (uint32_t column = 0; column < size; ++column) {
            // Left of the picture and above it the difference wraps round to a large number.
            const uint32_t from_x = x + column - size / 2;
            const uint32_t from_y = y + row - size / 2;
            const bool inside = from_x < width && from_y < height;
            sum += coefficients[coefficients.size() - 1 - row * size - column] *
                   (inside ? checker(from_x, from_y) : beyond);
        }
    }
    return std::clamp(sum, 0.0, 255.0);
}

void check_float_picture(const FrameReply& frame, uint32_t size) {
    const std::vector<double> coefficients = uneven(size);
    const std::vector<uint8_t> bytes = frame.bytes();
    for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < width; ++x) {
            const uint8_t got = bytes.at(size_t{y} * frame.planes[0].second + x);
            // Half a byte of rounding, and what floats may be off.
            DOUBLES_EQUAL(exact_pixel(coefficients, size, x, y), got, 0.51);
        }
    }
}

/// One float filter comes from the configuration, the others over the bus; they keep its border.
void check_float_filters(const std::string& gpu, bool with_gpu) {
    const std::string filter =
        fmt::format("filter = {{ coefficients = [{}], border = 'constant', border_value = {} }}\n",
                    fmt::join(uneven(3), ", "), beyond);
    Bench bench({.config = config("test:checker", "NV12", 50) + filter, .gpu = gpu});
    const CameraClient camera = bench.camera();
    if (with_gpu) camera.wait_for_gpu();
    camera.wait_for_result();
    for (const uint32_t size : {3U, 5U, 7U}) {
        if (size != 3) camera.set_filter_float("custom", size, size, uneven(size));
        check_float_picture(camera.frame("filtered"), size);  // by the CPU, or both
        const bool by_gpu = with_gpu && size <= 5;
        bench.client->wait_until("the wrong one filters", [&] {
            const VariantLine line = camera.variant_of("convolution_float");
            return (line.set != "cpu") == by_gpu && !contains(line.reason, "being built");
        });
        check_float_picture(camera.frame("filtered"), size);
    }
    camera.set_filter("box3");
    STRCMP_EQUAL("", camera.variant_of("convolution_float").variant.c_str());
    LONGS_EQUAL(0, camera.counter("ResultsRejected"));
    bench.daemon.stop();
}

}  // namespace

TEST_GROUP(Frame){};

BUS_TEST(Frame, raw_is_exact_and_sealed_on_the_cpu) {
    check_checker(on_cpu, false);
}

BUS_TEST(Frame, raw_is_exact_and_sealed_on_the_gpu) {
    check_checker("", true);
}

BUS_TEST(Frame, filtered_is_exact_on_the_cpu) {
    check_filtered(on_cpu, false);
}

BUS_TEST(Frame, filtered_is_exact_on_the_gpu) {
    check_filtered("", true);
}

BUS_TEST(Frame, filtered_by_floats_is_within_their_rounding_on_the_cpu) {
    check_float_filters(on_cpu, false);
}

BUS_TEST(Frame, filtered_by_floats_is_within_their_rounding_on_the_gpu) {
    check_float_filters("", true);
}

BUS_TEST(Frame, a_filter_that_is_taken_away_answers_its_callers) {
    Bench bench({.config = config("test:flat:77", "GREY", 0.05), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    camera.wait_for_state("streaming");
    camera.set_filter("box3");
    std::string answer;
    bench.client->send_async(camera.new_call("GetFrame").append("s", "filtered"),
                             [&](const Message& reply) {
                                 const sd_bus_error* error = sd_bus_message_get_error(reply.get());
                                 answer = error != nullptr ? error->name : "frame";
                             });
    camera.set_filter("none");
    bench.client->wait_until("no answer", [&] { return !answer.empty(); });
    STRCMP_EQUAL("org.glintd1.Error.FilterInvalid", answer.c_str());
    bench.daemon.stop();
}

BUS_TEST(Frame, a_caller_gets_its_frame_across_a_rebuild_of_the_stream) {
    // How long a rebuild takes depends on the machine and on the sanitizers: frames come ever
    // slower until one is later.
    bool rebuilt_first = false;
    for (const double rate : {0.5, 0.1, 0.04}) {
        Bench bench({.config = config("test:flat:77", "GREY", rate)});
        const CameraClient camera = bench.camera();
        camera.wait_for_gpu();
        rebuilt_first = frame_comes_after_rebuild(bench, camera);
        bench.daemon.stop();
        if (rebuilt_first) break;
    }
    CHECK_TEXT(rebuilt_first, "the stream was not rebuilt");
}

BUS_TEST(Frame, callers_at_the_same_time_share) {
    Bench bench({.config = config("test:checker", "GREY", 2), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    Client second(bench.bus.address());
    std::vector<FrameReply> frames;
    const auto take = [&](const Message& reply) { frames.push_back(parse_frame(reply)); };
    wait_for_frame(bench, camera);
    const uint64_t exported_before = camera.counter("BytesExported");
    bench.client->send_async(camera.new_call("GetFrame").append("s", "raw"), take);
    second.send_async(CameraClient(second, "front").new_call("GetFrame").append("s", "raw"), take);
    second.flush();
    bench.client->wait_until("no frames", [&] {
        second.process();
        return frames.size() == 2;
    });
    const FrameReply& a = frames[0];
    const FrameReply& b = frames[1];
    LONGS_EQUAL(a.sequence, b.sequence);
    const size_t size = a.bytes().size();
    LONGS_EQUAL(camera.number("StrideBytes") * height, size);
    LONGS_EQUAL(size, camera.counter("BytesExported") - exported_before);
    CHECK(a.bytes() == b.bytes());
    // One memory, but a position of its own for each.
    uint8_t byte = 0;
    LONGS_EQUAL(1, ::read(a.memory.get(), &byte, 1));
    LONGS_EQUAL(1, ::lseek(a.memory.get(), 0, SEEK_CUR));
    LONGS_EQUAL(0, ::lseek(b.memory.get(), 0, SEEK_CUR));
    bench.daemon.stop();
}

BUS_TEST(Frame, a_caller_that_leaves_costs_nothing) {
    Bench bench({.config = config("test:checker", "GREY", 4), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    wait_for_frame(bench, camera);
    (void)camera.frame();
    const size_t fds_before = fd_count(bench.daemon.pid());
    for (int round = 0; round < 5; ++round) {
        wait_for_frame(bench, camera);
        const uint64_t exported = camera.counter("BytesExported");
        for (int i = 0; i < 4; ++i) {
            Client leaver(bench.bus.address());
            leaver.send_async(CameraClient(leaver, "front").new_call("GetFrame").append("s", "raw"),
                              [](const Message&) {});
            leaver.flush();
        }
        bench.client->wait_until("nothing is exported",
                                 [&] { return camera.counter("BytesExported") > exported; });
    }
    LONGS_EQUAL(height * camera.number("StrideBytes"), camera.frame().bytes().size());
    CHECK_TEXT(wait_for(seconds(5), [&] { return fd_count(bench.daemon.pid()) <= fds_before; }),
               "descriptors are left");
    bench.daemon.stop();
}

BUS_TEST(Frame, many_frames_leave_no_descriptor) {
    Bench bench({.config = config("test:checker", "GREY", 200), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    wait_for_frame(bench, camera);
    (void)camera.frame();
    const size_t fds_before = fd_count(bench.daemon.pid());
    for (int i = 0; i < 200; ++i) (void)camera.frame();
    CHECK_TEXT(wait_for(seconds(5), [&] { return fd_count(bench.daemon.pid()) <= fds_before; }),
               "descriptors are left");
    bench.daemon.stop();
}
