// A stream's frames on the GPU: buffers wrapped once, one submission per frame.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/gpu/completion.hpp"
#include "daemon/gpu/convolution_launch.hpp"
#include "daemon/gpu/float_stage.hpp"
#include "daemon/gpu/histogram_launch.hpp"
#include "daemon/gpu/picture_launch.hpp"
#include "daemon/gpu/runtime.hpp"
#include "daemon/gpu/sharpness_launch.hpp"
#include "daemon/processor.hpp"
#include "zero_copy/gpu_buffer.hpp"
#include "zero_copy/lease.hpp"
#include "zero_copy/transport.hpp"

namespace glint::gpu {

struct StreamMemory {
    std::shared_ptr<zero_copy::BufferPool> pool;
    std::shared_ptr<FilteredPicture> picture;
    size_t frame_bytes = 0;  ///< of a frame, which its buffer rounds up to pages
    bool copies = false;     ///< copy each frame to the device instead of letting it map the buffer
};

/// Made, and taken down, on the builder: both block. In between it belongs to the loop thread.
class GpuProcessor final : public Processor {
  public:
    /// Wraps every buffer, proves that device and CPU see the same in it, and runs every kernel
    /// once with the stream's own geometry, since the first launch of a size may compile. The
    /// stream must not run yet. `choices` is for the stream's frame size and has a build for the
    /// histogram. Throws TransportRefused when the device does not take this memory, ClError and
    /// GpuBufferError when it is out of order.
    GpuProcessor(std::shared_ptr<const Runtime> runtime, Choices choices, Completion& completion,
                 StreamMemory memory, const Plan& plan);
    /// Waits for the GPU and hands every buffer back.
    ~GpuProcessor() override;

    [[nodiscard]] std::string submit(const Work& work, Done done) noexcept override;
    [[nodiscard]] bool on_gpu() const noexcept override { return true; }
    [[nodiscard]] bool can_filter(const AnyFilter& filter) const noexcept override;
    [[nodiscard]] bool can_measure_sharpness() const noexcept override {
        return sharpness_.has_value();
    }
    /// From now on this takes the float filters of its size. Loop thread.
    void take(FloatStage stage) noexcept { floats_ = std::move(stage); }
    /// Of the stage that was taken last; 0: none.
    [[nodiscard]] uint32_t float_filter_size() const noexcept { return floats_.filter_size; }
    [[nodiscard]] std::vector<VariantInForce> variants(const Plan& plan) const;
    [[nodiscard]] uint64_t take_bytes_copied() noexcept override {
        return std::exchange(bytes_copied_, 0);
    }
    [[nodiscard]] zero_copy::ZeroCopy zero_copy() const noexcept { return zero_copy_; }
    /// Why zero copy is not proven; empty when it is, or when frames are copied.
    [[nodiscard]] const std::string& doubt() const noexcept { return doubt_; }
    [[nodiscard]] const Runtime& runtime() const noexcept { return *runtime_; }

  private:
    void make_staging();
    void wrap_frames(cl_command_queue queue);
    void wrap_and_prove(cl_command_queue queue);
    [[nodiscard]] bool read_by_cpu() const noexcept;
    void warm_up(cl_command_queue queue, const Plan& plan);
    [[nodiscard]] const Choice* serving(const Filter& filter) const noexcept;
    [[nodiscard]] VariantInForce filter_variant(const Plan& plan) const;
    [[nodiscard]] ConvolutionLaunch* launch_for(const Filter& filter) noexcept;
    void enqueue_filter(cl_command_queue queue, cl_mem frame, const Lane& lane,
                        const Filter& filter, ConvolutionLaunch* launch);
    void enqueue_filter(cl_command_queue queue, cl_mem frame, const Lane& lane,
                        const FloatFilter& filter);
    void give_frame(cl_command_queue queue, const Work& work);
    void take_back(cl_command_queue queue, zero_copy::GpuBuffer& buffer, cl_map_flags flags,
                   cl_event* done);
    [[nodiscard]] EventHandle enqueue(cl_command_queue queue, const Work& work);
    void prepare_sharpness(const Plan& plan);
    void enqueue_sharpness(cl_command_queue queue, cl_mem frame, const Work& work);
    void read_sharpness(const Work& work, ProcessorResult& result);
    void unmap_all(cl_command_queue queue) noexcept;

    std::shared_ptr<const Runtime> runtime_;
    Choices choices_;
    Completion& completion_;
    StreamMemory memory_;
    zero_copy::FrameMemory bins_memory_;
    std::optional<zero_copy::GpuBuffer> bins_;
    std::optional<zero_copy::GpuBuffer> picture_;
    std::vector<zero_copy::GpuBuffer> frames_;  ///< one per buffer; empty when copying
    MemHandle staging_;                         ///< the frame's place when copying
    zero_copy::ZeroCopy zero_copy_ = zero_copy::ZeroCopy::no;
    std::string doubt_;
    std::optional<zero_copy::CpuAccess> access_;  ///< to the running frame, where the CPU reads it
    HistogramLaunch histogram_;
    std::vector<ConvolutionLaunch> convolutions_;  ///< of choices_.convolutions, one each
    struct Served {
        Filter filter;
        const Choice* by;  ///< null: the cpu variant
    };
    mutable std::optional<Served> served_;  ///< the filter that was asked for last
    FloatStage floats_;
    std::optional<PictureLaunch> sobel_;
    std::optional<SharpnessLaunch> sharpness_;
    std::optional<zero_copy::FrameMemory> partials_memory_;  ///< of sharpness, a region's channels
    std::optional<zero_copy::GpuBuffer> partials_;
    uint64_t sharpness_seed_ = 0;  ///< which partial sum is checked next
    uint64_t bytes_copied_ = 0;
};

}  // namespace glint::gpu
