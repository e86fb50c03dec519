// What the entries of a client's stream are, written as the head of its memory.
#pragma once

#include "daemon/frame_export.hpp"
#include "daemon/glintd_stream.h"
#include "daemon/plan.hpp"

namespace glint {

[[nodiscard]] glintd_stream_header histogram_shape(const Plan& plan);
[[nodiscard]] glintd_stream_header picture_shape(const PictureFormat& format, uint32_t generation);

}  // namespace glint
