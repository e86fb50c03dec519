#include "daemon/stream.hpp"

namespace glint {

std::vector<VariantInForce> Stream::variants(const Plan& plan,
                                             const std::string& cpu_reason) const {
    if (gpu != nullptr) return gpu->variants(plan);
    const std::string filter = filter_operator(plan.filter);
    if (!measured_reason.empty()) {
        const std::string along = "where the histogram is computed";
        return {{"histogram", "cpu", "cpu", "measured", measured_reason},
                {filter, "cpu", "cpu", "measured", along},
                {"sharpness", "cpu", "cpu", "measured", along}};
    }
    return {{"histogram", "cpu", "cpu", "fallback", cpu_reason},
            {filter, "cpu", "cpu", "fallback", cpu_reason},
            {"sharpness", "cpu", "cpu", "fallback", cpu_reason}};
}

std::unique_ptr<Stream> make_stream(const StreamRequest& request) {
    const zero_copy::FrameLayout& layout = request.layout;
    auto stream = std::make_unique<Stream>();
    stream->pool = std::make_shared<zero_copy::BufferPool>(request.buffers, layout.size_bytes);
    stream->bins = request.plan->bins;
    const auto stride =
        static_cast<uint32_t>(zero_copy::align_up(layout.width, zero_copy::stride_alignment));
    stream->picture = std::make_shared<FilteredPicture>(
        FilteredPicture{zero_copy::FrameMemory(size_t{stride} * layout.height), stride});
    if (request.runtime == nullptr) return stream;
    const gpu::Choices& choices = request.runtime->choices_for(frame_size(layout));
    if (choices.histogram.on_cpu) {
        stream->measured_reason = choices.histogram.reason;
    } else {
        stream->gpu = std::make_unique<gpu::GpuProcessor>(
            request.runtime, choices, *request.completion,
            gpu::StreamMemory{stream->pool, stream->picture, layout.size_bytes}, *request.plan,
            request.pinned_transport);
    }
    return stream;
}

}  // namespace glint
