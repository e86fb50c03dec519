// Sets a media graph up for a camera: which links are enabled, what each pad carries.
#pragma once

#include <vector>

#include "zero_copy/media_graph.hpp"

namespace glint::zero_copy {

struct MediaSettings {
    std::vector<LinkSetting> links;
    std::vector<PadSetting> pads;
};

/// Sets the links, then the formats and intervals, in the order given, and reads each format back.
/// As media-ctl does, a setting of a source pad is handed on to the sink pads it is linked to.
/// Names are looked up first, so a wrong one changes nothing; any other failure leaves what was set
/// before it. Blocking.
/// Throws SourceError that names link or pad: busy when a stream runs or a sink pad is taken,
/// absent when a device node is missing, format when the driver refuses or makes something else of
/// it.
void apply(MediaGraph& graph, const MediaSettings& settings);

}  // namespace glint::zero_copy
