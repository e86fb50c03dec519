// Who reads a camera's streams: one memory for all, told of each entry and of the end, let go when
// gone.
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "daemon/client_streams.hpp"
#include "tests/fakes/stream_reader.hpp"
#include "tests/unit/expect.hpp"
#include "tests/unit/pipeline_bench.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using fakes::events_of;
using fakes::Reader;

namespace {

size_t drain(const OpenedStream& opened) {
    size_t bytes = 0;
    char some[256];
    for (ssize_t got = 1; got > 0; bytes += got > 0 ? static_cast<size_t>(got) : 0) {
        got = ::read(opened.event.get(), some, sizeof some);
    }
    return bytes;
}

}  // namespace

TEST_GROUP(ClientStreams) {
    Loop loop;
    Worker worker{loop, "test-worker"};
    MemoryBudget budget{uint64_t{1} << 20};
    zero_copy::FrameLayout layout =
        zero_copy::make_layout(zero_copy::PixelFormat::nv12, 64, 32, 128);
    std::shared_ptr<FilteredPicture> picture = std::make_shared<FilteredPicture>(
        FilteredPicture{zero_copy::FrameMemory(size_t{64} * 32), 64});
    uint64_t exported = 0;
    FrameExporter exporter{
        worker, layout, picture, exported, {.copied = [] {}, .picture_wrong = [](const Plan&) {}}};
    std::shared_ptr<const Plan> plan = plan_with({}, 1);
    std::optional<ClientStreams> streams{std::in_place, loop, budget};
    std::vector<OpenedStream> opened;
    std::vector<std::string> failures;

    std::shared_ptr<const Plan> plan_with(Wishes wishes, uint32_t generation) {
        return make_plan(layout, wishes, generation);
    }
    void ask(StreamContent content = StreamContent::histograms) {
        streams->request(content, [this](Outcome<OpenedStream> outcome) {
            try {
                opened.push_back(outcome.get());
            } catch (const std::exception& error) {
                failures.push_back(error.what());
            }
        });
    }
    OpenedStream open(StreamContent content = StreamContent::histograms) {
        ask(content);
        serve();
        OpenedStream result;
        if (!opened.empty()) result = std::move(opened.back());
        opened.clear();
        return result;
    }
    void serve() {
        streams->serve(*plan, exporter);
    }
    void measure(const std::shared_ptr<const Plan>& under, uint64_t sequence) {
        Measurement measurement{
            .plan = under, .sequence = sequence, .timestamp_nsec = sequence + 1};
        for (uint32_t i = 0; i < under->counting->counters(); ++i) measurement.bins.push_back(i);
        streams->measured(measurement);
    }
    /// Bytes of the budget that streams have.
    uint64_t taken() {
        for (uint64_t free = uint64_t{1} << 20;; free -= 64) {
            try {
                budget.check(1, free);
                return (uint64_t{1} << 20) - free;
            } catch (const Failure&) {
            }
        }
    }
};

TEST(ClientStreams, HistogramsAreDescribedAndGoToTheReader) {
    plan = plan_with({.regions = {{"left", 2, 4, 8, 6}}, .bins = 128 * 2}, 3);
    Reader reader(open());
    CHECK_TRUE(reader.mapped);
    const glintd_stream_histograms& shape = reader.stream.header->histograms;
    LONGS_EQUAL(GLINTD_STREAM_HISTOGRAMS, reader.stream.header->kind);
    LONGS_EQUAL(3, reader.stream.header->generation);
    LONGS_EQUAL(2, shape.region_count);
    LONGS_EQUAL(1, shape.channel_count);
    LONGS_EQUAL(256, shape.bins);
    LONGS_EQUAL(8, shape.bit_depth);
    LONGS_EQUAL(1, shape.bin_width);
    STRCMP_EQUAL("Y", shape.channels[0]);
    STRCMP_EQUAL("frame", shape.regions[0].name);
    LONGS_EQUAL(64, shape.regions[0].width);
    STRCMP_EQUAL("left", shape.regions[1].name);
    LONGS_EQUAL(2, shape.regions[1].x);
    LONGS_EQUAL(4, shape.regions[1].y);
    LONGS_EQUAL(8, shape.regions[1].width);
    LONGS_EQUAL(6, shape.regions[1].height);
    CHECK_FALSE(reader.read());
    LONGS_EQUAL(0, events_of(reader.opened));
    measure(plan, 41);
    LONGS_EQUAL(POLLIN, events_of(reader.opened));
    CHECK_TRUE(reader.read());
    LONGS_EQUAL(41, reader.entry.sequence);
    LONGS_EQUAL(42, reader.entry.timestamp_nsec);
    LONGS_EQUAL(3, reader.entry.generation);
    LONGS_EQUAL(256 + 7, glintd_stream_bins(&reader.stream, reader.payload.data(), 1, 0)[7]);
    LONGS_EQUAL(1, drain(reader.opened));
    LONGS_EQUAL(0, events_of(reader.opened));
}

