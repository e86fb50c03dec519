// One camera of the configuration: its state, its stream, its newest result.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/client_streams.hpp"
#include "daemon/config.hpp"
#include "daemon/failure.hpp"
#include "daemon/loop.hpp"
#include "daemon/memory_budget.hpp"
#include "daemon/pipeline.hpp"
#include "daemon/recovery.hpp"
#include "daemon/sharpness_requests.hpp"
#include "daemon/trigger.hpp"
#include "daemon/worker.hpp"
#include "zero_copy/unique_fd.hpp"
#include "zero_copy/v4l2_controls.hpp"

namespace glint {

enum class CameraState { absent, idle, starting, streaming, failed };
[[nodiscard]] const char* name_of(CameraState state);

namespace gpu {
class Completion;
struct Refusal;
struct Runtime;
}  // namespace gpu

struct Stream;

class Camera;

/// Shared by all cameras.
struct Services {
    Loop& loop;
    Worker& worker;   ///< frames: reads, the cpu variants, exports
    Worker& builder;  ///< what may take a minute: building, proving, taking down
    gpu::Completion& completion;
    MemoryBudget& memory;
    zero_copy::DeviceCalls& calls;
    std::vector<std::string> heaps;    ///< where dma-bufs come from
    std::function<void(Camera&)> gpu;  ///< gives a new camera the GPU, if there is one
    std::function<void(const Camera&)> state_changed;
    /// Before the camera's own listener hears of it.
    std::function<void(const Camera&, const Measurement&)> measured;
    std::function<void(const std::string& why)> gpu_failed;
    /// Variants of this device that were refused, some of them since it was brought up.
    std::function<void(const std::vector<gpu::Refusal>&)> gpu_refused;
    /// A result of this operator and variant did not pass its check.
    std::function<void(const std::string& op, const std::string& variant)> gpu_suspect;
};

/// What the bus shows of a running stream.
struct StreamInfo {
    zero_copy::FrameLayout layout;
    std::string timestamp_source = "dequeue";
    bool losses_estimated = false;
    double rate = 0;  ///< frames per second; 0: unknown
    std::string transport = "none";
    std::string zero_copy = "no";
    std::vector<std::pair<std::string, std::string>> ladder;
};

/// Loop thread only. Opening, proving and taking down run on workers; in between the camera is
/// "starting", and whatever is asked of it meanwhile is done afterwards. A camera that is wanted
/// comes back by itself: when its node does, or after a while.
class Camera {
  public:
    using Settled = std::function<void(const std::optional<Failure>&)>;
    struct Events {
        std::function<void(const Measurement&)> measured;
        std::function<void()> changed;  ///< a property other than a counter
        std::function<void(const Failure&)> failed;
    };

    Camera(Services services, CameraConfig config);
    ~Camera();
    Camera(const Camera&) = delete;
    Camera& operator=(const Camera&) = delete;

    void listen(Events events) { events_ = std::move(events); }

    /// `settled` is called once the camera streams, or has stopped, or cannot.
    void start(Settled settled);
    void stop(Settled settled);
    /// Streams with this GPU from now on, or with the CPU alone; a running stream is rebuilt, since
    /// every buffer must be known to the GPU before the source fills it. `cpu_reason` is for the
    /// bus.
    void use_gpu(std::shared_ptr<const gpu::Runtime> runtime, std::string cpu_reason);

    /// The first frame that was exposed at or after it names it in its measurement.
    void trigger(Trigger trigger);
    /// What the timestamps of triggers are compared with, as on the bus.
    [[nodiscard]] const std::string& trigger_basis() const noexcept { return trigger_basis_; }

    /// Throw Failure and change nothing when the argument is bad. Return the new generation.
    uint32_t set_regions(const std::vector<Region>& regions);
    /// The filter keeps the border that the configuration gives. One of floats is the CPU's until
    /// kernels for its size are built, which happens when it is first asked for.
    uint32_t set_filter(std::optional<gpu::AnyFilter> filter);
    /// Another number of bins takes other kernels: the stream is rebuilt.
    uint32_t set_bins(uint32_t bins);
    /// From a memfd with one byte per pixel of the frame, 0 for those that do not count, or an
    /// empty one for no mask. Read on the worker; `reply` gets the new generation or a Failure.
    void set_mask(zero_copy::UniqueFd memfd, std::function<void(Outcome<uint32_t>)> reply);
    uint32_t set_metering(const std::optional<MeteringGrid>& grid);
    /// Answered from the next finished frame, also across a rebuild of the stream. Throws Failure.
    void request_frame(Stage stage, FrameExporter::Reply reply);
    /// Answered as soon as the camera streams. Throws Failure.
    void open_stream(StreamContent content, ClientStreams::Reply reply);

