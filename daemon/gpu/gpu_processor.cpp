#include "daemon/gpu/gpu_processor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "daemon/config.hpp"
#include "daemon/gpu/filters.hpp"

namespace glint::gpu {
namespace {

using zero_copy::GpuBuffer;
using zero_copy::TransportProof;

/// Room for the whole frame, every region that can be asked for, and metering.
size_t bins_bytes(const Plan& plan) {
    return (max_regions + 2) * plan.channels.size() * plan.bins * sizeof(uint32_t);
}

void wait(cl_command_queue queue) {
    check(clFinish(queue), "clFinish");
}

/// `choice` is null where no variant takes what is wanted.
VariantInForce describe(const char* op, const Choice* choice) {
    if (choice == nullptr || choice->built == nullptr) {
        const std::string reason =
            choice == nullptr ? "no OpenCL variant takes this filter" : choice->reason;
        return {op, "cpu", "cpu", "fallback", reason};
    }
    if (choice->on_cpu) return {op, "cpu", "cpu", choice->source, choice->reason};
    const kernels::Variant& variant = *choice->built->variant;
    return {op, std::string(variant.name), std::string(kernels::name_of(variant.set)),
            choice->source, choice->reason};
}

}  // namespace

GpuProcessor::GpuProcessor(std::shared_ptr<const Runtime> runtime, Choices choices,
                           Completion& completion, StreamMemory memory, const Plan& plan)
    : runtime_(std::move(runtime)),
      choices_(std::move(choices)),
      completion_(completion),
      memory_(std::move(memory)),
      bins_memory_(bins_bytes(plan)),
      histogram_(runtime_->context, runtime_->histogram_build(choices_.histogram, plan.bins)) {
    const Context& context = runtime_->context;
    const QueueHandle queue = context.make_queue();
    const zero_copy::FrameMemory& picture = memory_.picture->memory;
    try {
        bins_.emplace(context.handle.get(), bins_memory_.data(), bins_memory_.size());
        picture_.emplace(context.handle.get(), picture.data(), picture.size());
        take_back(queue.get(), *bins_, CL_MAP_READ | CL_MAP_WRITE, nullptr);
        take_back(queue.get(), *picture_, CL_MAP_READ, nullptr);
        prepare_sharpness(plan);
        if (partials_) take_back(queue.get(), *partials_, CL_MAP_READ, nullptr);
        wait(queue.get());  // the CPU may touch what is mapped only then
        memory_.copies ? make_staging() : wrap_frames(queue.get());
        for (const Choice& choice : choices_.convolutions) {
            convolutions_.emplace_back(context, choice.built);
        }
        if (choices_.sobel.built != nullptr) sobel_.emplace(context, choices_.sobel.built);
        warm_up(queue.get(), plan);
    } catch (...) {
        unmap_all(queue.get());
        throw;
    }
}

GpuProcessor::~GpuProcessor() {
    unmap_all(runtime_->queue.get());
}

void GpuProcessor::unmap_all(cl_command_queue queue) noexcept {
    // Codes do not matter any more: what cannot be unmapped goes with the context.
    for (GpuBuffer& frame : frames_) (void)frame.enqueue_unmap(queue);
    if (bins_) (void)bins_->enqueue_unmap(queue);
    if (picture_) (void)picture_->enqueue_unmap(queue);
    if (partials_) (void)partials_->enqueue_unmap(queue);
    if (clFinish(queue) == CL_SUCCESS) return;
    // Nothing says that the device has stopped writing. This memory is lost rather than somebody
    // else's.
    memory_.pool->abandon();
    memory_.picture->memory.abandon();
    bins_memory_.abandon();
    if (partials_memory_) partials_memory_->abandon();
}

/// A device that does not take the memory costs a rung of the ladder. What was wrapped is let go
/// first, since the memory is about to be.
void GpuProcessor::wrap_frames(cl_command_queue queue) {
    std::string refused;
    try {
        wrap_and_prove(queue);
        return;
    } catch (const std::runtime_error& error) {
        refused = error.what();
    }
    for (GpuBuffer& frame : frames_) (void)frame.enqueue_unmap(queue);
    wait(queue);
    frames_.clear();
    throw zero_copy::TransportRefused(refused);
}

void GpuProcessor::wrap_and_prove(cl_command_queue queue) {
    const cl_context context = runtime_->context.handle.get();
    const std::span<const zero_copy::FrameMemory> buffers = memory_.pool->buffers();
    const zero_copy::PatternKernels pattern{.write = runtime_->pattern->kernels[0].get(),
                                            .compare = runtime_->pattern->kernels[1].get()};
    frames_.reserve(buffers.size());
    for (const zero_copy::FrameMemory& buffer : buffers) {
        frames_.emplace_back(context, buffer.data(), buffer.size());
    }
    TransportProof proof =
        zero_copy::prove(frames_.front(), buffers.front(), context, queue, pattern);
    if (!proof.correct) throw zero_copy::TransportRefused(proof.reason);
    for (GpuBuffer& frame : frames_) {
        if (!frame.mapped()) take_back(queue, frame, CL_MAP_READ | CL_MAP_WRITE, nullptr);
    }
    wait(queue);
    zero_copy_ = proof.zero_copy;
    doubt_ = std::move(proof.reason);
}

void GpuProcessor::make_staging() {
    cl_int code = CL_SUCCESS;
    staging_ = MemHandle(clCreateBuffer(runtime_->context.handle.get(), CL_MEM_READ_ONLY,
                                        memory_.pool->buffers().front().size(), nullptr, &code));
    check(code, "clCreateBuffer");
}

/// Whether frames go through the CPU's caches: then a dma-buf must be told.
bool GpuProcessor::read_by_cpu() const noexcept {
    return frames_.empty() || runtime_->context.device.traits.is_cpu();
}

void GpuProcessor::warm_up(cl_command_queue queue, const Plan& plan) {
    const auto shared = std::make_shared<const Plan>(plan);
    Work work{.slot = 0, .memory = &memory_.pool->buffers().front(), .plan = shared};
    if (sharpness_) work.sharpness_region = 0;
    { const EventHandle done = enqueue(queue, work); }
    wait(queue);
    const auto once = [&](const Filter& filter, ConvolutionLaunch* launch) {
        give_frame(queue, work);
        const cl_mem frame = frames_.empty() ? staging_.get() : frames_[0].get();
        enqueue_filter(queue, frame, plan.filter_lane, filter, launch);
        if (!frames_.empty()) take_back(queue, frames_[0], CL_MAP_READ | CL_MAP_WRITE, nullptr);
        wait(queue);
    };
    for (ConvolutionLaunch& launch : convolutions_) once(smoothing_filter(launch), &launch);
    if (sobel_) once(*named_filter("sobel"), nullptr);
    bytes_copied_ = 0;
}

/// `launch` is null for a gradient.
void GpuProcessor::enqueue_filter(cl_command_queue queue, cl_mem frame, const Lane& lane,
                                  const Filter& filter, ConvolutionLaunch* launch) {
    const cl_mem picture = picture_->get();
    const uint32_t stride = memory_.picture->stride_bytes;
    check(picture_->enqueue_unmap(queue), "clEnqueueUnmapMemObject");
    if (filter.gradient) {
        const Sobel task{.border = filter.border, .border_value = filter.border_value};
        sobel_->enqueue(queue, frame, lane, task, picture, stride);
    } else {
        launch->enqueue(queue, frame, lane, filter, picture, stride);
    }
    take_back(queue, *picture_, CL_MAP_READ, nullptr);
}

/// With a stage for its size.
void GpuProcessor::enqueue_filter(cl_command_queue queue, cl_mem frame, const Lane& lane,
                                  const FloatFilter& filter) {
    check(picture_->enqueue_unmap(queue), "clEnqueueUnmapMemObject");
    floats_.launch->enqueue(queue, frame, lane, filter, picture_->get(),
                            memory_.picture->stride_bytes);
    take_back(queue, *picture_, CL_MAP_READ, nullptr);
}

/// Which variant takes a filter is found once, not for every frame: splitting a large matrix into
/// outer products takes a while.
const Choice* GpuProcessor::serving(const Filter& filter) const noexcept {
    if (!served_ || served_->filter != filter) served_ = {filter, choices_.choice_for(filter)};
    return served_->by;
}

ConvolutionLaunch* GpuProcessor::launch_for(const Filter& filter) noexcept {
    if (filter.gradient) return nullptr;
    return &convolutions_[static_cast<size_t>(serving(filter) - choices_.convolutions.data())];
}

bool GpuProcessor::can_filter(const AnyFilter& filter) const noexcept {
    if (const auto* of_floats = std::get_if<FloatFilter>(&filter)) {
        return floats_.launch != nullptr && floats_.filter_size == of_floats->size;
    }
    const Choice* choice = serving(*std::get_if<Filter>(&filter));
    return choice != nullptr && !choice->on_cpu;
}

void GpuProcessor::take_back(cl_command_queue queue, GpuBuffer& buffer, cl_map_flags flags,
                             cl_event* done) {
    check(buffer.enqueue_map(queue, flags, done), "clEnqueueMapBuffer");
}

void GpuProcessor::give_frame(cl_command_queue queue, const Work& work) {
    if (!frames_.empty()) {
        check(frames_[work.slot].enqueue_unmap(queue), "clEnqueueUnmapMemObject");
        return;
    }
    check(clEnqueueWriteBuffer(queue, staging_.get(), CL_FALSE, 0, memory_.frame_bytes,
                               work.frame(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
    bytes_copied_ += memory_.frame_bytes;
}

/// Ownership to the device, kernels, ownership back; the event is that of the last map, after which
/// the CPU may touch everything again.
EventHandle GpuProcessor::enqueue(cl_command_queue queue, const Work& work) {
    give_frame(queue, work);
    const cl_mem frame = frames_.empty() ? staging_.get() : frames_[work.slot].get();
    std::memset(bins_memory_.data(), 0, work.plan->counting->counters() * sizeof(uint32_t));
    check(bins_->enqueue_unmap(queue), "clEnqueueUnmapMemObject");
    histogram_.enqueue(queue, frame, work.plan->counting, bins_->get());
    if (work.filter) {
        const AnyFilter& wanted = *work.plan->filter;
        const Lane& lane = work.plan->filter_lane;
        if (const auto* whole = std::get_if<Filter>(&wanted)) {
            enqueue_filter(queue, frame, lane, *whole, launch_for(*whole));
        } else {
            enqueue_filter(queue, frame, lane, std::get<FloatFilter>(wanted));
        }
    }
    if (work.sharpness_region) enqueue_sharpness(queue, frame, work);
    cl_event done = nullptr;
    if (frames_.empty()) {
        take_back(queue, *bins_, CL_MAP_READ | CL_MAP_WRITE, &done);
    } else {
        take_back(queue, *bins_, CL_MAP_READ | CL_MAP_WRITE, nullptr);
        take_back(queue, frames_[work.slot], CL_MAP_READ | CL_MAP_WRITE, &done);
    }
    return EventHandle(done);
}

void GpuProcessor::prepare_sharpness(const Plan& plan) {
    if (choices_.sharpness.built == nullptr || choices_.sharpness.on_cpu) return;
    sharpness_.emplace(choices_.sharpness.built);
    // No region's lanes are larger than the frame's.
    size_t count = 0;
    for (const Lane& lane : plan.byte_lanes(0)) count += sharpness_->partials(lane);
    partials_memory_.emplace(count * sizeof(uint32_t));
    partials_.emplace(runtime_->context.handle.get(), partials_memory_->data(),
                      partials_memory_->size());
}

/// The partial sums of the region's channels, one channel after the other.
void GpuProcessor::enqueue_sharpness(cl_command_queue queue, cl_mem frame, const Work& work) {
    check(partials_->enqueue_unmap(queue), "clEnqueueUnmapMemObject");
    uint32_t begin = 0;
    for (const Lane& lane : work.plan->byte_lanes(*work.sharpness_region)) {
        sharpness_->enqueue(queue, frame, lane, partials_->get(), begin);
        begin += static_cast<uint32_t>(sharpness_->partials(lane));
    }
    take_back(queue, *partials_, CL_MAP_READ, nullptr);
}

/// Adds the partial sums up and checks one of each channel.
void GpuProcessor::read_sharpness(const Work& work, ProcessorResult& result) {
    const zero_copy::CpuAccess access(*work.memory);
    const auto* next = reinterpret_cast<const uint32_t*>(partials_memory_->data());
    for (const Lane& lane : work.plan->byte_lanes(*work.sharpness_region)) {
        const std::span partials(next, sharpness_->partials(lane));
        result.sharpness.push_back(added_up(partials));
        result.sharpness_right =
            result.sharpness_right &&
            sharpness_->one_matches(work.frame(), lane, partials, sharpness_seed_++);
        next += partials.size();
    }
}

std::string GpuProcessor::submit(const Work& work, Done done) noexcept try {
    const cl_command_queue queue = runtime_->queue.get();
    if (read_by_cpu()) access_.emplace(*work.memory);
    EventHandle event = enqueue(queue, work);
    check(clFlush(queue), "clFlush");
    auto finished = [this, work, done = std::move(done)](cl_int status) {
        ProcessorResult result;
        result.unreadable = access_ && !access_->granted();
        access_.reset();
        if (status != CL_COMPLETE) {
            result.failure = fmt::format("a frame's commands ended with {}", error_name(status));
        } else {
            result.bins = {reinterpret_cast<const uint32_t*>(bins_memory_.data()),
                           work.plan->counting->counters()};
            if (work.sharpness_region && !result.unreadable) read_sharpness(work, result);
        }
        done(result);
    };
    if (!completion_.watch(std::move(event), std::move(finished)))
        return "clSetEventCallback failed";
    return {};
} catch (const std::exception& error) {
    return error.what();
}

VariantInForce GpuProcessor::filter_variant(const Plan& plan) const {
    const char* op = filter_operator(plan.filter);
    if (!plan.filter) {
        return describe(op,
                        choices_.convolutions.empty() ? nullptr : &choices_.convolutions.front());
    }
    if (const auto* whole = std::get_if<Filter>(&*plan.filter))
        return describe(op, serving(*whole));
    if (std::get<FloatFilter>(*plan.filter).size == floats_.filter_size) {
        return describe(op, &floats_.choice);
    }
    return {op, "cpu", "cpu", "fallback", "its kernels are being built and checked"};
}

std::vector<VariantInForce> GpuProcessor::variants(const Plan& plan) const {
    VariantInForce histogram = describe("histogram", &choices_.histogram);
    if (const kernels::Variant& own = histogram_.variant(); own.name != histogram.variant) {
        histogram = {"histogram", std::string(own.name), std::string(kernels::name_of(own.set)),
                     "fallback",
                     fmt::format("{} does not take {} bins here", histogram.variant, plan.bins)};
    }
    return {histogram, filter_variant(plan), describe("sharpness", &choices_.sharpness)};
}

}  // namespace glint::gpu
