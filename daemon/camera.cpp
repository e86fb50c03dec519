#include "daemon/camera.hpp"

#include <fmt/format.h>

#include "daemon/log.hpp"
#include "daemon/names.hpp"
#include "daemon/stream.hpp"

namespace glint {
namespace {

using zero_copy::SourceError;

/// For jobs that may build: a compiler on a board takes up to a minute a kernel.
constexpr std::chrono::seconds build_deadline{600};

std::vector<Region> to_regions(const std::vector<RegionConfig>& configured) {
    std::vector<Region> regions;
    for (const RegionConfig& region : configured) {
        regions.push_back({region.name, region.x, region.y, region.width, region.height});
    }
    return regions;
}

}  // namespace

const char* name_of(CameraState state) {
    switch (state) {
        case CameraState::absent:
            return "absent";
        case CameraState::idle:
            return "idle";
        case CameraState::starting:
            return "starting";
        case CameraState::streaming:
            return "streaming";
        case CameraState::failed:
            break;
    }
    return "failed";
}

Camera::Camera(Services services, CameraConfig config)
    : services_(std::move(services)),
      config_(std::move(config)),
      wishes_{.regions = to_regions(config_.regions),
              .bins = config_.bins,
              .metering = config_.metering,
              .mask = {},
              .filter = config_.filter},
      client_streams_(services_.loop, services_.memory),
      recovery_(services_.loop,
                [this] {
                    retrying_ = true;
                    step();
                }),
      stall_(services_.loop, [this](microseconds limit) {
          source_failed({SourceError::Kind::broken,
                         fmt::format("no frame has come for {} ms", limit.count() / 1000)});
      }) {}

Camera::~Camera() = default;

void Camera::start(Settled settled) {
    if (settled) settling_.push_back(std::move(settled));
    wanted_ = true;
    retrying_ = false;
    step();
}

void Camera::stop(Settled settled) {
    if (settled) settling_.push_back(std::move(settled));
    wanted_ = false;
    recovery_.cancel();
    step();
}

void Camera::use_gpu(std::shared_ptr<const gpu::Runtime> runtime, std::string cpu_reason) {
    cpu_reason_ = std::move(cpu_reason);
    if (runtime == runtime_) return;
    runtime_ = std::move(runtime);
    if (stream_ == nullptr && !busy_) return;
    if (runtime_ != nullptr && state_ == CameraState::streaming) return prepare_gpu();
    rebuild_ = true;
    step();
}

/// What was measured for the stream's frame size may have to be compiled first; until that is done
/// the stream goes on as it is.
void Camera::prepare_gpu() {
    cpu_reason_ = "the GPU's kernels for this frame size are being built and checked";
    post(
        services_.builder, build_deadline,
        [runtime = runtime_, size = frame_size(info_.layout)] {
            (void)runtime->choices_for(size);
            return true;
        },
        [this, runtime = runtime_](Outcome<bool>) {
            if (runtime != runtime_ || !wanted_) return;
            rebuild_ = true;
            step();
        });
}

/// One step towards what is wanted. Every job ends with another call.
void Camera::step() {
    if (busy_) return;
    if (stream_ != nullptr) {
        if (wanted_ && !rebuild_) return finish_settling(std::nullopt);
        return take_down();
    }
    rebuild_ = false;
    if (!wanted_) {
        source_.reset();
        newest_.reset();
        miss_triggers();
        refuse_requests({names::error::not_streaming, "the camera was stopped"});
        set_state(CameraState::idle);
        return finish_settling(std::nullopt);
    }
    if (!retrying_) set_state(CameraState::starting);
    source_ == nullptr ? open() : prepare();
}

void Camera::finish_settling(const std::optional<Failure>& failure) {
    for (const Settled& settled : std::exchange(settling_, {})) settled(failure);
}

void Camera::set_state(CameraState state) {
    if (state == state_) return;
    state_ = state;
    log::info(fmt::format("camera {} is {}", config_.name, name_of(state)),
              {{names::field_camera, config_.name}});
    if (events_.changed) events_.changed();
    services_.state_changed(*this);
}

/// Once for each change: a camera that is tried every few seconds is not a message every time.
void Camera::fail(const Failure& failure, CameraState state) {
    source_.reset();
    const bool news = state != state_ || !settling_.empty();
    if (news) {
        log::error(fmt::format("camera {}: {}", config_.name, failure.what()),
                   {{names::field_message_id, names::message::camera_lost},
                    {names::field_camera, config_.name}});
    }
    miss_triggers();
    refuse_requests(failure);
    set_state(state);
    if (news && events_.failed) events_.failed(failure);
    finish_settling(failure);
}

/// The camera stays as it is until somebody starts it again.
void Camera::give_up(const Failure& failure) {
    wanted_ = false;
    recovery_.cancel();
    fail(failure, CameraState::failed);
}

void Camera::refuse_requests(const Failure& failure) {
    sharpness_requests_.refuse(failure);
    client_streams_.end(failure);
    for (const FrameExporter::Request& request : std::exchange(frame_requests_, {})) {
        request.reply(Outcome<ExportedFrame>(std::make_exception_ptr(failure)));
    }
}

void Camera::measured(const Measurement& measurement) {
    newest_ = measurement;
    sharpness_requests_.measured(measurement);
    client_streams_.measured(measurement);
    const bool other_basis = basis_changed(measurement);
    if (other_basis || info_.timestamp_source != source_->timestamp_source() ||
        info_.losses_estimated != source_->losses_estimated()) {
        describe_stream();
        if (events_.changed) events_.changed();
    }
    services_.measured(*this, *newest_);
    tell_losses();
    if (events_.measured) events_.measured(*newest_);
}

/// A camera that loses frames loses many: one line when it begins, and one a minute.
void Camera::tell_losses() {
    constexpr uint64_t between_nsec = 60'000'000'000;
    const uint64_t losses = counters_.lost - told_losses_;
    const uint64_t now = now_nsec();
    if (losses == 0 || (losses_told_nsec_ != 0 && now - losses_told_nsec_ < between_nsec)) return;
    log::warning(fmt::format("camera {}: the driver has lost {} frames", config_.name, losses),
                 {{names::field_message_id, names::message::frames_lost},
                  {names::field_camera, config_.name}});
    told_losses_ = counters_.lost;
    losses_told_nsec_ = now;
}

void Camera::rejected(const std::string& op) {
    log::error(fmt::format("camera {}: a {} result did not pass its check and was thrown away",
                           config_.name, op),
               {{names::field_camera, config_.name}});
    for (const VariantInForce& entry : variants()) {
        if (entry.op == op) services_.gpu_suspect(op, entry.variant);
    }
}

void Camera::require_frames(bool filtered) const {
    // One that stops is "streaming" until its buffers are back, and nobody would answer any more.
    const bool frames_come =
        wanted_ && (state_ == CameraState::streaming || state_ == CameraState::starting);
    if (!frames_come) {
        throw Failure(names::error::not_streaming, fmt::format("camera {} is {}; call Start first",
                                                               config_.name, name_of(state_)));
    }
    if (filtered && !wishes_.filter) {
        throw Failure(names::error::filter_invalid,
                      "no filter is set; call SetFilter or SetFilterFloat first");
    }
}

void Camera::open_stream(StreamContent content, ClientStreams::Reply reply) {
    require_frames(content == StreamContent::filtered);
    client_streams_.request(content, std::move(reply));
    if (state_ == CameraState::streaming) serve_streams();
}

void Camera::serve_streams() {
    const Pipeline& pipeline = *stream_->pipeline;
    client_streams_.serve(pipeline.plan(), pipeline.exporter());
}

void Camera::request_frame(Stage stage, FrameExporter::Reply reply) {
    require_frames(stage == Stage::filtered);
    bool taken = frame_requests_.size() < FrameExporter::max_waiting;
    if (state_ == CameraState::streaming) {
        taken = stream_->pipeline->exporter().request(stage, std::move(reply));
    } else if (taken) {
        frame_requests_.push_back({stage, std::move(reply)});
    }
    if (!taken) {
        throw Failure(
            "org.freedesktop.DBus.Error.LimitsExceeded",
            fmt::format("{} callers wait for a frame already", FrameExporter::max_waiting));
    }
}

std::vector<VariantInForce> Camera::variants() const {
    if (stream_ == nullptr || !stream_->pipeline) return {};
    return stream_->variants(stream_->pipeline->plan(), cpu_reason_);
}

const Measurement& Camera::newest() const {
    if (newest_) return *newest_;
    throw Failure(
        names::error::not_streaming,
        fmt::format("camera {} is {} and has measured nothing yet", config_.name, name_of(state_)));
}

}  // namespace glint
