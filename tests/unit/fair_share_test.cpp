// Several cameras on one GPU: a camera gets its turn however fast the others are.
#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "daemon/pipeline.hpp"
#include "tests/fakes/fake_processor.hpp"
#include "tests/fakes/fake_source.hpp"
#include "tests/fakes/turn.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;

namespace {

constexpr uint32_t buffers = 5;

/// One camera, its pipeline, and its face on the GPU, which finishes when the test says so.
struct SharingCamera {
    explicit SharingCamera(Loop& own_loop, Worker& worker) : loop(own_loop) {
        pipeline.emplace(loop, worker, Pipeline::Parts{source, pool, picture, gpu, cpu}, plan,
                         counters,
                         Pipeline::Events{.measured = [](const Measurement&) {},
                                          .processor_failed = [](const std::string&) {},
                                          .result_rejected = [](const char*) {},
                                          .source_failed = [] {},
                                          .drained = [] {}});
        pipeline->start();
    }
    void send() {
        source.send(sequence++);
        fakes::turn_while_busy(loop);
    }

    Loop& loop;
    zero_copy::FrameLayout layout = zero_copy::make_layout(zero_copy::PixelFormat::grey, 16, 4, 32);
    fakes::FakeSource source{layout};
    std::shared_ptr<zero_copy::BufferPool> pool =
        std::make_shared<zero_copy::BufferPool>(zero_copy::host_pages(buffers, layout.size_bytes));
    std::shared_ptr<FilteredPicture> picture = std::make_shared<FilteredPicture>();
    fakes::FakeProcessor gpu{true};
    fakes::FakeProcessor cpu{false};
    Counters counters;
    std::shared_ptr<const Plan> plan = make_plan(layout, {}, 1);
    std::optional<Pipeline> pipeline;
    uint64_t sequence = 0;
};

/// An in-order queue: what was submitted first is finished first.
class InOrderQueue {
  public:
    void note(SharingCamera& camera) {
        if (camera.gpu.busy() && std::ranges::find(order_, &camera) == order_.end()) {
            order_.push_back(&camera);
        }
    }
    void finish_one(std::vector<SharingCamera*> cameras) {
        if (order_.empty()) return;
        SharingCamera& first = *order_.front();
        order_.pop_front();
        first.gpu.complete();
        for (SharingCamera* camera : cameras) note(*camera);
    }

  private:
    std::deque<SharingCamera*> order_;
};

}  // namespace

TEST_GROUP(FairShare) {
    Loop loop;
    Worker worker{loop, "test-worker"};
};

TEST(FairShare, ASlowCameraLosesNothingToAFastOne) {
    SharingCamera fast(loop, worker);
    SharingCamera slow(loop, worker);
    InOrderQueue queue;
    constexpr int finished = 300;  // frames of the GPU
    for (int i = 0; i < finished; ++i) {
        for (int frame = 0; frame < 10; ++frame) {  // ten for each that the GPU manages
            fast.send();
            queue.note(fast);
        }
        if (i % 3 == 0) {  // less than its half
            slow.send();
            queue.note(slow);
        }
        queue.finish_one({&fast, &slow});
    }
    LONGS_EQUAL(slow.counters.captured, slow.counters.processed + (slow.gpu.busy() ? 1 : 0));
    LONGS_EQUAL(0, slow.counters.dropped);
    LONGS_EQUAL(finished, fast.counters.processed + slow.counters.processed);
    CHECK(fast.counters.dropped > 0);
}

TEST(FairShare, CamerasThatWantTooMuchGetTheSame) {
    std::vector<std::unique_ptr<SharingCamera>> cameras;
    std::vector<SharingCamera*> all;
    for (int i = 0; i < 4; ++i) {
        cameras.push_back(std::make_unique<SharingCamera>(loop, worker));
        all.push_back(cameras.back().get());
    }
    InOrderQueue queue;
    constexpr uint64_t finished = 400;
    for (uint64_t i = 0; i < finished; ++i) {
        for (size_t camera = 0; camera < all.size(); ++camera) {
            // Camera 3 is eight times as fast as camera 0, which still is too fast.
            for (size_t frame = 0; frame < size_t{1} << camera; ++frame) {
                all[camera]->send();
                queue.note(*all[camera]);
            }
        }
        queue.finish_one(all);
    }
    for (const SharingCamera* camera : all) {
        LONGS_EQUAL(finished / all.size(), camera->counters.processed);
        LONGS_EQUAL(0, camera->counters.rejected);
    }
}
