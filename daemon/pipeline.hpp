// The life of a frame, from the source's queue to the published result and back.
//
//   QUEUED -dequeue-> FILLED -admit-> PENDING -submit-> RUNNING -done-> publish -> QUEUED
//      ^                 | bad: corrupt  | newer frame: dropped                      |
//      +-----------------+---------------+-------------------------------------------+   ~Lease
//
// Running <= 1 and pending <= 1 per stream, the latest frame wins: a GPU slower than the camera
// costs frames, never latency.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/frame_export.hpp"
#include "daemon/loop.hpp"
#include "daemon/processor.hpp"
#include "daemon/trigger.hpp"
#include "daemon/worker.hpp"
#include "zero_copy/lease.hpp"

namespace glint {

/// What has happened to frames; as on the bus.
struct Counters {
    uint64_t captured = 0;
    uint64_t processed = 0;
    uint64_t dropped = 0;
    uint64_t lost = 0;
    uint64_t corrupt = 0;
    uint64_t merged = 0;
    uint64_t triggers_answered = 0;
    uint64_t triggers_missed = 0;
    uint64_t rejected = 0;
    uint64_t bytes_copied = 0;
    uint64_t bytes_exported = 0;
    uint64_t gpu_busy_usec = 0;
};

/// A frame's checked result.
struct Measurement {
    std::shared_ptr<const Plan> plan;
    uint64_t sequence = 0;
    uint64_t timestamp_nsec = 0;
    int32_t exposure_usec = -1;              ///< -1: unknown
    int32_t gain_raw = -1;                   ///< -1: unknown
    std::optional<Trigger> trigger;          ///< that this frame answers
    uint64_t processing_usec = 0;            ///< from submission to completion
    std::vector<uint32_t> bins;              ///< plan->bins for each region and channel
    std::optional<size_t> sharpness_region;  ///< whose sharpness was asked for, if any
    std::vector<uint64_t> sharpness;         ///< of each channel of that region, if any

    [[nodiscard]] std::span<const uint32_t> channel_bins(size_t region, size_t channel) const {
        const size_t result = region * plan->channels.size() + channel;
        return std::span(bins).subspan(result * plan->bins, plan->bins);
    }
};

/// Whether the bins of every result sum to what was counted. One flipped bit anywhere changes a
/// sum.
[[nodiscard]] bool sums_match(const Plan& plan, std::span<const uint32_t> bins) noexcept;

/// Runs one stream. Loop thread only.
class Pipeline {
  public:
    /// Each is called at most once per frame, last of all that the pipeline does for that frame.
    struct Events {
        std::function<void(const Measurement&)> measured;
        std::function<void(const std::string& why)> processor_failed;  ///< once; the pipeline halts
        std::function<void(const char* op)> result_rejected;  ///< "histogram", "convolution" ...
        std::function<void()> source_failed;
        std::function<void()> drained;  ///< after stop(): no frame is leased any more
        /// Asked before each frame: a region whose sharpness somebody waits for. May be empty.
        std::function<std::optional<size_t>(const Plan&)> sharpness_wanted = {};
        /// Asked for each frame that can be measured: the trigger that it answers. May be empty.
        std::function<std::optional<Trigger>(const zero_copy::Captured&)> trigger_of = {};
        /// The clients' stream of the pictures of that stage; null: there is none. May be empty.
        std::function<std::shared_ptr<ClientStream>(Stage)> stream_of = {};
    };
    /// `source` and the processors must outlive the pipeline; `fallback` takes the frames for whose
    /// filter or sharpness `processor` has no variant.
    struct Parts {
        zero_copy::Source& source;
        std::shared_ptr<zero_copy::BufferPool> pool;
        std::shared_ptr<const FilteredPicture> picture;
        Processor& processor;
        Processor& fallback;
        bool only_triggered = false;  ///< other frames are not measured
    };

    Pipeline(Loop& loop, Worker& worker, Parts parts, std::shared_ptr<const Plan> plan,
             Counters& counters, Events events);

    /// Throws as Source::start.
    void start();
    /// Takes no further frame; `drained` follows, possibly at once.
    void stop();
    void set_plan(std::shared_ptr<const Plan> plan) { plan_ = std::move(plan); }
    [[nodiscard]] const Plan& plan() const noexcept { return *plan_; }
    [[nodiscard]] FrameExporter& exporter() noexcept { return exporter_; }
    [[nodiscard]] const FrameExporter& exporter() const noexcept { return exporter_; }

  private:
    struct Frame {
        zero_copy::Lease lease;
        zero_copy::Captured captured;
        std::optional<Trigger> trigger;
    };
    struct Running {
        Frame frame;
        Work work;
        uint64_t since_nsec = 0;
        Processor* by = nullptr;
    };

    void dequeue();
    void count(const zero_copy::Captured& captured);
    void read(Frame frame);
    void admit(Frame frame);
    void wait(Frame frame);
    void submit(Frame frame);
    void submit_pending();
    void finish(const ProcessorResult& result);
    [[nodiscard]] Processor& choose(const Work& work) const;
    void record(const Running& running, const ProcessorResult& result);
    void reject(const char* op);
    void miss_trigger(const Frame& frame);
    void halt(const std::string& why);
    void check_drained();

    Loop& loop_;
    Worker& worker_;
    Parts parts_;
    std::shared_ptr<const Plan> plan_;
    Counters& counters_;
    Events events_;
    FrameExporter exporter_;
    std::optional<IoSource> io_;
    std::optional<uint64_t> last_sequence_;
    std::optional<Frame> pending_;
    std::optional<Running> running_;
    uint32_t reading_ = 0;
    bool stopping_ = false;
    bool drained_ = false;
    bool halted_ = false;
    Measurement measurement_;  ///< kept, so that its memory is
};

}  // namespace glint
