// A pipeline on fakes, and what has come out of it: the ground that the pipeline tests stand on.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "daemon/pipeline.hpp"
#include "tests/fakes/fake_processor.hpp"
#include "tests/fakes/fake_source.hpp"
#include "tests/fakes/gate.hpp"
#include "tests/fakes/turn.hpp"

namespace glint::test {

struct PipelineBench {
    static constexpr uint32_t buffer_count = 5;

    explicit PipelineBench(bool only_triggered = false) {
        gpu.picture = picture;
        cpu.picture = picture;
        pipeline.emplace(
            loop, worker, Pipeline::Parts{source, pool, picture, gpu, cpu, only_triggered}, plan,
            counters,
            Pipeline::Events{
                .measured =
                    [this](const Measurement& measurement) {
                        measured.push_back(measurement.sequence);
                        newest = measurement;
                        if (on_measured) on_measured();
                    },
                .processor_failed =
                    [this](const std::string& why) {
                        failures.push_back(why);
                        if (on_failed) on_failed();
                    },
                .result_rejected = [this](const char* op) { rejected.emplace_back(op); },
                .source_failed = [this] { ++source_failures; },
                .drained =
                    [this] {
                        ++drained;
                        leased_when_drained = pool->leased();
                    },
                .sharpness_wanted = [this](const Plan&) { return sharpness_wanted; },
                .trigger_of = [this](const zero_copy::Captured& frame) -> std::optional<Trigger> {
                    if (!triggered.contains(frame.sequence)) return std::nullopt;
                    return Trigger{.line = "button", .sequence = frame.sequence * 10};
                },
                .stream_of = [this](Stage stage) -> std::shared_ptr<ClientStream> {
                    return stream_of ? stream_of(stage) : nullptr;
                }});
    }

    /// Ends whatever still runs; true if everything came back.
    [[nodiscard]] bool shut_down() {
        if (stop_wanted()) pipeline->stop();
        for (fakes::FakeProcessor* processor : {&gpu, &cpu}) {
            if (processor->busy()) processor->complete();
        }
        const bool quiet = fakes::turn_until(loop, [this] { return worker.idle() && drained > 0; });
        pipeline.reset();
        return quiet && pool->leased() == 0 && leased_when_drained == 0;
    }

    void start() { pipeline->start(); }
    void stop() {
        stopped_ = true;
        pipeline->stop();
    }
    /// The camera delivers a frame, and the loop does what it can about it.
    void send(uint64_t sequence) {
        source.send(sequence);
        fakes::turn_while_busy(loop);
    }
    void send(const zero_copy::Captured& frame) {
        source.send(frame);
        fakes::turn_while_busy(loop);
    }
    [[nodiscard]] bool turn_until_idle() {
        return fakes::turn_until(loop, [this] { return worker.idle(); });
    }
    /// Everything that was submitted comes to its end.
    void complete_all() {
        while (gpu.busy() || cpu.busy()) gpu.busy() ? gpu.complete() : cpu.complete();
    }

    Loop loop;
    Worker worker{loop, "test-worker"};
    zero_copy::FrameLayout layout = zero_copy::make_layout(zero_copy::PixelFormat::grey, 16, 4, 32);
    fakes::FakeSource source{layout};
    std::shared_ptr<zero_copy::BufferPool> pool = std::make_shared<zero_copy::BufferPool>(
        zero_copy::host_pages(buffer_count, layout.size_bytes));
    std::shared_ptr<FilteredPicture> picture = std::make_shared<FilteredPicture>(
        FilteredPicture{zero_copy::FrameMemory(size_t{64} * 4), 64});
    fakes::FakeProcessor gpu{true};
    fakes::FakeProcessor cpu{false};
    Counters counters;
    std::shared_ptr<const Plan> plan = make_plan(layout, {}, 1);
    std::shared_ptr<const Plan> filter_plan =
        make_plan(layout, {.filter = gpu::named_filter("binomial3")}, 2);
    std::optional<Pipeline> pipeline;

    std::vector<uint64_t> measured;  ///< sequences, in the order of publishing
    std::optional<Measurement> newest;
    std::vector<std::string> failures;
    std::vector<std::string> rejected;  ///< operators
    uint32_t source_failures = 0;
    uint32_t drained = 0;
    uint32_t leased_when_drained = 0;
    std::optional<size_t> sharpness_wanted;  ///< region
    std::set<uint64_t> triggered;            ///< frames that answer a trigger
    std::function<std::shared_ptr<ClientStream>(Stage)> stream_of;
    std::function<void()> on_measured;
    std::function<void()> on_failed;

  private:
    [[nodiscard]] bool stop_wanted() const { return !stopped_; }
    bool stopped_ = false;
};

}  // namespace glint::test
