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
constexpr std::chrono::seconds open_deadline{60};

const char* error_name(SourceError::Kind kind) {
    switch (kind) {
        case SourceError::Kind::absent:
            return names::error::camera_absent;
        case SourceError::Kind::busy:
            return names::error::camera_busy;
        case SourceError::Kind::format:
            break;
    }
    return names::error::format_unsupported;
}

std::vector<Region> to_regions(const std::vector<RegionConfig>& configured) {
    std::vector<Region> regions;
    for (const RegionConfig& region : configured) {
        regions.push_back({region.name, region.x, region.y, region.width, region.height});
    }
    return regions;
}

const char* pinned_transport(TransportChoice choice) {
    switch (choice) {
        case TransportChoice::host_pages:
            return "host_pages";
        case TransportChoice::copy:
            return "copy";
        case TransportChoice::automatic:
            break;
    }
    return "";
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

Camera::Camera(Services services, CameraConfig config, const MemoryConfig& memory)
    : services_(std::move(services)),
      config_(std::move(config)),
      memory_limit_bytes_(uint64_t{memory.limit_mib} << 20),
      wishes_{.regions = to_regions(config_.regions),
              .bins = config_.bins,
              .metering = config_.metering,
              .mask = {},
              .filter = config_.filter} {}

Camera::~Camera() = default;

void Camera::start(Settled settled) {
    if (settled) settling_.push_back(std::move(settled));
    wanted_ = true;
    step();
}

void Camera::stop(Settled settled) {
    if (settled) settling_.push_back(std::move(settled));
    wanted_ = false;
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
    services_.builder.post(
        build_deadline,
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
        refuse_requests({names::error::not_streaming, "the camera was stopped"});
        set_state(CameraState::idle);
        return finish_settling(std::nullopt);
    }
    set_state(CameraState::starting);
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
    services_.state_changed();
}

/// The camera stays as it is until somebody starts it again.
void Camera::fail(const char* error, const std::string& text, CameraState state) {
    wanted_ = false;
    source_.reset();
    const Failure failure(error, text);
    log::error(fmt::format("camera {}: {}", config_.name, text),
               {{names::field_camera, config_.name}});
    refuse_requests(failure);
    set_state(state);
    if (events_.failed) events_.failed(failure);
    finish_settling(failure);
}

zero_copy::SourceRequest Camera::source_request() const {
    return {.source = config_.source,
            .width = config_.width,
            .height = config_.height,
            .format = config_.format,
            .stride_bytes = config_.stride_override,
            .rate = config_.rate,
            .range = config_.range};
}

void Camera::open() {
    busy_ = true;
    services_.worker.post(
        open_deadline, [request = source_request()] { return zero_copy::open_source(request); },
        [this](Outcome<std::unique_ptr<zero_copy::Source>> outcome) {
            busy_ = false;
            try {
                source_ = outcome.get();
            } catch (const SourceError& error) {
                const bool absent = error.kind() == SourceError::Kind::absent;
                return fail(error_name(error.kind()), error.what(),
                            absent ? CameraState::absent : CameraState::failed);
            } catch (const std::exception& error) {
                return fail(names::error::camera_absent, error.what(), CameraState::failed);
            }
            step();
        });
}

std::shared_ptr<const Plan> Camera::plan_for(const zero_copy::FrameLayout& layout) const {
    return make_plan(layout, wishes_, generation_);
}

/// Makes buffers and, if there is a GPU, everything on it; the source does not run yet.
void Camera::prepare() {
    const zero_copy::FrameLayout layout = source_->layout();
    const uint64_t each = zero_copy::align_up(layout.size_bytes, zero_copy::page_bytes);
    if (each * config_.buffers > memory_limit_bytes_) {
        return fail(
            names::error::format_unsupported,
            fmt::format("{} buffers of {} bytes need {} bytes; [memory] limit_mib allows {}",
                        config_.buffers, each, each * config_.buffers, memory_limit_bytes_),
            CameraState::failed);
    }
    const bool with_gpu = runtime_ != nullptr && runtime_->by_default.histogram.built != nullptr;
    StreamRequest request{.layout = layout,
                          .buffers = config_.buffers,
                          .runtime = with_gpu ? runtime_ : nullptr,
                          .completion = &services_.completion,
                          .plan = nullptr,
                          .pinned_transport = pinned_transport(config_.transport)};
    try {
        request.plan = plan_for(layout);
    } catch (const RegionError& error) {
        return fail(names::error::region_invalid, error.what(), CameraState::failed);
    } catch (const PlanError& error) {
        return fail(names::error::format_unsupported, error.what(), CameraState::failed);
    }
    busy_ = true;
    auto work = [request = std::move(request)] { return make_stream(request); };
    auto done = [this, with_gpu](Outcome<std::unique_ptr<Stream>> outcome) {
        busy_ = false;
        try {
            stream_ = outcome.get();
        } catch (const gpu::TransportError& error) {
            return fail(names::error::format_unsupported,
                        fmt::format("{}; transport = \"auto\" takes the next one", error.what()),
                        CameraState::failed);
        } catch (const std::exception& error) {
            cannot_stream(with_gpu, error.what());
            return step();
        }
        if (!stream_->serves(wishes_.bins)) return release_stream();  // changed meanwhile
        try {
            begin();
        } catch (const std::exception& error) {
            cannot_stream(with_gpu, error.what());
            stream_->pipeline.reset();  // no frame has come yet
            return release_stream();
        }
        step();
    };
    (with_gpu ? services_.builder : services_.worker)
        .post(build_deadline, std::move(work), std::move(done));
}

/// With a GPU it is taken for the GPU's fault: the CPU takes over, and the GPU's owner decides what
/// next.
void Camera::cannot_stream(bool with_gpu, const std::string& why) {
    if (!with_gpu) return fail(names::error::camera_absent, why, CameraState::failed);
    runtime_ = nullptr;
    cpu_reason_ = why;
    services_.gpu_failed(fmt::format("camera {}: {}", config_.name, why));
}

void Camera::begin() {
    Stream& stream = *stream_;
    stream.cpu = std::make_unique<CpuProcessor>(services_.worker, stream.picture);
    info_ = StreamInfo{.layout = source_->layout(),
                       .timestamp_source = std::string(source_->timestamp_source())};
    if (stream.gpu != nullptr) {
        const gpu::TransportReport& report = stream.gpu->transport();
        info_.transport = report.transport;
        info_.zero_copy = zero_copy::name_of(report.zero_copy);
        info_.ladder = report.ladder;
    }
    Pipeline::Events events{
        .measured = [this](const Measurement& measurement) { measured(measurement); },
        .processor_failed =
            [this](const std::string& why) {
                runtime_ = nullptr;
                cpu_reason_ = why;
                rebuild_ = true;
                services_.gpu_failed(fmt::format("camera {}: {}", config_.name, why));
                step();
            },
        .result_rejected = [this](const char* op) { rejected(op); },
        .source_failed =
            [this] {
                rebuild_ = true;
                source_failed_ = true;
                step();
            },
        .drained = [this] { drained(); },
        .sharpness_wanted = [this](const Plan& plan) { return sharpness_requests_.wanted(plan); }};
    stream.pipeline.emplace(
        services_.loop, services_.worker,
        Pipeline::Parts{*source_, stream.pool, stream.picture, stream.processor(), *stream.cpu},
        plan_for(info_.layout), counters_, std::move(events));
    stream.pipeline->start();
    for (FrameExporter::Request& request : std::exchange(frame_requests_, {})) {
        if (request.stage == Stage::filtered && !wishes_.filter) {
            request.reply(Outcome<ExportedFrame>(std::make_exception_ptr(
                Failure(names::error::filter_invalid, "the filter was taken away"))));
        } else {
            (void)stream.pipeline->exporter().request(request.stage, std::move(request.reply));
        }
    }
    set_state(CameraState::streaming);
    if (events_.changed) events_.changed();
}

void Camera::refuse_requests(const Failure& failure) {
    sharpness_requests_.refuse(failure);
    for (const FrameExporter::Request& request : std::exchange(frame_requests_, {})) {
        request.reply(Outcome<ExportedFrame>(std::make_exception_ptr(failure)));
    }
}

void Camera::take_down() {
    busy_ = true;
    if (wanted_) set_state(CameraState::starting);
    for (FrameExporter::Request& request : stream_->pipeline->exporter().take_waiting()) {
        frame_requests_.push_back(std::move(request));
    }
    stream_->pipeline->stop();
}

void Camera::drained() {
    log::debug(fmt::format("camera {}: {} of {} buffers are back", config_.name,
                           config_.buffers - stream_->pool->leased(), config_.buffers));
    release_stream();
}

/// The GPU's part waits for the GPU, so it goes to the builder; without one the builder may be busy
/// for a minute with other things.
void Camera::release_stream() {
    busy_ = true;
    Worker& by = stream_->gpu != nullptr ? services_.builder : services_.worker;
    by.post(
        build_deadline,
        [gpu = std::move(stream_->gpu)]() mutable {
            gpu.reset();
            return true;
        },
        [this](Outcome<bool>) {
            stream_.reset();
            busy_ = false;
            if (std::exchange(source_failed_, false)) {
                fail(names::error::camera_absent, "the source ended", CameraState::failed);
            }
            step();
        });
}

void Camera::measured(const Measurement& measurement) {
    newest_ = measurement;
    sharpness_requests_.measured(measurement);
    if (events_.measured) events_.measured(*newest_);
}

void Camera::rejected(const std::string& op) {
    log::error(fmt::format("camera {}: a {} result did not pass its check and was thrown away",
                           config_.name, op),
               {{names::field_camera, config_.name}});
    for (const VariantInForce& entry : variants()) {
        if (entry.op == op) services_.gpu_suspect(op, entry.variant);
    }
}

void Camera::request_frame(Stage stage, FrameExporter::Reply reply) {
    if (!wanted_) {
        throw Failure(names::error::not_streaming, fmt::format("camera {} is {}; call Start first",
                                                               config_.name, name_of(state_)));
    }
    if (stage == Stage::filtered && !wishes_.filter) {
        throw Failure(names::error::filter_invalid, "no filter is set; call SetFilter first");
    }
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
