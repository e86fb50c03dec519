#include "tests/fakes/media_graph.hpp"

#include <fmt/format.h>
#include <linux/media-bus-format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace glint::fakes {
namespace {

using zero_copy::BusFormat;
using zero_copy::FrameInterval;

class MediaNode final : public FakeNode {
  public:
    explicit MediaNode(std::shared_ptr<FakeMediaGraph> graph) : graph_(std::move(graph)) {}
    int ioctl(int, unsigned long request, void* argument) override {
        return graph_->ioctl(request, argument);
    }

  private:
    std::shared_ptr<FakeMediaGraph> graph_;
};

class SubdeviceNode final : public FakeNode {
  public:
    SubdeviceNode(std::shared_ptr<FakeMediaGraph> graph, std::string name)
        : graph_(std::move(graph)), name_(std::move(name)) {}
    int ioctl(int, unsigned long request, void* argument) override {
        return graph_->subdevice_ioctl(graph_->entity(name_), request, argument);
    }

  private:
    std::shared_ptr<FakeMediaGraph> graph_;
    std::string name_;
};

template <size_t size>
void copy_text(char (&to)[size], const std::string& from) {
    std::memcpy(to, from.c_str(), std::min(size - 1, from.size()) + 1);
    to[size - 1] = '\0';
}

std::string pad_text(const std::string& entity, uint32_t pad) {
    return zero_copy::text_of(zero_copy::PadName{entity, pad});
}

std::string outcome(int result) {
    return result < 0 ? fmt::format(" = {}", -result) : "";
}

uint32_t difference(uint32_t a, uint32_t b) {
    return a > b ? a - b : b - a;
}

FakeFrameSize nearest_size(const FakeMediaEntity& owner, FakeFrameSize wanted) {
    if (owner.sizes.empty()) {
        return {std::clamp(wanted.width, 1U, owner.largest.width),
                std::clamp(wanted.height, 1U, owner.largest.height)};
    }
    return *std::ranges::min_element(owner.sizes, {}, [&](const FakeFrameSize& size) {
        return difference(size.width, wanted.width) + difference(size.height, wanted.height);
    });
}

v4l2_mbus_framefmt to_kernel(const BusFormat& format) {
    v4l2_mbus_framefmt result{};
    result.code = format.code;
    result.width = format.width;
    result.height = format.height;
    result.field = format.field;
    return result;
}

}  // namespace

FakeMediaGraph::FakeMediaGraph(const char* driver, const char* model, const char* bus_info) {
    copy_text(info.driver, driver);
    copy_text(info.model, model);
    copy_text(info.bus_info, bus_info);
}

FakeMediaEntity& FakeMediaGraph::entity(const std::string& name) {
    const auto found = std::ranges::find(entities, name, &FakeMediaEntity::name);
    if (found == entities.end()) throw std::logic_error("no entity " + name);
    return *found;
}

FakeMediaEntity& FakeMediaGraph::entity(uint32_t id) {
    const auto found = std::ranges::find(entities, id, &FakeMediaEntity::id);
    if (found == entities.end()) throw std::logic_error(fmt::format("no entity {}", id));
    return *found;
}

FakeMediaLink& FakeMediaGraph::link_to(const std::string& name) {
    const auto found = std::ranges::find(links, name, &FakeMediaLink::sink);
    if (found == links.end()) throw std::logic_error("no link to " + name);
    return *found;
}

int FakeMediaGraph::ioctl(unsigned long request, void* argument) {
    switch (request) {
        case MEDIA_IOC_DEVICE_INFO:
            *static_cast<media_device_info*>(argument) = info;
            return 0;
        case MEDIA_IOC_ENUM_ENTITIES:
            return list_entity(*static_cast<media_entity_desc*>(argument));
        case MEDIA_IOC_ENUM_LINKS:
            return list_links(*static_cast<media_links_enum*>(argument));
        case MEDIA_IOC_SETUP_LINK:
            return set_link(*static_cast<media_link_desc*>(argument));
        default:
            return -ENOTTY;
    }
}

int FakeMediaGraph::list_entity(media_entity_desc& out) const {
    const bool next = (out.id & MEDIA_ENT_ID_FLAG_NEXT) != 0;
    const uint32_t id = out.id & ~MEDIA_ENT_ID_FLAG_NEXT;
    const auto found = std::ranges::find_if(
        entities, [&](const FakeMediaEntity& each) { return next ? each.id > id : each.id == id; });
    if (found == entities.end()) return -EINVAL;
    out = {};
    out.id = found->id;
    copy_text(out.name, found->name);
    out.type = found->type;
    out.pads = static_cast<uint16_t>(found->pads.size());
    out.links =
        static_cast<uint16_t>(std::ranges::count(links, found->name, &FakeMediaLink::source));
    out.dev.major = found->node.major;
    out.dev.minor = found->node.minor;
    return 0;
}