TEST(ClientStreams, PicturesAreDescribed) {
    plan = plan_with({.filter = gpu::named_filter("box3")}, 1);
    const Reader raw(open(StreamContent::raw));
    const Reader filtered(open(StreamContent::filtered));
    const glintd_stream_picture& nv12 = raw.stream.header->picture;
    STRCMP_EQUAL("NV12", nv12.fourcc);
    STRCMP_EQUAL(name_of(layout.range).data(), nv12.range);
    LONGS_EQUAL(64, nv12.width);
    LONGS_EQUAL(32, nv12.height);
    LONGS_EQUAL(2, nv12.plane_count);
    LONGS_EQUAL(128 * 32, nv12.planes[1].offset_bytes);
    LONGS_EQUAL(128, nv12.planes[1].stride_bytes);
    LONGS_EQUAL(64, nv12.planes[1].row_bytes);
    LONGS_EQUAL(16, nv12.planes[1].rows);
    LONGS_EQUAL(layout.size_bytes, raw.stream.header->payload_bytes);
    STRCMP_EQUAL("GREY", filtered.stream.header->picture.fourcc);
    LONGS_EQUAL(64 * 32, filtered.stream.header->payload_bytes);
    CHECK(streams->pictures(Stage::raw) != nullptr);
    CHECK(streams->pictures(Stage::filtered) != streams->pictures(Stage::raw));
}

