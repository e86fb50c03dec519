// Pictures for callers: the right content, in memory that nobody can change, copied once for all.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "tests/fakes/file_size_limit.hpp"
#include "tests/unit/expect.hpp"
#include "tests/unit/pipeline_bench.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;

namespace {

std::string content_of(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return {};
    std::string bytes(static_cast<size_t>(status.st_size), '\0');
    const ssize_t got = ::pread(fd, bytes.data(), bytes.size(), 0);
    bytes.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return bytes;
}

void fill(const zero_copy::FrameMemory& memory, uint8_t seed) {
    for (size_t i = 0; i < memory.size(); ++i)
        memory.data()[i] = static_cast<uint8_t>(i * 3 + seed);
}

std::string first_bytes(const zero_copy::FrameMemory& memory, size_t count) {
    return {reinterpret_cast<const char*>(memory.data()), count};
}

}  // namespace

TEST_GROUP(Exports) {
    std::optional<test::PipelineBench> bench;
    std::vector<ExportedFrame> frames;
    std::vector<std::string> failures;

    void setup() override {
        bench.emplace();
        bench->pipeline->set_plan(bench->filter_plan);
        bench->start();
        for (uint8_t slot = 0; slot < 5; ++slot) fill(bench->pool->buffers()[slot], slot);
        fill(bench->picture->memory, 77);
    }
    void teardown() override {
        CHECK_TRUE(bench->shut_down());
        frames.clear();
        bench.reset();
    }

    bool ask(Stage stage) {
        return bench->pipeline->exporter().request(stage, [this](Outcome<ExportedFrame> outcome) {
            try {
                frames.push_back(outcome.get());
            } catch (const std::exception& error) {
                failures.push_back(error.what());
            }
        });
    }
    void run_frame(uint64_t sequence) {
        bench->send(sequence);
        bench->complete_all();
        CHECK_TRUE(bench->turn_until_idle());
    }
};

TEST(Exports, ARawPictureIsTheFrame) {
    CHECK_TRUE(ask(Stage::raw));
    run_frame(9);
    LONGS_EQUAL(1, frames.size());
    const ExportedFrame& frame = frames[0];
    STRCMP_EQUAL("GREY", frame.fourcc.c_str());
    LONGS_EQUAL(16, frame.width);
    LONGS_EQUAL(4, frame.height);
    LONGS_EQUAL(9, frame.sequence);
    LONGS_EQUAL(1009, frame.timestamp_nsec);
    LONGS_EQUAL(1, frame.planes.size());
    LONGS_EQUAL(0, frame.planes[0].offset_bytes);
    LONGS_EQUAL(32, frame.planes[0].stride_bytes);
    CHECK_TRUE(first_bytes(bench->pool->buffers()[0], 32 * 4) == content_of(frame.memfd->get()));
    LONGS_EQUAL(32 * 4, bench->counters.bytes_exported);
}

TEST(Exports, AFilteredPictureIsTheFiltersOwn) {
    CHECK_TRUE(ask(Stage::filtered));
    run_frame(3);
    LONGS_EQUAL(1, frames.size());
    STRCMP_EQUAL("GREY", frames[0].fourcc.c_str());
    LONGS_EQUAL(1, frames[0].planes.size());
    LONGS_EQUAL(64, frames[0].planes[0].stride_bytes);
    LONGS_EQUAL(16, frames[0].planes[0].row_bytes);
    LONGS_EQUAL(4, frames[0].planes[0].rows);
    LONGS_EQUAL(3, frames[0].sequence);
    CHECK_TRUE(first_bytes(bench->picture->memory, 64 * 4) == content_of(frames[0].memfd->get()));
    LONGS_EQUAL(64 * 4, bench->counters.bytes_exported);
}

