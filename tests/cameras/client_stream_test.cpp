// Clients' streams of a camera: what they live through, and what ends them.
#include <poll.h>

#include <deque>

#include "tests/cameras/bench.hpp"
#include "tests/fakes/stream_reader.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;
using fakes::events_of;
using fakes::Reader;
namespace v4l2 = glint::fakes::v4l2;

TEST_GROUP(CameraClientStream) {
    Machine machine;
    std::deque<Reader> readers;

    void open(Bench & bench, StreamContent content) {
        bench.camera->open_stream(content, [this](Outcome<OpenedStream> outcome) {
            readers.emplace_back(outcome.get());
        });
    }
    /// One of histograms and one of pictures, of a camera that has measured a frame.
    void open_both(Bench & bench) {
        bench.start();
        open(bench, StreamContent::histograms);
        open(bench, StreamContent::raw);
        LONGS_EQUAL(0, readers.size());
        STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
        LONGS_EQUAL(2, readers.size());
        check_entries(bench, 0);
    }
    void check_entries(Bench & bench, uint32_t missed) {
        STRCMP_EQUAL("", bench.measure_one().c_str());
        for (Reader& reader : readers) {
            STRCMP_EQUAL("", bench.wait([&] { return reader.read(); }).c_str());
            LONGS_EQUAL(bench.measured.back().sequence, reader.entry.sequence);
            LONGS_EQUAL(missed, reader.entry.missed);
        }
    }
    void check_ended() {
        for (const Reader& reader : readers) {
            CHECK_TRUE((events_of(reader.opened) & POLLHUP) != 0);
            CHECK_TRUE(glintd_stream_ended(&reader.stream) != 0);
        }
    }
};

TEST(CameraClientStream, ItGoesOnWhenTheGpuTakesOver) {
    Bench bench(machine, v4l2::vivid());
    open_both(bench);
    bench.camera->use_gpu(runtime(), "");
    STRCMP_EQUAL("", bench
                         .wait([&] {
                             return bench.camera->state() == CameraState::streaming &&
                                    bench.camera->info().zero_copy == "proven";
                         })
                         .c_str());
    check_entries(bench, 0);
    LONGS_EQUAL(0, bench.camera->counters().bytes_copied);
    CHECK(machine.gpu_failures.empty());
}

TEST(CameraClientStream, ItEndsWithTheCableThatComesOut) {
    Bench bench(machine, v4l2::uvcvideo());
    open_both(bench);
    bench.driver->disconnect();
    STRCMP_EQUAL("", bench.wait_for(CameraState::absent).c_str());
    check_ended();
}

TEST(CameraClientStream, ItEndsWithTheCamera) {
    {
        Bench bench(machine, v4l2::vivid());
        open_both(bench);
    }
    check_ended();
}
