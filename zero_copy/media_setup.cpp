#include "zero_copy/media_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "zero_copy/source.hpp"

namespace glint::zero_copy {
namespace {

[[noreturn]] void refuse(const MediaGraph& graph, const std::string& why,
                         SourceError::Kind kind = SourceError::Kind::format) {
    throw SourceError(kind, fmt::format("{}: {}", graph.path(), why));
}

std::string text_of(const MediaGraph& graph, const MediaLink& link) {
    return fmt::format("{} -> {}", graph.text_of(link.source), graph.text_of(link.sink));
}

std::string links_from(const MediaGraph& graph, uint32_t entity) {
    std::string list;
    for (const MediaLink& link : graph.links()) {
        if (link.source.entity != entity) continue;
        list += (list.empty() ? "" : ", ") + text_of(graph, link);
    }
    return list.empty() ? "none" : list;
}

struct LinkChange {
    size_t index;
    bool enabled;
};

LinkChange find_change(const MediaGraph& graph, const LinkSetting& setting) {
    const MediaPad source = graph.pad(setting.source);
    const MediaPad sink = graph.pad(setting.sink);
    const auto found = std::ranges::find_if(graph.links(), [&](const MediaLink& link) {
        return link.source == source && link.sink == sink;
    });
    if (found == graph.links().end()) {
        refuse(graph,
               fmt::format("there is no link {} -> {}; those from \"{}\" are: {}",
                           graph.text_of(source), graph.text_of(sink),
                           graph.entity(source.entity).name, links_from(graph, source.entity)));
    }
    if (found->immutable() && found->enabled() != setting.enabled) {
        refuse(graph,
               fmt::format("the link {} is fixed as {} by its driver (immutable); take it "
                           "out of the links",
                           text_of(graph, *found), found->enabled() ? "enabled" : "disabled"));
    }
    return {static_cast<size_t>(found - graph.links().begin()), setting.enabled};
}

/// A sink pad takes one link at a time with most drivers.
std::string why_busy(const MediaGraph& graph, const MediaLink& link) {
    for (const MediaLink& other : graph.links()) {
        if (!other.enabled() || other.sink != link.sink || other.source == link.source) continue;
        return fmt::format("a stream is running through it, or {} is taken: disable {} [0] first",
                           graph.text_of(link.sink), text_of(graph, other));
    }
    return "a stream is running through it: stop whatever uses this camera first";
}

void change_link(MediaGraph& graph, const LinkChange& change) {
    const MediaLink link = graph.links()[change.index];
    if (link.enabled() == change.enabled) return;
    const int error = graph.set_link(change.index, change.enabled);
    if (error == 0) return;
    const std::string what = fmt::format(
        "cannot {} the link {}", change.enabled ? "enable" : "disable", text_of(graph, link));
    if (error == EBUSY) {
        refuse(graph, fmt::format("{}: {}", what, why_busy(graph, link)), SourceError::Kind::busy);
    }
    refuse(graph, fmt::format("{}: {}", what, std::strerror(error)));
}

/// One pad of a subdevice, for the settings of that pad.
class PadSetup {
  public:
    PadSetup(const MediaGraph& graph, const MediaPad& pad)
        : graph_(graph), pad_(pad), device_(graph.calls(), graph.entity(pad.entity)) {}

    void set(const PadSetting& setting) {
        set_format(setting.format);
        if (setting.interval) set_interval(*setting.interval, setting.format);
    }

  private:
    void set_format(const BusFormat& format) {
        check(device_.set_format(pad_.index, format), "set", text_of(format));
        BusFormat got;
        check(device_.get_format(pad_.index, got), "read back", text_of(format));
        const bool field_differs = format.field != 0 && got.field != format.field;
        if (got.code != format.code || got.width != format.width || got.height != format.height ||
            field_differs) {
            const std::string list = got.code != format.code
                                         ? fmt::format("--list-subdev-mbus-codes {}", pad_.index)
                                         : fmt::format("--list-subdev-framesizes pad={},code={:#x}",
                                                       pad_.index, got.code);
            refuse_answer(text_of(format), text_of(got), list);
        }
    }
    void set_interval(const FrameInterval& interval, const BusFormat& format) {
        check(device_.set_interval(pad_.index, interval), "set the interval", text_of(interval));
        FrameInterval got;
        check(device_.get_interval(pad_.index, got), "read back the interval", text_of(interval));
        const uint64_t asked_scaled = uint64_t{interval.numerator} * got.denominator;
        const uint64_t got_scaled = uint64_t{got.numerator} * interval.denominator;
        if (got.denominator == 0 || asked_scaled != got_scaled) {
            refuse_answer("@" + text_of(interval), "@" + text_of(got),
                          fmt::format("--list-subdev-frameintervals "
                                      "pad={},width={},height={},code={:#x}",
                                      pad_.index, format.width, format.height, format.code));
        }
    }
    void check(int error, std::string_view what, const std::string& value) const {
        if (error == 0) return;
        const std::string text = fmt::format("{}: cannot {} {}", graph_.text_of(pad_), what, value);
        if (error == EBUSY) {
            refuse(graph_, text + ": a stream is running through it: stop whatever uses it first",
                   SourceError::Kind::busy);
        }
        refuse(graph_, fmt::format("{}: {}", text, std::strerror(error)));
    }
    [[noreturn]] void refuse_answer(const std::string& asked, const std::string& got,
                                    const std::string& list) const {
        refuse(graph_, fmt::format("{}: asked for {}, the driver made {} of it; ask for what it "
                                   "takes: v4l2-ctl -d {} {}",
                                   graph_.text_of(pad_), asked, got, device_.path(), list));
    }

    const MediaGraph& graph_;
    MediaPad pad_;
    Subdevice device_;
};

/// Errors are left to be found at the start of the stream: no one asked for these pads, and a later
/// setting may be theirs.
void hand_on(const MediaGraph& graph, const MediaPad& source, const PadSetting& setting) {
    for (const MediaLink& link : graph.links()) {
        const MediaEntity& to = graph.entity(link.sink.entity);
        if (!link.enabled() || link.source != source || !to.is_subdevice()) continue;
        if (to.node == NodeNumber{}) continue;
        const Subdevice device(graph.calls(), to);
        std::ignore = device.set_format(link.sink.index, setting.format);
        if (setting.interval) std::ignore = device.set_interval(link.sink.index, *setting.interval);
    }
}

void set_pad(const MediaGraph& graph, const MediaPad& pad, const PadSetting& setting) {
    PadSetup(graph, pad).set(setting);
    hand_on(graph, pad, setting);
}

}  // namespace

void apply(MediaGraph& graph, const MediaSettings& settings) {
    std::vector<LinkChange> changes;
    std::vector<MediaPad> pads;
    for (const LinkSetting& link : settings.links) changes.push_back(find_change(graph, link));
    for (const PadSetting& pad : settings.pads) pads.push_back(graph.pad(pad.pad));

    for (const LinkChange& change : changes) change_link(graph, change);
    for (size_t i = 0; i < pads.size(); ++i) set_pad(graph, pads[i], settings.pads[i]);
}

}  // namespace glint::zero_copy
