#include "zero_copy/media_sensor.hpp"

#include <fmt/format.h>
#include <linux/media.h>

#include <set>
#include <vector>

#include "zero_copy/source.hpp"

namespace glint::zero_copy {

std::optional<MediaGraph> graph_of(DeviceCalls& calls, const std::string& node) {
    constexpr int most_devices = 16;
    for (int number = 0; number < most_devices; ++number) {
        const std::string path = fmt::format("/dev/media{}", number);
        if (!calls.node_number(path)) continue;
        try {
            MediaGraph graph = MediaGraph::open(calls, path);
            if (graph.find_node(node) != nullptr) return graph;
        } catch (const SourceError&) {
            continue;  // another's device
        }
    }
    return std::nullopt;
}

const MediaEntity* sensor_behind(const MediaGraph& graph, const std::string& node) {
    const MediaEntity* const end = graph.find_node(node);
    if (end == nullptr) return nullptr;
    std::vector<const MediaEntity*> to_visit{end};
    std::set<uint32_t> seen{end->id};
    while (!to_visit.empty()) {
        const MediaEntity& entity = *to_visit.back();
        to_visit.pop_back();
        if (entity.type == MEDIA_ENT_F_CAM_SENSOR) return &entity;
        for (const MediaLink& link : graph.links()) {
            if (link.sink.entity == entity.id && link.enabled() &&
                seen.insert(link.source.entity).second) {
                to_visit.push_back(&graph.entity(link.source.entity));
            }
        }
    }
    return nullptr;
}

std::optional<BusFormat> arriving_at(const MediaGraph& graph, const std::string& node) {
    const MediaEntity* const end = graph.find_node(node);
    if (end == nullptr) return std::nullopt;
    for (const MediaLink& link : graph.links()) {
        if (link.sink.entity != end->id || !link.enabled()) continue;
        const MediaEntity& source = graph.entity(link.source.entity);
        if (!source.is_subdevice() || source.node == NodeNumber{}) continue;
        try {
            BusFormat format;
            if (Subdevice(graph.calls(), source).get_format(link.source.index, format) == 0) {
                return format;
            }
        } catch (const SourceError&) {
            continue;  // a node that cannot be opened
        }
    }
    return std::nullopt;
}

}  // namespace glint::zero_copy