int FakeMediaGraph::list_links(media_links_enum& out) {
    const auto owner = std::ranges::find(entities, out.entity, &FakeMediaEntity::id);
    if (owner == entities.end()) return -EINVAL;
    for (uint32_t pad = 0; pad < owner->pads.size(); ++pad) {
        out.pads[pad] = {.entity = owner->id,
                         .index = static_cast<uint16_t>(pad),
                         .flags = owner->pads[pad].flags,
                         .reserved = {}};
    }
    media_link_desc* next = out.links;
    for (const FakeMediaLink& link : links) {
        if (link.source != owner->name) continue;
        *next = {};
        next->source.entity = owner->id;
        next->source.index = static_cast<uint16_t>(link.source_pad);
        next->sink.entity = entity(link.sink).id;
        next->sink.index = static_cast<uint16_t>(link.sink_pad);
        next->flags = link.flags;
        ++next;
    }
    return 0;
}

int FakeMediaGraph::set_link(const media_link_desc& wanted) {
    const auto found = std::ranges::find_if(links, [&](const FakeMediaLink& link) {
        return entity(link.source).id == wanted.source.entity &&
               link.source_pad == wanted.source.index &&
               entity(link.sink).id == wanted.sink.entity && link.sink_pad == wanted.sink.index;
    });
    if (found == links.end()) return -EINVAL;
    const int result = change_link(*found, wanted.flags);
    log.push_back(fmt::format("link {} -> {} [{}]{}", pad_text(found->source, found->source_pad),
                              pad_text(found->sink, found->sink_pad),
                              wanted.flags & MEDIA_LNK_FL_ENABLED, outcome(result)));
    return result;
}

int FakeMediaGraph::change_link(FakeMediaLink& link, uint32_t flags) const {
    constexpr uint32_t fixed = ~uint32_t{MEDIA_LNK_FL_ENABLED};
    if ((link.flags & fixed) != (flags & fixed)) return -EINVAL;
    if (link.flags == flags) return 0;
    if ((link.flags & MEDIA_LNK_FL_IMMUTABLE) != 0) return -EINVAL;
    if (streaming && (link.flags & MEDIA_LNK_FL_DYNAMIC) == 0) return -EBUSY;
    const bool taken = std::ranges::any_of(links, [&](const FakeMediaLink& other) {
        return &other != &link && other.sink == link.sink && other.sink_pad == link.sink_pad &&
               (other.flags & MEDIA_LNK_FL_ENABLED) != 0;
    });
    if (taken && (flags & MEDIA_LNK_FL_ENABLED) != 0) return -EBUSY;
    link.flags = flags;
    return 0;
}

int FakeMediaGraph::subdevice_ioctl(FakeMediaEntity& owner, unsigned long request, void* argument) {
    switch (request) {
        case VIDIOC_SUBDEV_G_FMT: {
            auto& format = *static_cast<v4l2_subdev_format*>(argument);
            if (format.pad >= owner.pads.size()) return -EINVAL;
            format.format = to_kernel(owner.pads[format.pad].format);
            return 0;
        }
        case VIDIOC_SUBDEV_S_FMT: {
            auto& format = *static_cast<v4l2_subdev_format*>(argument);
            const BusFormat asked{format.format.code, format.format.width, format.format.height,
                                  format.format.field};
            const bool active = format.which == V4L2_SUBDEV_FORMAT_ACTIVE;
            const int result = set_format(owner, format);
            if (active) {
                log.push_back(fmt::format("format {} {}{}", pad_text(owner.name, format.pad),
                                          zero_copy::text_of(asked), outcome(result)));
            }
            return result;
        }
        case VIDIOC_SUBDEV_G_FRAME_INTERVAL: {
            auto& interval = *static_cast<v4l2_subdev_frame_interval*>(argument);
            if (owner.intervals.empty()) return -ENOTTY;
            interval.interval = {owner.intervals[0].numerator, owner.intervals[0].denominator};
            return 0;
        }
        case VIDIOC_SUBDEV_S_FRAME_INTERVAL: {
            auto& interval = *static_cast<v4l2_subdev_frame_interval*>(argument);
            const FrameInterval asked{interval.interval.numerator, interval.interval.denominator};
            const int result = set_interval(owner, interval);
            log.push_back(fmt::format("interval {} {}{}", pad_text(owner.name, interval.pad),
                                      zero_copy::text_of(asked), outcome(result)));
            return result;
        }
        default:
            return -ENOTTY;
    }
}

