#include "daemon/pipeline.hpp"

#include <sys/epoll.h>

#include <numeric>
#include <utility>

namespace glint {

using zero_copy::Captured;
using zero_copy::Dequeued;

bool sums_match(const Plan& plan, std::span<const uint32_t> bins) noexcept {
    if (bins.size() < plan.counts.size() * plan.bins) return false;
    for (const uint64_t count : plan.counts) {
        const auto own = bins.first(plan.bins);
        if (std::accumulate(own.begin(), own.end(), uint64_t{0}) != count) return false;
        bins = bins.subspan(plan.bins);
    }
    return true;
}

Pipeline::Pipeline(Loop& loop, Worker& worker, Parts parts, std::shared_ptr<const Plan> plan,
                   Counters& counters, Events events)
    : loop_(loop),
      worker_(worker),
      parts_(std::move(parts)),
      plan_(std::move(plan)),
      counters_(counters),
      events_(std::move(events)),
      exporter_(
          worker, parts_.source.layout(), parts_.picture, counters.bytes_exported,
          {.copied = [this] { check_drained(); },
           .picture_wrong = [this](const Plan& plan) { reject(filter_operator(plan.filter)); },
           .stream_of = events_.stream_of}) {}

void Pipeline::start() {
    parts_.pool->start(parts_.source);
    io_.emplace(loop_, parts_.source.fd(), EPOLLIN | EPOLLPRI, [this](uint32_t) { dequeue(); });
}

void Pipeline::stop() {
    stopping_ = true;
    io_.reset();  // before the source closes the descriptor
    parts_.pool->stop();
    if (pending_) miss_trigger(*pending_);
    pending_.reset();
    check_drained();
}

void Pipeline::dequeue() {
    Captured captured;
    switch (parts_.source.dequeue(captured)) {
        case Dequeued::nothing:
            return;
        case Dequeued::failed:
            io_.reset();
            return events_.source_failed();
        case Dequeued::frame:
            break;
    }
    count(captured);
    Frame frame{parts_.pool->lease(captured.slot), captured, {}};
    if (captured.corrupt) {
        ++counters_.corrupt;
    } else if (captured.unread) {
        read(std::move(frame));
    } else {
        admit(std::move(frame));
    }
}

void Pipeline::count(const Captured& captured) {
    ++counters_.captured;
    // A jump backwards is a restarted source, not a loss.
    if (last_sequence_ && captured.sequence > *last_sequence_) {
        counters_.lost += captured.sequence - *last_sequence_ - 1;
    }
    last_sequence_ = captured.sequence;
}

void Pipeline::read(Frame frame) {
    constexpr std::chrono::seconds deadline{20};  // a slow card, not a hung one
    ++reading_;
    const Captured captured = frame.captured;
    worker_.post(
        deadline, [this, captured] { return parts_.source.read(captured); },
        [this, frame = std::move(frame)](Outcome<bool> whole) mutable {
            --reading_;
            if (Frame read = std::move(frame); whole.get()) {
                admit(std::move(read));
            } else {
                ++counters_.corrupt;
            }
            check_drained();
        });
}

void Pipeline::admit(Frame frame) {
    if (stopping_ || halted_) return;
    if (events_.trigger_of) frame.trigger = events_.trigger_of(frame.captured);
    if (parts_.only_triggered && !frame.trigger) return;
    running_ ? wait(std::move(frame)) : submit(std::move(frame));
}

/// The latest frame wins, but not over one that answers a trigger.
void Pipeline::wait(Frame frame) {
    if (pending_) {
        ++counters_.dropped;
        if (pending_->trigger && !frame.trigger) return;
        miss_trigger(*pending_);
    }
    pending_ = std::move(frame);
}

void Pipeline::submit_pending() {
    if (!pending_ || stopping_) return;
    Frame next = std::move(*pending_);
    pending_.reset();
    submit(std::move(next));
}

void Pipeline::submit(Frame frame) {
    Running running{.frame = std::move(frame), .work = {}, .since_nsec = now_nsec()};
    running.work = Work{.slot = running.frame.captured.slot,
                        .memory = &running.frame.lease.memory(),
                        .plan = plan_,
                        .filter = plan_->filter && exporter_.wants_filtered(),
                        .sharpness_region = {}};
    if (events_.sharpness_wanted) {
        running.work.sharpness_region = events_.sharpness_wanted(*plan_);
    }
    running.by = &choose(running.work);
    running_ = std::move(running);
    const std::string failure = running_->by->submit(
        running_->work, [this](const ProcessorResult& result) { finish(result); });
    if (!failure.empty()) halt(failure);
}

Processor& Pipeline::choose(const Work& work) const {
    const Processor& own = parts_.processor;
    const bool can = (!work.filter || own.can_filter(*work.plan->filter)) &&
                     (!work.sharpness_region || own.can_measure_sharpness());
    return can ? parts_.processor : parts_.fallback;
}

void Pipeline::finish(const ProcessorResult& result) {
    if (!running_) return;
    if (!result.failure.empty()) return halt(result.failure);
    Running running = std::move(*running_);
    running_.reset();
    counters_.bytes_copied += running.by->take_bytes_copied();
    if (result.unreadable) {
        ++counters_.corrupt;
        miss_trigger(running.frame);
        running.frame.lease.reset();
        submit_pending();
        return check_drained();
    }
    const bool counted = sums_match(*running.work.plan, result.bins);
    const bool right = counted && result.sharpness_right;
    if (!right || stopping_) {
        miss_trigger(running.frame);
    } else if (running.frame.trigger) {
        ++counters_.triggers_answered;
    }
    if (right) {
        record(running, result);
        exporter_.frame_finished(std::move(running.frame.lease), running.frame.captured,
                                 running.work);
    }
    running.frame.lease.reset();
    submit_pending();
    // Last, since the listener may stop the pipeline.
    if (!right) {
        reject(counted ? "sharpness" : "histogram");
    } else if (!stopping_) {
        events_.measured(measurement_);
    }
    check_drained();
}

void Pipeline::record(const Running& running, const ProcessorResult& result) {
    ++counters_.processed;
    measurement_.bins.assign(result.bins.begin(), result.bins.end());
    measurement_.sharpness = result.sharpness;
    measurement_.sharpness_region = running.work.sharpness_region;
    measurement_.plan = running.work.plan;
    measurement_.sequence = running.frame.captured.sequence;
    measurement_.timestamp_nsec = running.frame.captured.timestamp_nsec;
    measurement_.exposure_usec = running.frame.captured.exposure_usec;
    measurement_.gain_raw = running.frame.captured.gain_raw;
    measurement_.trigger = running.frame.trigger;
    measurement_.processing_usec = (now_nsec() - running.since_nsec) / 1000;
    if (running.by->on_gpu()) counters_.gpu_busy_usec += measurement_.processing_usec;
}

void Pipeline::reject(const char* op) {
    ++counters_.rejected;
    if (!stopping_ && !halted_) events_.result_rejected(op);
}

void Pipeline::miss_trigger(const Frame& frame) {
    if (frame.trigger) ++counters_.triggers_missed;
}

/// The processor is out of order: nothing it says counts any more, and the stream has to be
/// rebuilt.
void Pipeline::halt(const std::string& why) {
    halted_ = true;
    if (running_) miss_trigger(running_->frame);
    if (pending_) miss_trigger(*pending_);
    running_.reset();
    pending_.reset();
    events_.processor_failed(why);
    check_drained();
}

void Pipeline::check_drained() {
    if (!stopping_ || drained_) return;
    if (running_ || reading_ != 0 || !exporter_.idle()) return;
    drained_ = true;
    events_.drained();
}

}  // namespace glint
