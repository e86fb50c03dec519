// From a video node up to the sensor whose picture it receives: that is where the controls are.
#pragma once

#include <optional>
#include <string>

#include "zero_copy/media_graph.hpp"

namespace glint::zero_copy {

/// The media device that a video node belongs to; nothing when it belongs to none that can be
/// opened. Blocking.
[[nodiscard]] std::optional<MediaGraph> graph_of(DeviceCalls& calls, const std::string& node);

/// The sensor behind the enabled links, or null.
[[nodiscard]] const MediaEntity* sensor_behind(const MediaGraph& graph, const std::string& node);

/// What the enabled link into a video node brings; nothing when there is none, or its pad cannot be
/// asked. Blocking.
[[nodiscard]] std::optional<BusFormat> arriving_at(const MediaGraph& graph,
                                                   const std::string& node);

}  // namespace glint::zero_copy
