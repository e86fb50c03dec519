// From an opened source to a running stream, and back.
#include <fmt/format.h>

#include <cmath>

#include "daemon/camera.hpp"
#include "daemon/log.hpp"
#include "daemon/names.hpp"
#include "daemon/stream.hpp"

namespace glint {
namespace {

using zero_copy::SourceError;

/// For jobs that may build: a compiler on a board takes up to a minute a kernel.
constexpr std::chrono::seconds build_deadline{600};
constexpr std::chrono::seconds open_deadline{60};

Failure to_failure(const SourceError& error) {
    switch (error.kind()) {
        case SourceError::Kind::absent:
            return {names::error::camera_absent, error.what()};
        case SourceError::Kind::busy:
            return {names::error::camera_busy, error.what()};
        case SourceError::Kind::format:
            return {names::error::format_unsupported, error.what()};
        case SourceError::Kind::broken:
            break;
    }
    return {names::error::camera_fault, error.what()};
}

}  // namespace

zero_copy::SourceRequest Camera::source_request() const {
    return {.source = config_.source,
            .width = config_.width,
            .height = config_.height,
            .format = config_.format,
            .stride_bytes = config_.stride_override,
            .rate = config_.rate,
            .range = config_.range,
            .heaps = services_.heaps,
            .media = config_.media,
            .controls = config_.controls};
}

void Camera::open() {
    busy_ = true;
    post(
        services_.worker, open_deadline,
        [request = source_request(), &calls = services_.calls] {
            return zero_copy::open_source(request, calls);
        },
        [this](Outcome<std::unique_ptr<zero_copy::Source>> outcome) {
            busy_ = false;
            try {
                source_ = outcome.get();
            } catch (const SourceError& error) {
                return lost(error);
            } catch (const std::exception& error) {
                return lost({SourceError::Kind::broken, error.what()});
            }
            retrying_ = false;
            step();
        });
}

/// The camera is not there, or not for us, at present: what is to be waited for depends on why.
void Camera::lost(const SourceError& error) {
    source_.reset();
    if (!wanted_) return step();
    switch (error.kind()) {
        case SourceError::Kind::format:
            return give_up(to_failure(error));
        case SourceError::Kind::absent:
            retrying_ = true;
            fail(to_failure(error), CameraState::absent);
            return recovery_.wait_for(zero_copy::watched_path(config_.source));
        case SourceError::Kind::busy:
        case SourceError::Kind::broken:
            break;
    }
    const std::chrono::seconds delay = recovery_.failed();
    if (delay.count() == 0) {
        log::warning(fmt::format("camera {}: {}; starting it anew", config_.name, error.what()),
                     {{names::field_camera, config_.name}});
        return step();
    }
    retrying_ = true;
    fail({to_failure(error).name(),
          fmt::format("{}; the next try is in {} s", error.what(), delay.count())},
         CameraState::failed);
}

std::shared_ptr<const Plan> Camera::plan_for(const zero_copy::FrameLayout& layout) const {
    return make_plan(layout, wishes_, generation_);
}

/// Makes buffers and, if there is a GPU, everything on it; the source does not run yet.
void Camera::prepare() {
    const zero_copy::FrameLayout layout = source_->layout();
    const bool with_gpu = runtime_ != nullptr && runtime_->by_default.histogram.built != nullptr;
    StreamRequest request{.source = source_.get(),
                          .buffers = config_.buffers,
                          .runtime = with_gpu ? runtime_ : nullptr,
                          .completion = &services_.completion,
                          .plan = nullptr,
                          .pinned = config_.transport};
    try {
        services_.memory.check(config_.buffers, source_->buffer_bytes());
        request.plan = plan_for(layout);
    } catch (const Failure& failure) {
        return give_up(failure);
    } catch (const RegionError& error) {
        return give_up({names::error::region_invalid, error.what()});
    } catch (const PlanError& error) {
        return give_up({names::error::format_unsupported, error.what()});
    }
    busy_ = true;
    post(
        with_gpu ? services_.builder : services_.worker, build_deadline,
        [request = std::move(request)] { return make_stream(request); },
        [this, with_gpu](Outcome<std::unique_ptr<Stream>> outcome) {
            busy_ = false;
            prepared(std::move(outcome), with_gpu);
        });
}

void Camera::prepared(Outcome<std::unique_ptr<Stream>> outcome, bool with_gpu) {
    try {
        stream_ = outcome.get();
    } catch (const SourceError& error) {
        return lost(error);
    } catch (const std::exception& error) {
        if (!with_gpu) return lost({SourceError::Kind::broken, error.what()});
        gpu_cannot(error.what());
        return step();
    }
    if (!stream_->serves(wishes_.bins)) return release_stream();  // changed meanwhile
    try {
        begin();
    } catch (const SourceError& error) {
        source_error_ = error;
    } catch (const Failure& failure) {
        source_error_.emplace(SourceError::Kind::format, failure.what());
    } catch (const std::exception& error) {
        source_error_.emplace(SourceError::Kind::broken, error.what());
    }
    if (source_error_) {
        stall_.stop();
        stream_->pipeline.reset();  // no frame has come yet
        return release_stream();
    }
    step();
}

/// The CPU takes over, and the GPU's owner decides what next.
void Camera::gpu_cannot(const std::string& why) {
    runtime_ = nullptr;
    cpu_reason_ = why;
    services_.gpu_failed(fmt::format("camera {}: {}", config_.name, why));
}

Pipeline::Events Camera::pipeline_events() {
    return {
        .measured = [this](const Measurement& measurement) { measured(measurement); },
        .processor_failed =
            [this](const std::string& why) {
                rebuild_ = true;
                gpu_cannot(why);
                step();
            },
        .result_rejected = [this](const char* op) { rejected(op); },
        .source_failed = [this] { source_failed(source_->failure()); },
        .drained = [this] { drained(); },
        .sharpness_wanted = [this](const Plan& plan) { return sharpness_requests_.wanted(plan); },
        .trigger_of = [this](const zero_copy::Captured& frame) { return answered_by(frame); },
        .stream_of = [this](Stage stage) { return client_streams_.pictures(stage); }};
}

/// Throws what Source::start throws, and Failure when the driver made more buffers than there is
/// room for.
void Camera::begin() {
    Stream& stream = *stream_;
    const auto buffers = stream.pool->buffers();
    stream.share =
        services_.memory.take(static_cast<uint32_t>(buffers.size()), buffers.front().size());
    stream.cpu =
        std::make_unique<CpuProcessor>(services_.worker, stream.picture, stream.slow_to_read);
    describe_stream();
    compare_rate();
    tell_copying();
    stream.pipeline.emplace(
        services_.loop, services_.worker,
        Pipeline::Parts{*source_, stream.pool, stream.picture, stream.processor(), *stream.cpu,
                        config_.measure_triggered},
        plan_for(info_.layout), counters_, pipeline_events());
    stream.pipeline->start();
    watch_stream();
    for (FrameExporter::Request& request : std::exchange(frame_requests_, {})) {
        if (request.stage == Stage::filtered && !wishes_.filter) {
            request.reply(Outcome<ExportedFrame>(std::make_exception_ptr(
                Failure(names::error::filter_invalid, "the filter was taken away"))));
        } else {
            (void)stream.pipeline->exporter().request(request.stage, std::move(request.reply));
        }
    }
    serve_streams();
    prepare_float_filter();
    set_state(CameraState::streaming);
    if (events_.changed) events_.changed();
}

/// The stream goes on meanwhile, and the CPU filters.
void Camera::prepare_float_filter() {
    if (preparing_filter_ || stream_ == nullptr || stream_->gpu == nullptr || !wishes_.filter) {
        return;
    }
    const auto* filter = std::get_if<gpu::FloatFilter>(&*wishes_.filter);
    if (filter == nullptr || stream_->gpu->float_filter_size() == filter->size) return;
    if (&stream_->gpu->runtime() != runtime_.get()) return;  // the next stream asks again
    preparing_filter_ = true;
    const gpu::FloatStageRequest request{.frame = frame_size(info_.layout),
                                         .frame_bytes = info_.layout.size_bytes,
                                         .lane = stream_->pipeline->plan().filter_lane,
                                         .output_stride_bytes = stream_->picture->stride_bytes,
                                         .filter = *filter};
    post(
        services_.builder, build_deadline,
        [runtime = runtime_, request] { return gpu::make_float_stage(*runtime, request); },
        [this, runtime = runtime_](Outcome<gpu::FloatStage> outcome) {
            preparing_filter_ = false;
            const bool of_stream = stream_ != nullptr && stream_->gpu != nullptr &&
                                   &stream_->gpu->runtime() == runtime.get();
            // A stream that was made meanwhile has asked in vain.
            if (!of_stream) return prepare_float_filter();
            gpu::FloatStage stage = outcome.get();
            const std::vector<gpu::Refusal> refused = std::move(stage.refused);
            stream_->gpu->take(std::move(stage));
            services_.gpu_refused(refused);
            if (events_.changed) events_.changed();
            prepare_float_filter();  // another size may be wanted by now
        });
}

void Camera::describe_stream() {
    info_ = StreamInfo{.layout = source_->layout(),
                       .timestamp_source = std::string(source_->timestamp_source()),
                       .losses_estimated = source_->losses_estimated(),
                       .rate = source_->rate(),
                       .transport = std::string(name_of(stream_->transport)),
                       .zero_copy = "no",
                       .ladder = stream_->ladder};
    if (stream_->gpu != nullptr) info_.zero_copy = zero_copy::name_of(stream_->gpu->zero_copy());
}

void Camera::tell_copying() const {
    if (stream_->gpu == nullptr || info_.zero_copy != "no") return;
    log::warning(
        fmt::format("camera {}: by transport {} frames are copied on their way to the GPU; "
                    "`glintctl explain {}` shows what was tried",
                    config_.name, info_.transport, config_.name),
        {{names::field_message_id, names::message::zero_copy_fell_back},
         {names::field_camera, config_.name}});
}

/// Drivers choose a rate near the one that is asked for, or none at all.
void Camera::compare_rate() const {
    if (!config_.rate || std::abs(info_.rate / *config_.rate - 1) < 0.01) return;
    const std::string given = info_.rate > 0 ? fmt::format("the source gives {:.3g}", info_.rate)
                                             : "the driver does not let it be set";
    log::notice(fmt::format("camera {}: rate = {:.3g} frames per second was asked for; {}",
                            config_.name, *config_.rate, given),
                {{names::field_message_id, names::message::rate_not_had},
                 {names::field_camera, config_.name}});
}

/// A camera whose buffers are all held here is not to blame.
void Camera::watch_stream() {
    recovery_.streaming();
    if (config_.stall_timeout_ms == 0U) return;
    const microseconds limit = config_.stall_timeout_ms
                                   ? std::chrono::milliseconds(*config_.stall_timeout_ms)
                                   : stall_limit(info_.rate);
    stall_.start(limit, [this, held = uint64_t{0}]() mutable {
        const zero_copy::BufferPool& pool = *stream_->pool;
        if (pool.leased() == pool.buffers().size()) ++held;
        return counters_.captured + held;
    });
}

void Camera::source_failed(const SourceError& error) {
    rebuild_ = true;
    source_error_ = error;
    step();
}

void Camera::take_down() {
    busy_ = true;
    stall_.stop();
    if (wanted_) set_state(CameraState::starting);
    for (FrameExporter::Request& request : stream_->pipeline->exporter().take_waiting()) {
        frame_requests_.push_back(std::move(request));
    }
    stream_->pipeline->stop();
}

void Camera::drained() {
    log::debug(fmt::format("camera {}: {} of {} buffers are back", config_.name,
                           stream_->pool->buffers().size() - stream_->pool->leased(),
                           stream_->pool->buffers().size()));
    release_stream();
}

/// The GPU's part waits for the GPU, so it goes to the builder; without one the builder may be busy
/// for a minute with other things.
void Camera::release_stream() {
    busy_ = true;
    Worker& by = stream_->gpu != nullptr ? services_.builder : services_.worker;
    post(
        by, build_deadline,
        [gpu = std::move(stream_->gpu)]() mutable {
            gpu.reset();
            return true;
        },
        [this](Outcome<bool>) {
            stream_.reset();
            busy_ = false;
            if (source_error_) return lost(*std::exchange(source_error_, std::nullopt));
            step();
        });
}

}  // namespace glint
