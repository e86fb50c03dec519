#include "zero_copy/media_check.hpp"

#include <fmt/format.h>
#include <linux/media.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <optional>
#include <set>

#include "zero_copy/source.hpp"

namespace glint::zero_copy {
namespace {

std::string fourcc_text(uint32_t fourcc) {
    std::string text;
    for (const uint32_t shift : {0U, 8U, 16U, 24U}) {
        const char c = static_cast<char>(fourcc >> shift & 0x7f);
        text += c >= 0x20 && c < 0x7f ? c : '?';
    }
    return text;
}

/// What was found on the way up to the sensors.
struct Branch {
    bool fed = false;  ///< there is a sensor at its end
    std::string problem;
};

class Examination {
  public:
    Examination(const MediaGraph& graph, std::string node, const NodeFormat& format)
        : graph_(graph), node_(std::move(node)), node_format_(format) {}

    /// The branch to examine is one that a sensor feeds: which of an entity's sink pads goes to
    /// which of its source pads is not known.
    Branch above(const MediaEntity& entity) {
        if (!visited_.insert(entity.id).second) return {};
        if (is_origin(entity)) return {.fed = entity.is_subdevice(), .problem = {}};
        Branch best;
        bool any = false;
        for (const MediaLink& link : graph_.links()) {
            if (link.sink.entity != entity.id || !link.enabled()) continue;
            any = true;
            Branch branch = above(graph_.entity(link.source.entity));
            if (branch.problem.empty()) branch.problem = difference(link);
            if (rank(branch) > rank(best)) best = std::move(branch);
        }
        return any ? best : Branch{.fed = false, .problem = nothing_linked(entity)};
    }

  private:
    static int rank(const Branch& branch) {
        return (branch.fed ? 2 : 0) + (branch.problem.empty() ? 0 : 1);
    }
    /// Decoders have sink pads for the world outside, which nothing can be linked to.
    [[nodiscard]] bool is_origin(const MediaEntity& entity) const {
        bool has_sink = false;
        for (uint32_t pad = 0; pad < entity.pad_flags.size(); ++pad) {
            if (!entity.is_sink(pad)) continue;
            if ((entity.pad_flags[pad] & MEDIA_PAD_FL_MUST_CONNECT) != 0) return false;
            has_sink = true;
        }
        const bool can_be_linked = std::ranges::any_of(
            graph_.links(), [&](const MediaLink& link) { return link.sink.entity == entity.id; });
        return !has_sink || (!can_be_linked && entity.is_subdevice());
    }

    [[nodiscard]] std::optional<BusFormat> format_of(const MediaPad& pad) const {
        const MediaEntity& entity = graph_.entity(pad.entity);
        if (!entity.is_subdevice() || entity.node == NodeNumber{}) return std::nullopt;
        BusFormat format;
        const int error = Subdevice(graph_.calls(), entity).get_format(pad.index, format);
        return error == 0 ? std::optional(format) : std::nullopt;
    }

    [[nodiscard]] std::string difference(const MediaLink& link) const {
        const std::optional<BusFormat> source = format_of(link.source);
        if (!source) return {};
        const MediaEntity& sink_entity = graph_.entity(link.sink.entity);
        if (!sink_entity.is_subdevice()) return difference_of_node(link, *source);
        const std::optional<BusFormat> sink = format_of(link.sink);
        if (!sink || fits(*source, *sink)) return {};
        return fmt::format("{} gives {}, but {} takes {}; {}", graph_.text_of(link.source),
                           text_of(*source), graph_.text_of(link.sink), text_of(*sink),
                           mend(link, *source, *sink));
    }
    [[nodiscard]] std::string mend(const MediaLink& link, const BusFormat& source,
                                   const BusFormat& sink) const {
        if (takes(link.sink, source)) return "set the latter: " + command(link.sink, source);
        if (takes(link.source, sink)) return "set the former: " + command(link.source, sink);
        return "neither takes the other's format: choose one that both take (v4l2-ctl "
               "--list-subdev-mbus-codes lists a pad's)";
    }
    [[nodiscard]] bool takes(const MediaPad& pad, const BusFormat& format) const {
        BusFormat tried = format;
        const Subdevice device(graph_.calls(), graph_.entity(pad.entity));
        return device.try_format(pad.index, tried) == 0 && fits(format, tried);
    }
    [[nodiscard]] std::string command(const MediaPad& pad, const BusFormat& format) const {
        return fmt::format("media-ctl -d {} -V '{} [{}]'", graph_.path(), graph_.text_of(pad),
                           text_of(format));
    }
    /// As the kernel compares: a sink pad without fields takes what comes.
    static bool fits(const BusFormat& source, const BusFormat& sink) {
        return source.code == sink.code && source.width == sink.width &&
               source.height == sink.height &&
               (source.field == sink.field || sink.field == V4L2_FIELD_NONE);
    }
    [[nodiscard]] std::string difference_of_node(const MediaLink& link,
                                                 const BusFormat& source) const {
        if (source.width == node_format_.width && source.height == node_format_.height) return {};
        return fmt::format(
            "{} gives {}, but {} is set to {} {}x{}; ask the camera for {}x{}, or "
            "set the pads to {}x{}",
            graph_.text_of(link.source), text_of(source), node_, fourcc_text(node_format_.fourcc),
            node_format_.width, node_format_.height, source.width, source.height,
            node_format_.width, node_format_.height);
    }

    [[nodiscard]] std::string nothing_linked(const MediaEntity& entity) const {
        std::string commands;
        for (const MediaLink& link : graph_.links()) {
            if (link.sink.entity != entity.id) continue;
            commands +=
                fmt::format("{}media-ctl -d {} -l '{} -> {} [1]'", commands.empty() ? "" : " or ",
                            graph_.path(), graph_.text_of(link.source), graph_.text_of(link.sink));
        }
        if (commands.empty()) {
            return fmt::format(
                "nothing can be linked to \"{}\": the sensor's driver has not "
                "joined {} (see dmesg)",
                entity.name, graph_.path());
        }
        return fmt::format("no enabled link leads to \"{}\"; enable one: {}", entity.name,
                           commands);
    }

    const MediaGraph& graph_;
    std::string node_;
    NodeFormat node_format_;
    std::set<uint32_t> visited_;
};

}  // namespace

std::string disagreement(const MediaGraph& graph, const std::string& node,
                         const NodeFormat& format) {
    const MediaEntity* entity = graph.find_node(node);
    if (entity == nullptr) return fmt::format("{} is no part of {}", node, graph.path());
    try {
        return Examination(graph, node, format).above(*entity).problem;
    } catch (const SourceError& error) {
        return error.what();
    }
}

}  // namespace glint::zero_copy
