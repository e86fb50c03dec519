#include "tools/ctl/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tools/ctl/text.hpp"

namespace glint::ctl {
namespace {

// Where a property goes.
template <class Target>
struct Property {
    std::string_view name;
    void (*read)(sd_bus_message*, Target&);
};

template <auto Member, class Target>
void into(sd_bus_message* message, Target& target) {
    wire::read_variant(message, target.*Member);
}

constexpr Property<Service> service_properties[] = {
    {"Version", into<&Service::version, Service>},
    {"GpuName", into<&Service::gpu_name, Service>},
    {"GpuDriver", into<&Service::gpu_driver, Service>},
    {"GpuProfile", into<&Service::gpu_profile, Service>},
    {"Degraded", into<&Service::degraded, Service>},
    {"DegradedReason", into<&Service::degraded_reason, Service>},
    {"RefusedVariants", into<&Service::refused, Service>},
    {"GpuBusyUSec", into<&Service::gpu_busy_usec, Service>},
};

constexpr Property<CameraInfo> camera_properties[] = {
    {"Source", into<&CameraInfo::source, CameraInfo>},
    {"State", into<&CameraInfo::state, CameraInfo>},
    {"PixelFormat", into<&CameraInfo::pixel_format, CameraInfo>},
    {"Range", into<&CameraInfo::range, CameraInfo>},
    {"Transport", into<&CameraInfo::transport, CameraInfo>},
    {"TransportLadder", into<&CameraInfo::ladder, CameraInfo>},
    {"ZeroCopy", into<&CameraInfo::zero_copy, CameraInfo>},
    {"TimestampSource", into<&CameraInfo::timestamp_source, CameraInfo>},
    {"Width", into<&CameraInfo::width, CameraInfo>},
    {"Height", into<&CameraInfo::height, CameraInfo>},
    {"StrideBytes", into<&CameraInfo::stride_bytes, CameraInfo>},
    {"FramePeriodUSec", into<&CameraInfo::frame_period_usec, CameraInfo>},
    {"Bins", into<&CameraInfo::bins, CameraInfo>},
    {"Generation", into<&CameraInfo::generation, CameraInfo>},
    {"Regions", into<&CameraInfo::regions, CameraInfo>},
    {"Variants", into<&CameraInfo::variants, CameraInfo>},
    {"FramesCaptured", into<&CameraInfo::captured, CameraInfo>},
    {"FramesProcessed", into<&CameraInfo::processed, CameraInfo>},
    {"FramesDropped", into<&CameraInfo::dropped, CameraInfo>},
    {"FramesLost", into<&CameraInfo::lost, CameraInfo>},
    {"FramesLostEstimated", into<&CameraInfo::lost_estimated, CameraInfo>},
    {"FramesCorrupt", into<&CameraInfo::corrupt, CameraInfo>},
    {"FramesMerged", into<&CameraInfo::merged, CameraInfo>},
    {"TriggersAnswered", into<&CameraInfo::triggers_answered, CameraInfo>},
    {"TriggersMissed", into<&CameraInfo::triggers_missed, CameraInfo>},
    {"ResultsRejected", into<&CameraInfo::rejected, CameraInfo>},
    {"BytesCopied", into<&CameraInfo::bytes_copied, CameraInfo>},
    {"BytesExported", into<&CameraInfo::bytes_exported, CameraInfo>},
};

constexpr Property<LineInfo> line_properties[] = {
    {"Role", into<&LineInfo::role, LineInfo>},
    {"Problem", into<&LineInfo::problem, LineInfo>},
    {"Active", into<&LineInfo::active, LineInfo>},
    {"Edges", into<&LineInfo::edges, LineInfo>},
    {"EdgesMissed", into<&LineInfo::missed, LineInfo>},
    {"EdgesMissedExact", into<&LineInfo::missed_exact, LineInfo>},
};

constexpr Property<AlarmInfo> alarm_properties[] = {
    {"Camera", into<&AlarmInfo::camera, AlarmInfo>},
    {"Region", into<&AlarmInfo::region, AlarmInfo>},
    {"Statistic", into<&AlarmInfo::statistic, AlarmInfo>},
    {"Kind", into<&AlarmInfo::kind, AlarmInfo>},
    {"Lines", into<&AlarmInfo::lines, AlarmInfo>},
    {"State", into<&AlarmInfo::state, AlarmInfo>},
    {"SinceNSec", into<&AlarmInfo::since_nsec, AlarmInfo>},
    {"Value", into<&AlarmInfo::value, AlarmInfo>},
    {"Threshold", into<&AlarmInfo::threshold, AlarmInfo>},
    {"UpperThreshold", into<&AlarmInfo::upper, AlarmInfo>},
};

// Reads a{sv}. A property that a newer service has more is passed over.
template <class Target, std::size_t N>
void read_properties(sd_bus_message* message, const Property<Target> (&table)[N], Target& out) {
    wire::enter(message, 'a', "{sv}");
    while (!wire::at_end(message)) {
        wire::enter(message, 'e', "sv");
        std::string name;
        wire::read(message, name);
        const auto* property =
            std::ranges::find(std::begin(table), std::end(table), name, &Property<Target>::name);
        if (property != std::end(table))
            property->read(message, out);
        else
            wire::expect(sd_bus_message_skip(message, "v"));
        wire::leave(message);
    }
    wire::leave(message);
}

// Reads the interfaces of one object, a{sa{sv}}; true if it has that one.
template <class Target, std::size_t N>
bool read_object(sd_bus_message* message, std::string_view wanted,
                 const Property<Target> (&table)[N], Target& out) {
    bool found = false;
    wire::enter(message, 'a', "{sa{sv}}");
    while (!wire::at_end(message)) {
        wire::enter(message, 'e', "sa{sv}");
        std::string interface;
        wire::read(message, interface);
        if (interface == wanted) {
            read_properties(message, table, out);
            found = true;
        } else {
            wire::expect(sd_bus_message_skip(message, "a{sv}"));
        }
        wire::leave(message);
    }
    wire::leave(message);
    return found;
}

// Every object below the path that has the interface, by name.
template <class Target, std::size_t N>
std::vector<Target> read_objects(Bus& bus, const char* path_prefix, const char* interface,
                                 const Property<Target> (&table)[N]) {
    const Message reply =
        bus.call(names::root_path, names::object_manager_interface, "GetManagedObjects");
    const std::string prefix = fmt::format("{}/", path_prefix);
    std::vector<Target> all;
    wire::enter(reply.get(), 'a', "{oa{sa{sv}}}");
    while (!wire::at_end(reply.get())) {
        wire::enter(reply.get(), 'e', "oa{sa{sv}}");
        const char* path = nullptr;
        wire::expect(sd_bus_message_read_basic(reply.get(), 'o', &path));
        Target one;
        const bool placed = std::string_view(path).starts_with(prefix);
        if (placed) one.name = path + prefix.size();
        if (read_object(reply.get(), interface, table, one) && placed)
            all.push_back(std::move(one));
        wire::leave(reply.get());
    }
    std::ranges::sort(all, {}, &Target::name);
    return all;
}

std::string names_of(const std::vector<CameraInfo>& cameras) {
    std::string list;
    for (const CameraInfo& camera : cameras) list += (list.empty() ? "" : ", ") + camera.name;
    return list;
}

std::string no_such_camera(Bus& bus, const std::string& name) {
    const std::vector<CameraInfo> cameras = read_cameras(bus);
    if (cameras.empty())
        return fmt::format(
            "no camera '{}': none is configured; add [camera.{}] to /etc/glintd/glintd.toml", name,
            is_name(name) ? name : "NAME");
    return fmt::format("no camera '{}': there is {}", name, names_of(cameras));
}

}  // namespace

Service read_service(Bus& bus) {
    const Message reply = bus.call(names::root_path, names::properties_interface, "GetAll",
                                   std::string(names::manager_interface));
    Service service;
    read_properties(reply.get(), service_properties, service);
    return service;
}

std::vector<CameraInfo> read_cameras(Bus& bus) {
    return read_objects(bus, names::camera_path_prefix, names::camera_interface, camera_properties);
}

std::vector<LineInfo> read_lines(Bus& bus) {
    return read_objects(bus, names::line_path_prefix, names::line_interface, line_properties);
}

std::vector<AlarmInfo> read_alarms(Bus& bus) {
    return read_objects(bus, names::alarm_path_prefix, names::alarm_interface, alarm_properties);
}

void require_region(const CameraInfo& camera, const std::string& region) {
    if (region == names::whole_frame_region || region == names::metering_region) return;
    std::string known = names::whole_frame_region;
    for (const Region& candidate : camera.regions) {
        if (candidate.name == region) return;
        known += ", " + candidate.name;
    }
    throw Failure(
        fmt::format("camera '{}' has no region '{}': it has {}", camera.name, region, known));
}

Camera::Camera(Bus& bus, std::string name)
    : bus_(bus),
      name_(std::move(name)),
      path_(fmt::format("{}/{}", names::camera_path_prefix, name_)) {
    if (!is_name(name_)) throw Failure(no_such_camera(bus_, name_));
}

CameraInfo Camera::info() const {
    try {
        const Message reply = bus_.call(path_, names::properties_interface, "GetAll",
                                        std::string(names::camera_interface));
        CameraInfo info;
        info.name = name_;
        read_properties(reply.get(), camera_properties, info);
        return info;
    } catch (const BusError& error) {
        explain(error);
    }
}

Histogram Camera::histogram(const std::string& region) const {
    const Message reply = call("GetHistogram", region);
    Histogram histogram;
    wire::read_fields(reply.get(), histogram);
    return histogram;
}

Statistics Camera::statistics(const std::string& region) const {
    const Message reply = call("GetStatistics", region);
    Statistics statistics;
    wire::read_fields(reply.get(), statistics);
    return statistics;
}

std::vector<Control> Camera::controls() const {
    const Message reply = call("Controls");
    std::vector<Control> controls;
    wire::read(reply.get(), controls);
    return controls;
}

void Camera::explain(const BusError& error) const {
    if (error.means_absent()) {
        const std::vector<CameraInfo> cameras = read_cameras(bus_);
        if (std::ranges::find(cameras, name_, &CameraInfo::name) == cameras.end())
            throw Failure(no_such_camera(bus_, name_));
    }
    std::string hint;
    if (error.name() == names::error::not_streaming)
        hint =
            fmt::format(": start it with 'glintctl start {}', or wait for its first frame", name_);
    if (error.name() == names::error::region_invalid)
        hint = fmt::format(": 'glintctl regions {}' prints the regions in force", name_);
    if (error.name() == names::error::filter_invalid)
        hint = ": 'glintctl filter --help' tells which filters there are";
    if (error.name() == names::error::control_invalid)
        hint = fmt::format(": 'glintctl controls {}' prints what there is", name_);
    const bool of_camera = error.name().starts_with(names::error_prefix);
    throw BusError(
        error.name(), error.text(),
        of_camera ? fmt::format("camera '{}': {}{}", name_, error.what(), hint) : error.what());
}

}  // namespace glint::ctl