int FakeMediaGraph::set_format(FakeMediaEntity& owner, v4l2_subdev_format& argument) const {
    if (argument.pad >= owner.pads.size()) return -EINVAL;
    const bool active = argument.which == V4L2_SUBDEV_FORMAT_ACTIVE;
    if (active && streaming) return -EBUSY;
    FakeMediaPad& pad = owner.pads[argument.pad];
    BusFormat format = pad.format;
    if (!pad.codes.empty()) {
        const bool known = std::ranges::count(pad.codes, argument.format.code) != 0;
        format.code = known ? argument.format.code : pad.codes[0];
    }
    if (!pad.follows) {
        const FakeFrameSize size =
            nearest_size(owner, {argument.format.width, argument.format.height});
        format.width = size.width;
        format.height = size.height;
        format.field = V4L2_FIELD_NONE;
    }
    if (!owner.answers_as_asked) argument.format = to_kernel(format);
    if (!active) return 0;
    pad.format = format;
    for (FakeMediaPad& source : owner.pads) {
        if (source.follows != argument.pad) continue;
        source.format = format;
        const auto converted = owner.converts.find(format.code);
        if (converted != owner.converts.end()) source.format.code = converted->second;
    }
    return 0;
}

int FakeMediaGraph::set_interval(FakeMediaEntity& owner, v4l2_subdev_frame_interval& argument) {
    if (owner.intervals.empty()) return -ENOTTY;
    if (argument.pad >= owner.pads.size()) return -EINVAL;
    if (streaming) return -EBUSY;
    const auto rate = [](uint32_t numerator, uint32_t denominator) {
        return double{1} * denominator / numerator;
    };
    const double wanted = rate(argument.interval.numerator, argument.interval.denominator);
    const auto nearest =
        std::ranges::min_element(owner.intervals, {}, [&](const FrameInterval& each) {
            return std::abs(rate(each.numerator, each.denominator) - wanted);
        });
    std::iter_swap(owner.intervals.begin(), nearest);
    argument.interval = {owner.intervals[0].numerator, owner.intervals[0].denominator};
    return 0;
}

void install(const std::shared_ptr<FakeMediaGraph>& graph, FakeMachine& machine, uint32_t number) {
    constexpr uint32_t v4l_major = 81;
    constexpr uint32_t media_major = 250;
    uint32_t id = 1;
    uint32_t subdevice = 10 * number;
    uint32_t video = 10 * number;
    uint32_t minor = 100 * number;
    for (FakeMediaEntity& each : graph->entities) {
        each.id = id;
        id += 1 + static_cast<uint32_t>(each.pads.size());  // pads take numbers, too
        if (!each.has_node) continue;
        each.node = {v4l_major, minor++};
        const bool is_video = each.type == MEDIA_ENT_F_IO_V4L;
        const std::string path = is_video ? fmt::format("/dev/video{}", video++)
                                          : fmt::format("/dev/v4l-subdev{}", subdevice++);
        machine.number(path, each.node);
        if (!is_video) machine.add(path, std::make_shared<SubdeviceNode>(graph, each.name));
    }
    const std::string path = fmt::format("/dev/media{}", number);
    machine.number(path, {media_major, number});
    machine.add(path, std::make_shared<MediaNode>(graph));
}

namespace {

constexpr uint32_t sink = MEDIA_PAD_FL_SINK;
constexpr uint32_t source = MEDIA_PAD_FL_SOURCE;
constexpr uint32_t must = MEDIA_PAD_FL_MUST_CONNECT;
constexpr uint32_t fixed_link = MEDIA_LNK_FL_ENABLED | MEDIA_LNK_FL_IMMUTABLE;
constexpr BusFormat vga{MEDIA_BUS_FMT_UYVY8_1X16, 640, 480, V4L2_FIELD_NONE};

std::vector<uint32_t> receiver_codes() {
    return {MEDIA_BUS_FMT_UYVY8_1X16, MEDIA_BUS_FMT_RGB565_1X16,  MEDIA_BUS_FMT_Y8_1X8,
            MEDIA_BUS_FMT_Y10_1X10,   MEDIA_BUS_FMT_SRGGB10_1X10, MEDIA_BUS_FMT_SRGGB8_1X8,
            MEDIA_BUS_FMT_Y12_1X12};
}

FakeMediaEntity receiver(const char* name) {
    return {.name = name,
            .pads = {{.flags = sink | must, .format = vga, .codes = receiver_codes()},
                     {.flags = source | must, .format = vga, .codes = {}, .follows = 0}}};
}

FakeMediaEntity capture(const char* name) {
    return {.name = name, .type = MEDIA_ENT_F_IO_V4L, .pads = {{.flags = sink}}};
}

}  // namespace