TEST(ClientStreams, AReaderThatDoesNotReadLosesNothingButTime) {
    Reader reader(open());
    for (uint64_t sequence = 1; sequence <= 10'000; ++sequence) measure(plan, sequence);
    CHECK_TRUE(reader.read());
    LONGS_EQUAL(10'000, reader.entry.sequence);
    CHECK(drain(reader.opened) < 10'000);  // the pipe was full
    measure(plan, 10'001);
    LONGS_EQUAL(POLLIN, events_of(reader.opened));
}

TEST(ClientStreams, TheEndIsWrittenAndHangsUp) {
    Reader reader(open());
    ask();
    streams->end({"some.Error", "the camera was stopped"});
    LONGS_EQUAL(POLLHUP, events_of(reader.opened));
    CHECK_TRUE(glintd_stream_ended(&reader.stream));
    LONGS_EQUAL(1, failures.size());
    STRCMP_EQUAL("the camera was stopped", failures[0].c_str());
    LONGS_EQUAL(0, taken());
}

TEST(ClientStreams, AnotherShapeEndsAStreamAndAnotherGenerationDoesNot) {
    plan = plan_with({.filter = gpu::named_filter("box3")}, 1);
    const Reader histograms(open());
    const Reader raw(open(StreamContent::raw));
    const Reader filtered(open(StreamContent::filtered));
    plan = plan_with({.filter = gpu::named_filter("box5")}, 2);
    serve();
    LONGS_EQUAL(0, events_of(histograms.opened) | events_of(filtered.opened));
    plan = plan_with({}, 3);
    serve();
    LONGS_EQUAL(POLLHUP, events_of(filtered.opened));
    CHECK_TRUE(glintd_stream_ended(&filtered.stream));
    LONGS_EQUAL(0, events_of(histograms.opened) | events_of(raw.opened));
    plan = plan_with({.regions = {{"left", 0, 0, 8, 8}}}, 4);
    serve();
    LONGS_EQUAL(POLLHUP, events_of(histograms.opened));
    LONGS_EQUAL(0, events_of(raw.opened));
}

TEST(ClientStreams, AFrameOfAnEarlierPlanIsLeftOut) {
    const auto before = plan;
    plan = plan_with({.regions = {{"left", 0, 0, 8, 8}}}, 2);
    Reader reader(open());
    measure(before, 1);
    CHECK_FALSE(reader.read());
    measure(plan, 2);
    CHECK_TRUE(reader.read());
}

TEST(ClientStreams, TheMemoryIsSharedAndGoesWithTheLastReader) {
    OpenedStream first = open(StreamContent::raw);
    const uint64_t one = taken();
    LONGS_EQUAL(3 * SharedRing::slot_bytes(layout.size_bytes), one);
    OpenedStream second = open(StreamContent::raw);
    LONGS_EQUAL(one, taken());
    const int copy = ::dup(first.event.get());
    first.event.reset();
    fakes::turn_while_busy(loop);
    second.event.reset();
    fakes::turn_while_busy(loop);
    CHECK(streams->pictures(Stage::raw) != nullptr);  // a copy is open
    ::close(copy);
    CHECK_TRUE(fakes::turn_until(loop, [&] { return streams->pictures(Stage::raw) == nullptr; }));
    LONGS_EQUAL(0, taken());
}

TEST(ClientStreams, WhoseClientHasGoneIsNotWaitedFor) {
    const OpenedStream stays = open();
    for (int i = 0; i < 3; ++i) (void)open();
    measure(plan, 1);  // into closed pipes
    fakes::turn_while_busy(loop);
    for (size_t i = 1; i < ClientStreams::max_readers; ++i) ask();
    STRCMP_EQUAL("", test::missing_in(test::text_thrown<Failure>([this] { ask(); }),
                                      {"16 streams", "close one"})
                         .c_str());
}

TEST(ClientStreams, ThereIsALimitForAllKindsTogether) {
    for (size_t i = 0; i < ClientStreams::max_readers; ++i) {
        ask(i % 2 == 0 ? StreamContent::raw : StreamContent::histograms);
    }
    serve();
    LONGS_EQUAL(ClientStreams::max_readers, opened.size());
    CHECK_THROWS(Failure, ask(StreamContent::filtered));
    opened.pop_back();
    fakes::turn_while_busy(loop);
    ask();
    serve();
    LONGS_EQUAL(ClientStreams::max_readers, opened.size());
}

TEST(ClientStreams, WithoutAFilterOrMemoryThereIsNone) {
    ask(StreamContent::filtered);
    serve();
    LONGS_EQUAL(1, failures.size());
    STRCMP_EQUAL("the filter was taken away", failures[0].c_str());
    budget.set_limit(3 * layout.size_bytes);
    ask(StreamContent::raw);
    serve();
    LONGS_EQUAL(2, failures.size());
    STRCMP_CONTAINS("limit_mib", failures[1].c_str());
    budget.set_limit(uint64_t{1} << 20);
    LONGS_EQUAL(0, taken());
    CHECK(streams->pictures(Stage::raw) == nullptr);
}

TEST_GROUP(StreamedPictures) {
    test::PipelineBench bench;
    MemoryBudget budget{uint64_t{1} << 20};
    ClientStreams streams{bench.loop, budget};
    std::vector<OpenedStream> opened;

    void setup() override {
        bench.stream_of = [this](Stage stage) { return streams.pictures(stage); };
        bench.pipeline->set_plan(bench.filter_plan);
        bench.start();
    }
    void teardown() override {
        CHECK_TRUE(bench.shut_down());
    }
    void open(StreamContent content) {
        streams.request(content,
                        [this](Outcome<OpenedStream> outcome) { opened.push_back(outcome.get()); });
        streams.serve(*bench.filter_plan, bench.pipeline->exporter());
    }
    void run_frame(uint64_t sequence) {
        bench.send(sequence);
        bench.complete_all();
        CHECK_TRUE(bench.turn_until_idle());
    }
};

TEST(StreamedPictures, EveryFrameGoesToTheStreamWithoutBeingAskedFor) {
    for (const zero_copy::FrameMemory& frame : bench.pool->buffers()) frame.data()[0] = 9;
    open(StreamContent::raw);
    Reader reader(std::move(opened.at(0)));
    for (uint64_t sequence = 5; sequence < 9; ++sequence) {
        run_frame(sequence);
        CHECK_FALSE(bench.gpu.work.filter);
        CHECK_TRUE(reader.read());
        LONGS_EQUAL(sequence, reader.entry.sequence);
        LONGS_EQUAL(1000 + sequence, reader.entry.timestamp_nsec);
        LONGS_EQUAL(2, reader.entry.generation);
        LONGS_EQUAL(0, reader.entry.missed);
        LONGS_EQUAL(9, reader.payload[0]);
    }
    LONGS_EQUAL(4 * 32 * 4, bench.counters.bytes_exported);
    LONGS_EQUAL(0, bench.counters.bytes_copied);
}

TEST(StreamedPictures, FramesAreFilteredAsLongAsSomebodyReads) {
    open(StreamContent::filtered);
    {
        Reader reader(std::move(opened.at(0)));
        for (const uint64_t sequence : {0U, 1U}) {
            run_frame(sequence);
            CHECK_TRUE(bench.gpu.work.filter);
            CHECK_TRUE(reader.read());
        }
    }
    fakes::turn_while_busy(bench.loop);
    run_frame(2);
    CHECK_FALSE(bench.gpu.work.filter);
    LONGS_EQUAL(2 * 64 * 4, bench.counters.bytes_exported);
}

TEST(StreamedPictures, AWrongPictureIsNotShown) {
    open(StreamContent::filtered);
    Reader reader(std::move(opened.at(0)));
    bench.gpu.picture = nullptr;
    bench.picture->memory.data()[0] = 3;  // what is there is no filter's result
    run_frame(0);
    CHECK_FALSE(reader.read());
    LONGS_EQUAL(1, bench.counters.rejected);
    LONGS_EQUAL(0, bench.counters.bytes_exported);
    bench.gpu.picture = bench.picture;
    run_frame(1);
    CHECK_TRUE(reader.read());
    LONGS_EQUAL(1, reader.entry.number);
}

TEST(StreamedPictures, ACallerAndAStreamShareOneLook) {
    open(StreamContent::raw);
    Reader reader(std::move(opened.at(0)));
    bool answered = false;
    CHECK_TRUE(bench.pipeline->exporter().request(Stage::raw, [&](Outcome<ExportedFrame> frame) {
        answered = frame.get().memfd != nullptr;
    }));
    run_frame(0);
    CHECK_TRUE(answered);
    CHECK_TRUE(reader.read());
    LONGS_EQUAL(2 * 32 * 4, bench.counters.bytes_exported);
}

TEST(StreamedPictures, ABusyWorkerCostsEntriesAndHoldsOneBuffer) {
    open(StreamContent::raw);
    Reader reader(std::move(opened.at(0)));
    fakes::Gate release;
    bench.worker.post(
        std::chrono::seconds(60),
        [&] {
            release.wait();
            return 0;
        },
        [](Outcome<int>) {});
    for (uint64_t sequence = 0; sequence < 4; ++sequence) {
        bench.send(sequence);
        bench.gpu.complete();
    }
    LONGS_EQUAL(4, bench.measured.size());
    LONGS_EQUAL(1, bench.pool->leased());
    release.open();
    CHECK_TRUE(bench.turn_until_idle());
    CHECK_TRUE(reader.read());
    LONGS_EQUAL(0, reader.entry.sequence);
    run_frame(4);
    CHECK_TRUE(reader.read());
    LONGS_EQUAL(4, reader.entry.sequence);
    LONGS_EQUAL(0, reader.entry.missed);
}
