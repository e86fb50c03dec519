#include "daemon/stream.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace glint {
namespace {

using zero_copy::SourceError;
using zero_copy::Transport;

std::string list_of(const std::vector<Transport>& transports) {
    std::string text;
    for (const Transport transport : transports) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", name_of(transport));
    }
    return text;
}

std::vector<Transport> rungs(const StreamRequest& request) {
    const std::vector<Transport> all = request.source->transports();
    if (!request.pinned) return all;
    if (std::ranges::find(all, *request.pinned) == all.end()) {
        throw SourceError(SourceError::Kind::format,
                          fmt::format("transport {} is not for this source, which knows {}",
                                      name_of(*request.pinned), list_of(all)));
    }
    return {*request.pinned};
}

std::string describe(const std::vector<std::pair<std::string, std::string>>& ladder,
                     std::optional<Transport> pinned) {
    if (pinned) {
        return fmt::format("transport {} failed: {}; transport = \"auto\" takes the next one",
                           name_of(*pinned), ladder.front().second);
    }
    std::string text = "no transport serves";
    for (const auto& [rung, reason] : ladder) text += fmt::format("; {}: {}", rung, reason);
    return text;
}

/// Throws TransportRefused, and then the pool is not to be used.
void set_up(Stream& stream, Transport transport, const StreamRequest& request) {
    const zero_copy::FrameLayout& layout = request.source->layout();
    stream.transport = transport;
    stream.pool = std::make_shared<zero_copy::BufferPool>(
        request.source->allocate(transport, request.buffers));
    if (request.runtime != nullptr) {
        const gpu::Choices& choices = request.runtime->choices_for(frame_size(layout));
        if (!choices.histogram.on_cpu) {
            stream.gpu = std::make_unique<gpu::GpuProcessor>(
                request.runtime, choices, *request.completion,
                gpu::StreamMemory{stream.pool, stream.picture, layout.size_bytes,
                                  transport == Transport::copy},
                *request.plan);
            const std::string& doubt = stream.gpu->doubt();
            if (!doubt.empty()) stream.ladder.emplace_back(name_of(transport), doubt);
            return;
        }
        stream.measured_reason = choices.histogram.reason;
    }
    stream.slow_to_read = zero_copy::is_slow_to_read(stream.pool->buffers().front());
}

}  // namespace

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
    auto stream = std::make_unique<Stream>();
    stream->bins = request.plan->bins;
    const zero_copy::FrameLayout& layout = request.source->layout();
    const auto stride =
        static_cast<uint32_t>(zero_copy::align_up(layout.width, zero_copy::stride_alignment));
    stream->picture = std::make_shared<FilteredPicture>(FilteredPicture{
        zero_copy::FrameMemory(size_t{stride} * layout.height), stride,
        request.runtime != nullptr && request.runtime->context.device.traits.rounds_to_zero});
    for (const Transport transport : rungs(request)) {
        try {
            set_up(*stream, transport, request);
            return stream;
        } catch (const zero_copy::TransportRefused& refusal) {
            stream->pool.reset();
            stream->ladder.emplace_back(name_of(transport), refusal.what());
        }
    }
    throw SourceError(SourceError::Kind::broken, describe(stream->ladder, request.pinned));
}

}  // namespace glint