std::shared_ptr<FakeMediaGraph> imx7_media_csi() {
    auto graph = std::make_shared<FakeMediaGraph>("imx7-csi", "imx-media", "platform:32e20000.csi");
    const BusFormat whole_sensor{MEDIA_BUS_FMT_SRGGB10_1X10, 3280, 2464, V4L2_FIELD_NONE};
    BusFormat csi_default = vga;
    csi_default.code = MEDIA_BUS_FMT_UYVY8_2X8;
    std::vector<uint32_t> csi_codes = receiver_codes();
    csi_codes.insert(csi_codes.begin(), MEDIA_BUS_FMT_UYVY8_2X8);
    graph->entities = {
        {.name = "csi",
         .pads = {{.flags = sink, .format = csi_default, .codes = csi_codes},
                  {.flags = source, .format = csi_default, .codes = {}, .follows = 0}}},
        capture("csi capture"),
        receiver("csis-32e30000.mipi-csi"),
        {.name = "imx219 1-0010",
         .type = MEDIA_ENT_F_CAM_SENSOR,
         .pads = {{.flags = source,
                   .format = whole_sensor,
                   .codes = {MEDIA_BUS_FMT_SRGGB10_1X10, MEDIA_BUS_FMT_SRGGB8_1X8}}},
         .sizes = {{3280, 2464}, {1920, 1080}, {1640, 1232}, {640, 480}}}};
    graph->links = {{"csi", 1, "csi capture", 0, fixed_link},
                    {"csis-32e30000.mipi-csi", 1, "csi", 0, fixed_link},
                    {"imx219 1-0010", 0, "csis-32e30000.mipi-csi", 0, 0}};
    return graph;
}

std::shared_ptr<FakeMediaGraph> imx8_isi() {
    auto graph = std::make_shared<FakeMediaGraph>("mxc-isi", "FSL Capture Media Device",
                                                  "platform:32e00000.isi");
    const BusFormat full_hd{MEDIA_BUS_FMT_UYVY8_1X16, 1920, 1080, V4L2_FIELD_NONE};
    const BusFormat pipe_out{MEDIA_BUS_FMT_YUV8_1X24, 1920, 1080, V4L2_FIELD_NONE};
    const auto crossbar_in = [&](uint32_t flags) {
        return FakeMediaPad{.flags = flags, .format = full_hd, .codes = receiver_codes()};
    };
    const auto crossbar_out = [&](uint32_t from) {
        return FakeMediaPad{.flags = source, .format = full_hd, .codes = {}, .follows = from};
    };
    const auto pipe = [&](const char* name) {
        return FakeMediaEntity{
            .name = name,
            .pads = {{.flags = sink | must, .format = full_hd, .codes = receiver_codes()},
                     {.flags = source | must,
                      .format = pipe_out,
                      .codes = {MEDIA_BUS_FMT_YUV8_1X24, MEDIA_BUS_FMT_RGB888_1X24},
                      .follows = 0}},
            .largest = {4096, 8191},
            .converts = {{MEDIA_BUS_FMT_UYVY8_1X16, MEDIA_BUS_FMT_YUV8_1X24}}};
    };
    graph->entities = {
        {.name = "crossbar",
         .pads = {crossbar_in(sink | must), crossbar_in(sink | must), crossbar_in(sink | must),
                  crossbar_out(0), crossbar_out(1)}},
        pipe("mxc_isi.0"),
        capture("mxc_isi.0.capture"),
        pipe("mxc_isi.1"),
        capture("mxc_isi.1.capture"),
        {.name = "mxc_isi.output", .type = MEDIA_ENT_F_IO_V4L, .pads = {{.flags = source}}},
        receiver("csis-32e40000.csi"),
        receiver("csis-32e50000.csi"),
        {.name = "ov5640 1-003c",
         .type = MEDIA_ENT_F_CAM_SENSOR,
         .pads = {{.flags = source,
                   .format = vga,
                   .codes = {MEDIA_BUS_FMT_UYVY8_1X16, MEDIA_BUS_FMT_RGB565_1X16}}},
         .sizes = {{2592, 1944}, {1920, 1080}, {1280, 720}, {640, 480}},
         .intervals = {{1, 30}, {1, 15}, {1, 60}}}};
    graph->links = {{"csis-32e40000.csi", 1, "crossbar", 0, fixed_link},
                    {"csis-32e50000.csi", 1, "crossbar", 1, fixed_link},
                    {"mxc_isi.output", 0, "crossbar", 2, fixed_link},
                    {"crossbar", 3, "mxc_isi.0", 0, fixed_link},
                    {"crossbar", 4, "mxc_isi.1", 0, fixed_link},
                    {"mxc_isi.0", 1, "mxc_isi.0.capture", 0, fixed_link},
                    {"mxc_isi.1", 1, "mxc_isi.1.capture", 0, fixed_link},
                    {"ov5640 1-003c", 0, "csis-32e40000.csi", 0, 0}};
    return graph;
}

}  // namespace glint::fakes
