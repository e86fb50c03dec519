#include "daemon/stream_shape.hpp"

#include <algorithm>
#include <string_view>

#include "daemon/config.hpp"

namespace glint {
namespace {

// Names are checked before they come here: regions by check_region_names(), the rest are our own.
static_assert(GLINTD_STREAM_MAX_REGIONS == max_regions + 2, "the frame and the metering grid");
static_assert(GLINTD_STREAM_MAX_CHANNELS == zero_copy::max_channels);

template <size_t Size>
void write_text(char (&to)[Size], std::string_view text) {
    text.copy(to, Size - 1);
}

}  // namespace

glintd_stream_header histogram_shape(const Plan& plan) {
    glintd_stream_header shape{};
    shape.kind = GLINTD_STREAM_HISTOGRAMS;
    shape.generation = plan.generation;
    glintd_stream_histograms& histograms = shape.histograms;
    histograms.region_count = static_cast<uint32_t>(plan.regions.size());
    histograms.channel_count = static_cast<uint32_t>(plan.channels.size());
    histograms.bins = plan.bins;
    histograms.bit_depth = plan.bit_depth;
    histograms.bin_width = plan.even_bin_width();
    for (size_t i = 0; i < plan.channels.size(); ++i) {
        write_text(histograms.channels[i], plan.channels[i]);
    }
    for (size_t i = 0; i < plan.regions.size(); ++i) {
        const Region& from = plan.regions[i];
        glintd_stream_region& to = histograms.regions[i];
        write_text(to.name, from.name);
        to.x = from.x;
        to.y = from.y;
        to.width = from.width;
        to.height = from.height;
    }
    shape.payload_bytes = histograms.region_count * histograms.channel_count * plan.bins *
                          static_cast<uint32_t>(sizeof(uint32_t));
    return shape;
}

glintd_stream_header picture_shape(const PictureFormat& format, uint32_t generation) {
    glintd_stream_header shape{};
    shape.kind = GLINTD_STREAM_PICTURES;
    shape.generation = generation;
    shape.payload_bytes = format.size_bytes;
    write_text(shape.picture.fourcc, format.fourcc);
    write_text(shape.picture.range, name_of(format.range));
    shape.picture.width = format.width;
    shape.picture.height = format.height;
    shape.picture.plane_count = static_cast<uint32_t>(format.planes.size());
    std::ranges::transform(format.planes, shape.picture.planes, [](const auto& plane) {
        return glintd_stream_plane{plane.offset_bytes, plane.stride_bytes, plane.row_bytes,
                                   plane.rows};
    });
    return shape;
}

}  // namespace glint
