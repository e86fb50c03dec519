#include "daemon/bus/camera_vtable.hpp"

#include "daemon/bus/camera_object.hpp"
#include "daemon/bus/message.hpp"

namespace glint::bus {
namespace {

using C = CameraObject;

/// A property that is one value of the camera.
template <char Type, auto Get>
int value(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply, void* self,
          sd_bus_error* error) noexcept {
    try {
        constexpr char type[] = {Type, '\0'};
        append(reply, type, Get(static_cast<const C*>(self)->camera()));
        return 1;
    } catch (...) {
        return set_error(error);
    }
}

template <uint64_t Counters::*Member>
uint64_t counter(const Camera& camera) {
    return camera.counters().*Member;
}

const char* source(const Camera& camera) {
    return camera.config().source.c_str();
}
const char* state(const Camera& camera) {
    return name_of(camera.state());
}
// Fourcc and range names are literals, so their text ends with a null character.
const char* pixel_format(const Camera& camera) {
    return zero_copy::info(camera.info().layout.format).fourcc.data();
}
const char* range(const Camera& camera) {
    return name_of(camera.info().layout.range).data();
}
const char* transport(const Camera& camera) {
    return camera.info().transport.c_str();
}
const char* zero_copy_state(const Camera& camera) {
    return camera.info().zero_copy.c_str();
}
const char* timestamp_source(const Camera& camera) {
    return camera.info().timestamp_source.c_str();
}
const char* trigger_basis(const Camera& camera) {
    return camera.trigger_basis().c_str();
}
uint32_t width(const Camera& camera) {
    return camera.info().layout.width;
}
uint32_t height(const Camera& camera) {
    return camera.info().layout.height;
}
uint32_t stride(const Camera& camera) {
    return camera.info().layout.planes[0].stride_bytes;
}
uint32_t bins(const Camera& camera) {
    return camera.wishes().bins;
}
uint32_t generation(const Camera& camera) {
    return camera.generation();
}
int lost_estimated(const Camera& camera) {
    return camera.info().losses_estimated ? 1 : 0;
}
uint64_t frame_period(const Camera& camera) {
    constexpr double usec_per_sec = 1e6;
    const double rate = camera.info().rate;
    return rate > 0 ? static_cast<uint64_t>(usec_per_sec / rate + 0.5) : 0;
}

constexpr uint64_t changes = SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE;
constexpr uint64_t anyone = SD_BUS_VTABLE_UNPRIVILEGED;  // the bus policy decides who may

#define GLINT_FRAME_ARGS SD_BUS_PARAM(sequence) SD_BUS_PARAM(timestamp_nsec)
#define GLINT_HISTOGRAM_ARGS SD_BUS_PARAM(bit_depth) SD_BUS_PARAM(bin_width) SD_BUS_PARAM(channels)

}  // namespace

const sd_bus_vtable* camera_vtable() {
    static const sd_bus_vtable vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_PROPERTY("Source", "s", (value<'s', source>), 0, SD_BUS_VTABLE_PROPERTY_CONST),
        SD_BUS_PROPERTY("State", "s", (value<'s', state>), 0, changes),
        SD_BUS_PROPERTY("PixelFormat", "s", (value<'s', pixel_format>), 0, changes),
        SD_BUS_PROPERTY("Range", "s", (value<'s', range>), 0, changes),
        SD_BUS_PROPERTY("Transport", "s", (value<'s', transport>), 0, changes),
        SD_BUS_PROPERTY("TransportLadder", "a(ss)", (property<C, &C::get_ladder>), 0, changes),
        SD_BUS_PROPERTY("ZeroCopy", "s", (value<'s', zero_copy_state>), 0, changes),
        SD_BUS_PROPERTY("TimestampSource", "s", (value<'s', timestamp_source>), 0, changes),
        SD_BUS_PROPERTY("TriggerBasis", "s", (value<'s', trigger_basis>), 0, changes),
        SD_BUS_PROPERTY("Width", "u", (value<'u', width>), 0, changes),
        SD_BUS_PROPERTY("Height", "u", (value<'u', height>), 0, changes),
        SD_BUS_PROPERTY("StrideBytes", "u", (value<'u', stride>), 0, changes),
        SD_BUS_PROPERTY("FramePeriodUSec", "t", (value<'t', frame_period>), 0, changes),
        SD_BUS_PROPERTY("Bins", "u", (value<'u', bins>), 0, changes),
        SD_BUS_PROPERTY("Generation", "u", (value<'u', generation>), 0, changes),
        SD_BUS_PROPERTY("Regions", "a(siiuu)", (property<C, &C::get_regions>), 0, changes),
        SD_BUS_PROPERTY("Variants", "a(sssss)", (property<C, &C::get_variants>), 0, changes),
        SD_BUS_WRITABLE_PROPERTY("PublishIntervalUSec", "t",
                                 (property<C, &C::get_publish_interval>),
                                 (set_property<C, &C::set_publish_interval>), 0, changes | anyone),
        SD_BUS_WRITABLE_PROPERTY(
            "PublishedHistograms", "as", (property<C, &C::get_published_histograms>),
            (set_property<C, &C::set_published_histograms>), 0, changes | anyone),
        SD_BUS_PROPERTY("FramesCaptured", "t", (value<'t', counter<&Counters::captured>>), 0, 0),
        SD_BUS_PROPERTY("FramesProcessed", "t", (value<'t', counter<&Counters::processed>>), 0, 0),
        SD_BUS_PROPERTY("FramesDropped", "t", (value<'t', counter<&Counters::dropped>>), 0, 0),
        SD_BUS_PROPERTY("FramesLost", "t", (value<'t', counter<&Counters::lost>>), 0, 0),
        SD_BUS_PROPERTY("FramesLostEstimated", "b", (value<'b', lost_estimated>), 0, changes),
        SD_BUS_PROPERTY("FramesCorrupt", "t", (value<'t', counter<&Counters::corrupt>>), 0, 0),
        SD_BUS_PROPERTY("FramesMerged", "t", (value<'t', counter<&Counters::merged>>), 0, 0),
        SD_BUS_PROPERTY("TriggersAnswered", "t",
                        (value<'t', counter<&Counters::triggers_answered>>), 0, 0),
        SD_BUS_PROPERTY("TriggersMissed", "t", (value<'t', counter<&Counters::triggers_missed>>), 0,
                        0),
        SD_BUS_PROPERTY("ResultsRejected", "t", (value<'t', counter<&Counters::rejected>>), 0, 0),
        SD_BUS_PROPERTY("BytesCopied", "t", (value<'t', counter<&Counters::bytes_copied>>), 0, 0),
        SD_BUS_PROPERTY("BytesExported", "t", (value<'t', counter<&Counters::bytes_exported>>), 0,
                        0),
        SD_BUS_METHOD("Start", "", "", (method<C, &C::start>), anyone),
        SD_BUS_METHOD("Stop", "", "", (method<C, &C::stop>), anyone),
        SD_BUS_METHOD_WITH_NAMES("SetRegions", "a(siiuu)", SD_BUS_PARAM(regions), "u",
                                 SD_BUS_PARAM(generation), (method<C, &C::set_regions>), anyone),
        SD_BUS_METHOD_WITH_NAMES("SetFilter", "suuanu",
                                 SD_BUS_PARAM(name) SD_BUS_PARAM(width) SD_BUS_PARAM(height)
                                     SD_BUS_PARAM(coefficients) SD_BUS_PARAM(shift),
                                 "u", SD_BUS_PARAM(generation), (method<C, &C::set_filter>),
                                 anyone),
        SD_BUS_METHOD_WITH_NAMES(
            "SetFilterFloat", "suuad",
            SD_BUS_PARAM(name) SD_BUS_PARAM(width) SD_BUS_PARAM(height) SD_BUS_PARAM(coefficients),
            "u", SD_BUS_PARAM(generation), (method<C, &C::set_filter_float>), anyone),
        SD_BUS_METHOD_WITH_NAMES("SetBins", "u", SD_BUS_PARAM(bins), "u", SD_BUS_PARAM(generation),
                                 (method<C, &C::set_bins>), anyone),
        SD_BUS_METHOD_WITH_NAMES("SetMask", "h", SD_BUS_PARAM(mask), "u", SD_BUS_PARAM(generation),
                                 (method<C, &C::set_mask>), anyone),
        SD_BUS_METHOD_WITH_NAMES("SetMeteringGrid", "uuay",
                                 SD_BUS_PARAM(columns) SD_BUS_PARAM(rows) SD_BUS_PARAM(weights),
                                 "u", SD_BUS_PARAM(generation), (method<C, &C::set_metering_grid>),
                                 anyone),
        SD_BUS_METHOD_WITH_NAMES("GetHistogram", "s", SD_BUS_PARAM(region), "ttuuua(sau)",
                                 GLINT_FRAME_ARGS SD_BUS_PARAM(generation) GLINT_HISTOGRAM_ARGS,
                                 (method<C, &C::get_histogram>), anyone),
        SD_BUS_METHOD_WITH_NAMES("GetStatistics", "s", SD_BUS_PARAM(region), "ttua(sa{sd})",
                                 GLINT_FRAME_ARGS SD_BUS_PARAM(generation) SD_BUS_PARAM(channels),
                                 (method<C, &C::get_statistics>), anyone),
        SD_BUS_METHOD_WITH_NAMES("GetFrame", "s", SD_BUS_PARAM(stage), "hsuua(tu)stt",
                                 SD_BUS_PARAM(frame) SD_BUS_PARAM(fourcc) SD_BUS_PARAM(width)
                                     SD_BUS_PARAM(height) SD_BUS_PARAM(planes) SD_BUS_PARAM(range)
                                         GLINT_FRAME_ARGS,
                                 (method<C, &C::get_frame>), anyone),
        SD_BUS_METHOD_WITH_NAMES("OpenStream", "s", SD_BUS_PARAM(what), "hhu",
                                 SD_BUS_PARAM(memory) SD_BUS_PARAM(event)
                                     SD_BUS_PARAM(layout_version),
                                 (method<C, &C::open_stream>), anyone),
        SD_BUS_METHOD_WITH_NAMES("Controls", "", , "a(ssxxxxxsa(xs))", SD_BUS_PARAM(controls),
                                 (method<C, &C::controls>), anyone),
        SD_BUS_METHOD_WITH_NAMES("SetControl", "sx", SD_BUS_PARAM(name) SD_BUS_PARAM(value), "", ,
                                 (method<C, &C::set_control>), anyone),
        SD_BUS_SIGNAL_WITH_NAMES("Measured", "tttustiia(ssdddd)",
                                 GLINT_FRAME_ARGS SD_BUS_PARAM(processing_usec)
                                     SD_BUS_PARAM(generation) SD_BUS_PARAM(trigger_line)
                                         SD_BUS_PARAM(trigger_sequence) SD_BUS_PARAM(exposure_usec)
                                             SD_BUS_PARAM(gain_raw) SD_BUS_PARAM(regions),
                                 0),
        SD_BUS_SIGNAL_WITH_NAMES(
            "Histogram", "ttusuua(sau)",
            GLINT_FRAME_ARGS SD_BUS_PARAM(generation) SD_BUS_PARAM(region) GLINT_HISTOGRAM_ARGS, 0),
        SD_BUS_SIGNAL_WITH_NAMES("Failed", "ss", SD_BUS_PARAM(name) SD_BUS_PARAM(text), 0),
        SD_BUS_VTABLE_END};
    return vtable;
}

}  // namespace glint::bus