TEST(Exports, NobodyCanChangeAPicture) {
    CHECK_TRUE(ask(Stage::raw));
    CHECK_TRUE(ask(Stage::filtered));
    run_frame(0);
    LONGS_EQUAL(2, frames.size());
    for (const ExportedFrame& frame : frames) {
        const int fd = frame.memfd->get();
        const std::string before = content_of(fd);
        LONGS_EQUAL(-1, ::pwrite(fd, "x", 1, 0));
        LONGS_EQUAL(EPERM, errno);
        LONGS_EQUAL(-1, ::ftruncate(fd, 0));
        LONGS_EQUAL(EPERM, errno);
        LONGS_EQUAL(-1, ::ftruncate(fd, 1 << 20));
        LONGS_EQUAL(EPERM, errno);
        CHECK_TRUE(::mmap(nullptr, 64, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
        LONGS_EQUAL(EPERM, errno);
        LONGS_EQUAL(-1, ::fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));  // not even sealed further
        CHECK_TRUE(before == content_of(fd));
        void* readable = ::mmap(nullptr, 64, PROT_READ, MAP_PRIVATE, fd, 0);
        CHECK_TRUE(readable != MAP_FAILED);
        ::munmap(readable, 64);
        LONGS_EQUAL(FD_CLOEXEC, ::fcntl(fd, F_GETFD) & FD_CLOEXEC);
    }
}

TEST(Exports, CallersAtTheSameTimeShareOneCopy) {
    for (int i = 0; i < 3; ++i) CHECK_TRUE(ask(Stage::raw));
    run_frame(0);
    LONGS_EQUAL(3, frames.size());
    CHECK_TRUE(frames[0].memfd == frames[1].memfd);
    CHECK_TRUE(frames[0].memfd == frames[2].memfd);
    LONGS_EQUAL(32 * 4, bench->counters.bytes_exported);
    run_frame(1);
    LONGS_EQUAL(3, frames.size());  // each request is answered once
    LONGS_EQUAL(32 * 4, bench->counters.bytes_exported);
}

TEST(Exports, LaterCallersGetALaterFrameInAnotherCopy) {
    CHECK_TRUE(ask(Stage::raw));
    run_frame(0);
    CHECK_TRUE(ask(Stage::raw));
    run_frame(1);
    LONGS_EQUAL(2, frames.size());
    CHECK_FALSE(frames[0].memfd == frames[1].memfd);
    LONGS_EQUAL(1, frames[1].sequence);
    CHECK_TRUE(first_bytes(bench->pool->buffers()[1], 32 * 4) ==
               content_of(frames[1].memfd->get()));
    CHECK_TRUE(first_bytes(bench->pool->buffers()[0], 32 * 4) ==
               content_of(frames[0].memfd->get()));
    LONGS_EQUAL(2 * 32 * 4, bench->counters.bytes_exported);
}

TEST(Exports, BothStagesOfOneFrame) {
    CHECK_TRUE(ask(Stage::raw));
    CHECK_TRUE(ask(Stage::filtered));
    run_frame(0);
    LONGS_EQUAL(2, frames.size());
    LONGS_EQUAL(32 * 4 + 64 * 4, bench->counters.bytes_exported);
}

TEST(Exports, NothingIsCopiedWhileNobodyWaits) {
    for (uint64_t sequence = 0; sequence < 5; ++sequence) run_frame(sequence);
    LONGS_EQUAL(0, bench->counters.bytes_exported);
}

TEST(Exports, AWrongFilteredPictureIsRefusedToItsCallersAlone) {
    bench->gpu.picture = nullptr;  // what is there is no filter's result
    CHECK_TRUE(ask(Stage::filtered));
    CHECK_TRUE(ask(Stage::filtered));
    CHECK_TRUE(ask(Stage::raw));
    run_frame(0);
    LONGS_EQUAL(2, failures.size());
    STRCMP_CONTAINS("filtered picture was wrong", failures[0].c_str());
    LONGS_EQUAL(1, frames.size());
    LONGS_EQUAL(32, frames[0].planes[0].stride_bytes);
    LONGS_EQUAL(1, bench->counters.rejected);
    CHECK_TRUE(bench->rejected == std::vector<std::string>{"convolution"});
    LONGS_EQUAL(0, bench->pool->leased());
    bench->gpu.picture = bench->picture;
    CHECK_TRUE(ask(Stage::filtered));
    run_frame(1);
    LONGS_EQUAL(2, frames.size());
    LONGS_EQUAL(1, bench->counters.rejected);
}

TEST(Exports, AWrongPictureAfterTheStopIsNoNews) {
    bench->gpu.picture = nullptr;
    CHECK_TRUE(ask(Stage::filtered));
    bench->send(0);
    bench->stop();
    bench->gpu.complete();
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(1, failures.size());
    LONGS_EQUAL(0, bench->rejected.size());
    LONGS_EQUAL(1, bench->drained);
}

TEST(Exports, TheBufferStaysLeasedUntilItIsCopied) {
    fakes::Gate release;
    bench->worker.post(
        std::chrono::seconds(60),
        [&] {
            release.wait();
            return 0;
        },
        [](Outcome<int>) {});
    CHECK_TRUE(ask(Stage::raw));
    bench->send(0);
    bench->gpu.complete();
    LONGS_EQUAL(1, bench->measured.size());  // the result does not wait
    LONGS_EQUAL(1, bench->pool->leased());
    LONGS_EQUAL(0, bench->source.queue_calls);
    release.open();
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(1, frames.size());
    LONGS_EQUAL(0, bench->pool->leased());
    LONGS_EQUAL(1, bench->source.queue_calls);
}

TEST(Exports, ThePictureIsNotFilteredAgainWhileItIsCopied) {
    fakes::Gate release;
    bench->worker.post(
        std::chrono::seconds(60),
        [&] {
            release.wait();
            return 0;
        },
        [](Outcome<int>) {});
    CHECK_TRUE(ask(Stage::filtered));
    bench->send(0);
    bench->gpu.complete();
    CHECK_TRUE(ask(Stage::filtered));
    CHECK_TRUE(ask(Stage::raw));
    bench->send(1);
    CHECK_FALSE(bench->gpu.work.filter);
    bench->gpu.complete();
    release.open();
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(2, frames.size());  // the second caller for the filter still waits
    bench->send(2);
    CHECK_TRUE(bench->gpu.work.filter);
    bench->gpu.complete();
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(3, frames.size());
    LONGS_EQUAL(2, frames[2].sequence);
}

TEST(Exports, ACallerDuringACopyGetsTheNextFrame) {
    fakes::Gate release;
    bench->worker.post(
        std::chrono::seconds(60),
        [&] {
            release.wait();
            return 0;
        },
        [](Outcome<int>) {});
    CHECK_TRUE(ask(Stage::raw));
    bench->send(0);
    bench->gpu.complete();
    CHECK_TRUE(ask(Stage::raw));
    bench->send(1);
    bench->gpu.complete();
    release.open();
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(1, frames.size());
    run_frame(2);
    LONGS_EQUAL(2, frames.size());
    LONGS_EQUAL(2, frames[1].sequence);
}

TEST(Exports, ACallerWhoComesWhileAFrameRunsIsServedByTheNextFilteredOne) {
    bench->send(0);
    CHECK_TRUE(ask(Stage::filtered));
    bench->gpu.complete();
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(0, frames.size());  // frame 0 was submitted without the filter
    run_frame(1);
    LONGS_EQUAL(1, frames[0].sequence);
}

TEST(Exports, The65thCallerOfAStageIsRefused) {
    for (size_t i = 0; i < FrameExporter::max_waiting; ++i) CHECK_TRUE(ask(Stage::raw));
    CHECK_FALSE(ask(Stage::raw));
    CHECK_TRUE(ask(Stage::filtered));
    run_frame(0);
    LONGS_EQUAL(65, frames.size());
    CHECK_TRUE(ask(Stage::raw));
    run_frame(1);
    LONGS_EQUAL(66, frames.size());
}

TEST(Exports, RefusedCallersAreToldWhyAndOthersStay) {
    CHECK_TRUE(ask(Stage::filtered));
    CHECK_TRUE(ask(Stage::filtered));
    CHECK_TRUE(ask(Stage::raw));
    bench->pipeline->exporter().refuse(
        Stage::filtered, std::make_exception_ptr(std::runtime_error("the filter was taken away")));
    LONGS_EQUAL(2, failures.size());
    STRCMP_EQUAL("the filter was taken away", failures[1].c_str());
    run_frame(0);
    LONGS_EQUAL(1, frames.size());
    LONGS_EQUAL(2, failures.size());
}

TEST(Exports, ACopyThatFailsIsToldToEveryCallerAndTheNextWorks) {
    CHECK_TRUE(ask(Stage::raw));
    CHECK_TRUE(ask(Stage::raw));
    bench->send(0);
    {
        const fakes::FileSizeLimit full(100);
        bench->gpu.complete();
        CHECK_TRUE(bench->turn_until_idle());
    }
    LONGS_EQUAL(0, bench->rejected.size());  // the picture was right
    LONGS_EQUAL(2, failures.size());
    STRCMP_EQUAL("", test::missing_in(failures[0], {"memfd", "File too large"}).c_str());
    LONGS_EQUAL(0, bench->pool->leased());
    CHECK_TRUE(ask(Stage::raw));
    run_frame(1);
    LONGS_EQUAL(1, frames.size());
}

TEST_GROUP(PlanesOfExports) {
    Loop loop;
    Worker worker{loop, "test-worker"};
};

TEST(PlanesOfExports, EveryPlaneOfTheFormatIsDescribed) {
    auto layout = zero_copy::make_layout(zero_copy::PixelFormat::nv12, 6, 4, 16);
    layout.range = zero_copy::Range::limited;
    const auto pool =
        std::make_shared<zero_copy::BufferPool>(zero_copy::host_pages(1, layout.size_bytes));
    uint64_t exported_bytes = 0;
    uint32_t copies = 0;
    FrameExporter exporter(worker, layout, std::make_shared<FilteredPicture>(), exported_bytes,
                           {.copied = [&] { ++copies; }, .picture_wrong = [](const Plan&) {}});
    std::optional<ExportedFrame> frame;
    CHECK_TRUE(
        exporter.request(Stage::raw, [&](Outcome<ExportedFrame> got) { frame = got.get(); }));
    CHECK_FALSE(exporter.wants_filtered());
    exporter.frame_finished(
        pool->lease(0), {.slot = 0},
        {.slot = 0, .memory = &pool->buffers()[0], .plan = make_plan(layout, {}, 1)});
    LONGS_EQUAL(1, pool->leased());
    CHECK_FALSE(exporter.idle());
    CHECK_TRUE(fakes::turn_until(loop, [&] { return exporter.idle(); }));
    LONGS_EQUAL(1, copies);
    LONGS_EQUAL(0, pool->leased());
    STRCMP_EQUAL("NV12", frame->fourcc.c_str());
    CHECK_TRUE(frame->range == zero_copy::Range::limited);
    LONGS_EQUAL(2, frame->planes.size());
    LONGS_EQUAL(64, frame->planes[1].offset_bytes);
    LONGS_EQUAL(16, frame->planes[1].stride_bytes);
    LONGS_EQUAL(96, exported_bytes);
    LONGS_EQUAL(96, content_of(frame->memfd->get()).size());
}
