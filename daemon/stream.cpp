#include "daemon/stream.hpp"

namespace glint {

std::unique_ptr<Stream> make_stream(const StreamRequest& request) {
    const zero_copy::FrameLayout& layout = request.layout;
    auto stream = std::make_unique<Stream>();
    stream->pool = std::make_shared<zero_copy::BufferPool>(request.buffers, layout.size_bytes);
    stream->bins = request.plan->bins;
    const auto stride =
        static_cast<uint32_t>(zero_copy::align_up(layout.width, zero_copy::stride_alignment));
    stream->picture = std::make_shared<FilteredPicture>(
        FilteredPicture{zero_copy::FrameMemory(size_t{stride} * layout.height), stride});
    if (request.runtime != nullptr) {
        stream->gpu = std::make_unique<gpu::GpuProcessor>(
            request.runtime, *request.completion,
            gpu::StreamMemory{stream->pool, stream->picture, layout.size_bytes}, *request.plan,
            request.pinned_transport);
    }
    return stream;
}

}  // namespace glint
