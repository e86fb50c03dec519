#include "zero_copy/media_graph.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/media.h>
#include <linux/v4l2-subdev.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "zero_copy/kernel_text.hpp"
#include "zero_copy/source.hpp"

namespace glint::zero_copy {
namespace {

constexpr int most_devices = 256;  // MEDIA_NUM_DEVICES in the kernel

int result_of(int returned) noexcept {
    return returned < 0 ? errno : 0;
}

struct Found {
    DeviceFd fd;
    std::string path;
    media_device_info info{};

    [[nodiscard]] bool is_called(std::string_view name) const {
        return name == kernel_text(info.bus_info) || name == kernel_text(info.driver) ||
               name == kernel_text(info.model);
    }
    [[nodiscard]] std::string text() const {
        return fmt::format("{} ({}, driver {}, model {})", path, kernel_text(info.bus_info),
                           kernel_text(info.driver), kernel_text(info.model));
    }
};

/// Zero or an errno value.
int open_device(DeviceCalls& calls, const std::string& path, Found& found) {
    found.path = path;
    found.fd = DeviceFd(calls, calls.open(path.c_str(), O_RDWR));
    if (!found.fd) return errno;
    return result_of(found.fd.ioctl(MEDIA_IOC_DEVICE_INFO, &found.info));
}

[[noreturn]] void refuse_names(std::string_view device, const std::vector<Found>& all,
                               const std::string& unopened) {
    std::string list;
    for (const Found& each : all) list += (list.empty() ? "" : ", ") + each.text();
    throw SourceError(
        SourceError::Kind::absent,
        fmt::format("no media device is called \"{}\"; there {}{}", device,
                    all.empty() ? "is none that can be read" : "are " + list, unopened));
}

/// Looks at all nodes: numbers have gaps once a device was unbound.
Found find_device(DeviceCalls& calls, std::string_view device) {
    std::vector<Found> all;
    std::string unopened;
    for (int number = 0; number < most_devices; ++number) {
        Found each;
        const int error = open_device(calls, fmt::format("/dev/media{}", number), each);
        if (error == 0) {
            all.push_back(std::move(each));
        } else if (error != ENOENT) {
            unopened += fmt::format("; {}: {}", each.path, std::strerror(error));
        }
    }
    const auto called = [device](const Found& each) { return each.is_called(device); };
    const auto first = std::find_if(all.begin(), all.end(), called);
    if (first == all.end()) refuse_names(device, all, unopened);
    if (const auto second = std::find_if(first + 1, all.end(), called); second != all.end()) {
        throw SourceError(SourceError::Kind::format,
                          fmt::format("\"{}\" is the name of {} and of {}; give the one's bus_info",
                                      device, first->text(), second->text()));
    }
    return std::move(*first);
}

Found find_path(DeviceCalls& calls, const std::string& path) {
    Found found;
    if (const int error = open_device(calls, path, found); error != 0) {
        throw SourceError(SourceError::Kind::absent,
                          fmt::format("cannot open {} as a media device: {}; ls /dev/media* shows "
                                      "what there is",
                                      path, std::strerror(error)));
    }
    return found;
}

std::optional<uint32_t> whole_number(std::string_view text) {
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

v4l2_subdev_format format_request(uint32_t pad, uint32_t which, const BusFormat& format) {
    v4l2_subdev_format request{};
    request.which = which;
    request.pad = pad;
    request.format.code = format.code;
    request.format.width = format.width;
    request.format.height = format.height;
    request.format.field = format.field;
    return request;
}

BusFormat to_bus_format(const v4l2_mbus_framefmt& format) {
    return {format.code, format.width, format.height, format.field};
}

}  // namespace

bool MediaEntity::is_subdevice() const {
    // Other functions than the old ones are reported as one of these two groups.
    constexpr uint32_t group_mask = 0x00ff0000;
    return (type & group_mask) == MEDIA_ENT_F_OLD_SUBDEV_BASE;
}

bool MediaEntity::is_sink(uint32_t pad) const {
    return (pad_flags.at(pad) & MEDIA_PAD_FL_SINK) != 0;
}

bool MediaLink::enabled() const {
    return (flags & MEDIA_LNK_FL_ENABLED) != 0;
}

bool MediaLink::immutable() const {
    return (flags & MEDIA_LNK_FL_IMMUTABLE) != 0;
}

MediaGraph MediaGraph::open(DeviceCalls& calls, std::string_view device) {
    Found found = device.starts_with('/') ? find_path(calls, std::string(device))
                                          : find_device(calls, device);
    MediaGraph graph;
    graph.device_ = std::move(found.fd);
    graph.path_ = found.path;
    graph.driver_ = kernel_text(found.info.driver);
    graph.model_ = kernel_text(found.info.model);
    graph.bus_info_ = kernel_text(found.info.bus_info);
    graph.read_entities();
    return graph;
}

void MediaGraph::read_entities() {
    std::vector<size_t> link_counts;
    media_entity_desc entity{};
    entity.id = MEDIA_ENT_ID_FLAG_NEXT;
    while (device_.ioctl(MEDIA_IOC_ENUM_ENTITIES, &entity) == 0) {
        if (!entities_.empty() && entity.id <= entities_.back().id) {
            throw SourceError(SourceError::Kind::format,
                              fmt::format("{}: lists entity {} after entity {}", path_, entity.id,
                                          entities_.back().id));
        }
        entities_.push_back({.id = entity.id,
                             .name = kernel_text(entity.name),
                             .type = entity.type,
                             .node = {entity.dev.major, entity.dev.minor},
                             .pad_flags = std::vector<uint32_t>(entity.pads)});
        link_counts.push_back(entity.links);
        const uint32_t last = entity.id;
        entity = {};
        entity.id = last | MEDIA_ENT_ID_FLAG_NEXT;
    }
    if (errno != EINVAL) {  // which says that there are no more
        throw SourceError(SourceError::Kind::format,
                          fmt::format("{}: cannot list entities: {}", path_, std::strerror(errno)));
    }
    for (size_t i = 0; i < entities_.size(); ++i) read_links(entities_[i], link_counts[i]);
}

void MediaGraph::read_links(MediaEntity& entity, size_t count) {
    // The kernel writes as many as there are now: a sensor may have joined since they were counted.
    constexpr size_t spare = 16;
    std::vector<media_pad_desc> pads(entity.pad_flags.size() + spare);
    std::vector<media_link_desc> links(count + spare);
    media_links_enum request{};
    request.entity = entity.id;
    request.pads = pads.data();
    request.links = links.data();
    if (device_.ioctl(MEDIA_IOC_ENUM_LINKS, &request) != 0) {
        throw SourceError(SourceError::Kind::format,
                          fmt::format("{}: cannot list the links of \"{}\": {}", path_, entity.name,
                                      std::strerror(errno)));
    }
    for (size_t i = 0; i < entity.pad_flags.size(); ++i) entity.pad_flags[i] = pads[i].flags;
    for (size_t i = 0; i < count; ++i) {
        const auto& [source, sink, flags, reserved] = links[i];
        links_.push_back({{source.entity, source.index}, {sink.entity, sink.index}, flags});
    }
}

const MediaEntity& MediaGraph::entity(uint32_t id) const {
    const auto found = std::ranges::find(entities_, id, &MediaEntity::id);
    if (found == entities_.end()) {
        throw SourceError(
            SourceError::Kind::format,
            fmt::format("{} has no entity {}; it has changed since it was opened", path_, id));
    }
    return *found;
}

const MediaEntity& MediaGraph::entity(std::string_view name) const {
    const auto named = std::ranges::find(entities_, name, &MediaEntity::name);
    if (named != entities_.end()) return *named;
    if (const auto id = whole_number(name)) {
        const auto numbered = std::ranges::find(entities_, *id, &MediaEntity::id);
        if (numbered != entities_.end()) return *numbered;
    }
    throw SourceError(SourceError::Kind::format,
                      fmt::format("{} has no entity \"{}\"; there are {}", path_, name, names()));
}

const MediaEntity* MediaGraph::find_node(const std::string& name_or_path) const {
    const std::optional<NodeNumber> number = calls().node_number(name_or_path);
    const auto found = std::ranges::find_if(entities_, [&](const MediaEntity& entity) {
        return entity.name == name_or_path || (number && entity.node == *number);
    });
    return found == entities_.end() ? nullptr : &*found;
}

MediaPad MediaGraph::pad(const PadName& name) const {
    const MediaEntity& owner = entity(name.entity);
    if (name.pad >= owner.pad_flags.size()) {
        throw SourceError(SourceError::Kind::format,
                          fmt::format("{}: \"{}\" has no pad {}, only {} counted from 0", path_,
                                      owner.name, name.pad, owner.pad_flags.size()));
    }
    return {owner.id, name.pad};
}

std::string MediaGraph::text_of(const MediaPad& pad) const {
    return zero_copy::text_of(PadName{entity(pad.entity).name, pad.index});
}

int MediaGraph::set_link(size_t index, bool enabled) {
    MediaLink& link = links_.at(index);
    const auto end = [](const MediaPad& pad, uint32_t flags) {
        return media_pad_desc{.entity = pad.entity,
                              .index = static_cast<uint16_t>(pad.index),
                              .flags = flags,
                              .reserved = {}};
    };
    media_link_desc request{};
    request.source = end(link.source, MEDIA_PAD_FL_SOURCE);
    request.sink = end(link.sink, MEDIA_PAD_FL_SINK);
    // The other flags must be as they are, or the kernel refuses.
    request.flags =
        enabled ? link.flags | MEDIA_LNK_FL_ENABLED : link.flags & ~uint32_t{MEDIA_LNK_FL_ENABLED};
    const uint32_t wanted = request.flags;
    const int error = result_of(device_.ioctl(MEDIA_IOC_SETUP_LINK, &request));
    if (error == 0) link.flags = wanted;
    return error;
}

std::string MediaGraph::names() const {
    std::string list;
    for (const MediaEntity& entity : entities_) {
        list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", entity.name);
    }
    return list.empty() ? "none" : list;
}

Subdevice::Subdevice(DeviceCalls& calls, const MediaEntity& entity) {
    if (entity.node != NodeNumber{}) path_ = calls.node_path(entity.node);
    if (path_.empty()) {
        throw SourceError(SourceError::Kind::absent,
                          fmt::format("\"{}\" has no device node, so its pads cannot be set; a "
                                      "kernel with CONFIG_VIDEO_V4L2_SUBDEV_API makes one for "
                                      "drivers that allow it",
                                      entity.name));
    }
    fd_ = DeviceFd(calls, calls.open(path_.c_str(), O_RDWR | O_NONBLOCK));
    if (!fd_) {
        throw SourceError(
            SourceError::Kind::absent,
            fmt::format("cannot open {} of \"{}\": {}", path_, entity.name, std::strerror(errno)));
    }
}

int Subdevice::get_format(uint32_t pad, BusFormat& format) const noexcept {
    v4l2_subdev_format request = format_request(pad, V4L2_SUBDEV_FORMAT_ACTIVE, {});
    const int error = result_of(fd_.ioctl(VIDIOC_SUBDEV_G_FMT, &request));
    if (error == 0) format = to_bus_format(request.format);
    return error;
}

int Subdevice::set_format(uint32_t pad, const BusFormat& format) const noexcept {
    v4l2_subdev_format request = format_request(pad, V4L2_SUBDEV_FORMAT_ACTIVE, format);
    return result_of(fd_.ioctl(VIDIOC_SUBDEV_S_FMT, &request));
}

int Subdevice::try_format(uint32_t pad, BusFormat& format) const noexcept {
    v4l2_subdev_format request = format_request(pad, V4L2_SUBDEV_FORMAT_TRY, format);
    const int error = result_of(fd_.ioctl(VIDIOC_SUBDEV_S_FMT, &request));
    if (error == 0) format = to_bus_format(request.format);
    return error;
}

int Subdevice::get_interval(uint32_t pad, FrameInterval& interval) const noexcept {
    v4l2_subdev_frame_interval request{};
    request.pad = pad;
    const int error = result_of(fd_.ioctl(VIDIOC_SUBDEV_G_FRAME_INTERVAL, &request));
    if (error == 0) interval = {request.interval.numerator, request.interval.denominator};
    return error;
}

int Subdevice::set_interval(uint32_t pad, const FrameInterval& interval) const noexcept {
    v4l2_subdev_frame_interval request{};
    request.pad = pad;
    request.interval = {interval.numerator, interval.denominator};
    return result_of(fd_.ioctl(VIDIOC_SUBDEV_S_FRAME_INTERVAL, &request));
}

}  // namespace glint::zero_copy
