// Why a pipeline of subdevices does not start: the kernel says EPIPE and no more.
#pragma once

#include <cstdint>
#include <string>

#include "zero_copy/media_graph.hpp"

namespace glint::zero_copy {

/// What a video node is set to.
struct NodeFormat {
    uint32_t fourcc = 0;
    uint32_t width = 0;
    uint32_t height = 0;
};

/// Walks the enabled links from the video node `node` (entity's name or path) back to the sensors
/// and says what does not fit, nearest to the sensor first: a link whose pads have different
/// formats, a sink pad that nothing is linked to, a node of another size than its pad. With the
/// command of media-ctl that mends it. Empty when all fits. Blocking; `graph` must be fresh.
[[nodiscard]] std::string disagreement(const MediaGraph& graph, const std::string& node,
                                       const NodeFormat& format);

}  // namespace glint::zero_copy