    [[nodiscard]] const CameraConfig& config() const noexcept { return config_; }
    [[nodiscard]] CameraState state() const noexcept { return state_; }
    [[nodiscard]] const StreamInfo& info() const noexcept { return info_; }
    [[nodiscard]] const Counters& counters() const noexcept { return counters_; }
    [[nodiscard]] Counters& counters() noexcept { return counters_; }
    [[nodiscard]] uint32_t generation() const noexcept { return generation_; }
    [[nodiscard]] const std::vector<Region>& regions() const noexcept { return wishes_.regions; }
    [[nodiscard]] const Wishes& wishes() const noexcept { return wishes_; }
    [[nodiscard]] std::vector<VariantInForce> variants() const;
    /// What the driver lets people set; each is answered by the worker. Throw Failure when the
    /// camera has no controls or is not open.
    void list_controls(std::function<void(Outcome<std::vector<zero_copy::Control>>)> reply);
    void set_control(const std::string& name, int64_t value,
                     std::function<void(Outcome<bool>)> reply);
    /// The newest result; throws Failure (NotStreaming) when there is none.
    [[nodiscard]] const Measurement& newest() const;
    /// Answered from the next frames, also across a rebuild of the stream; refused when it stops.
    [[nodiscard]] SharpnessRequests& sharpness_requests() noexcept { return sharpness_requests_; }
    /// Neither a stream nor a job of this camera is left.
    [[nodiscard]] bool at_rest() const noexcept { return !busy_ && stream_ == nullptr; }
    /// Nor any other job: it may be destroyed.
    [[nodiscard]] bool forgotten() const noexcept { return at_rest() && jobs_ == 0; }

  private:
    /// Every job that comes back to this camera goes this way.
    template <typename Work, typename Done>
    void post(Worker& worker, std::chrono::seconds deadline, Work work, Done done) {
        ++jobs_;
        worker.post(deadline, std::move(work),
                    [this, done = std::move(done)](auto outcome) mutable {
                        --jobs_;
                        done(std::move(outcome));
                    });
    }
    void step();
    void finish_settling(const std::optional<Failure>& failure);
    void open();
    void prepare();
    void prepare_gpu();
    void prepare_float_filter();
    void begin();
    void take_down();
    void drained();
    void release_stream();
    void prepared(Outcome<std::unique_ptr<Stream>> outcome, bool with_gpu);
    void gpu_cannot(const std::string& why);
    void lost(const zero_copy::SourceError& error);
    void fail(const Failure& failure, CameraState state);
    void give_up(const Failure& failure);
    void source_failed(const zero_copy::SourceError& error);
    void watch_stream();
    void set_state(CameraState state);
    [[nodiscard]] Pipeline::Events pipeline_events();
    void describe_stream();
    void compare_rate() const;
    void tell_copying() const;
    void tell_losses();
    void measured(const Measurement& measurement);
    [[nodiscard]] std::optional<Trigger> answered_by(const zero_copy::Captured& frame);
    void miss_triggers() noexcept { counters_.triggers_missed += triggers_.clear(); }
    [[nodiscard]] FrameTime frame_time(uint64_t timestamp_nsec, int32_t exposure_usec) const;
    [[nodiscard]] bool basis_changed(const Measurement& measurement);
    [[nodiscard]] std::shared_ptr<const zero_copy::DeviceFd> control_device() const;
    void rejected(const std::string& op);
    void require_frames(bool filtered) const;
    void serve_streams();
    void refuse_requests(const Failure& failure);
    [[nodiscard]] std::shared_ptr<const Plan> plan_for(const zero_copy::FrameLayout& layout) const;
    /// Checks and takes over; throws Failure and changes nothing when they cannot be had.
    uint32_t wish(Wishes wishes);
    void apply_plan();
    [[nodiscard]] zero_copy::SourceRequest source_request() const;

    Services services_;
    CameraConfig config_;
    Events events_;
    CameraState state_ = CameraState::idle;
    StreamInfo info_;
    Counters counters_;
    uint32_t generation_ = 1;
    Wishes wishes_;
    std::shared_ptr<const gpu::Runtime> runtime_;  ///< to use; null: the CPU alone
    std::string cpu_reason_;
    bool wanted_ = false;   ///< whether to stream
    bool rebuild_ = false;  ///< the running stream is not what is wanted any more
    std::optional<zero_copy::SourceError> source_error_;  ///< that ended the stream
    bool retrying_ = false;          ///< nobody is told of the try before it succeeds
    bool busy_ = false;              ///< a job of this camera is under way that ends with a step
    bool preparing_filter_ = false;  ///< kernels for a float filter are being made
    size_t jobs_ = 0;                ///< that are under way
    uint64_t told_losses_ = 0;       ///< that the log has been told of
    uint64_t losses_told_nsec_ = 0;
    TriggerQueue triggers_;
    std::string trigger_basis_ = "dequeue";  ///< of the newest frame
    std::vector<Settled> settling_;
    std::vector<FrameExporter::Request> frame_requests_;  ///< that wait for the next stream
    SharpnessRequests sharpness_requests_;
    ClientStreams client_streams_;
    std::unique_ptr<zero_copy::Source> source_;
    std::unique_ptr<Stream> stream_;
    std::optional<Measurement> newest_;
    Recovery recovery_;
    StallWatch stall_;
};

}  // namespace glint
