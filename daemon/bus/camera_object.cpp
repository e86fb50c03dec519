#include "daemon/bus/camera_object.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "daemon/bus/camera_vtable.hpp"
#include "daemon/gpu/filters.hpp"
#include "daemon/names.hpp"

namespace glint::bus {
namespace {

using zero_copy::UniqueFd;

std::vector<Region> read_regions(sd_bus_message* call) {
    std::vector<Region> regions;
    check_errno(sd_bus_message_enter_container(call, SD_BUS_TYPE_ARRAY, "(siiuu)"), "regions");
    const char* name = nullptr;
    int32_t x = 0;
    int32_t y = 0;
    Region region;
    while (check_errno(
               sd_bus_message_read(call, "(siiuu)", &name, &x, &y, &region.width, &region.height),
               "regions") > 0) {
        if (regions.size() == max_regions) {
            throw Failure(SD_BUS_ERROR_LIMITS_EXCEEDED,
                          fmt::format("more than {} regions", max_regions));
        }
        if (x < 0 || y < 0) {
            throw Failure(
                names::error::region_invalid,
                fmt::format("region {} starts at ({}, {}), outside the frame", name, x, y));
        }
        region.name = name;
        region.x = static_cast<uint32_t>(x);
        region.y = static_cast<uint32_t>(y);
        regions.push_back(region);
    }
    check_errno(sd_bus_message_exit_container(call), "regions");
    return regions;
}

template <typename Coefficient>
std::span<const Coefficient> read_coefficients(sd_bus_message* call, char type) {
    const void* coefficients = nullptr;
    size_t bytes = 0;
    check_errno(sd_bus_message_read_array(call, type, &coefficients, &bytes), "coefficients");
    return {static_cast<const Coefficient*>(coefficients), bytes / sizeof(Coefficient)};
}

/// Calls a function that makes a filter.
template <typename Make>
gpu::AnyFilter made_by(const Make& make) {
    try {
        return make();
    } catch (const gpu::FilterError& error) {
        throw Failure(names::error::filter_invalid, error.what());
    }
}

std::optional<gpu::AnyFilter> read_filter(sd_bus_message* call) {
    const std::string name = read_text(call);
    uint32_t width = 0;
    uint32_t height = 0;
    uint32_t shift = 0;
    read(call, "uu", &width, &height);
    const auto values = read_coefficients<int16_t>(call, 'n');
    read(call, "u", &shift);
    if (name == "custom") {
        return made_by([&] { return gpu::make_filter(width, height, values, shift); });
    }
    const auto filter = gpu::named_filter(name);
    if (!filter && name != "none") {
        throw Failure(names::error::filter_invalid,
                      fmt::format("no filter is called \"{}\"; there are {}, none and custom", name,
                                  gpu::filter_names));
    }
    if (width != 0 || height != 0 || shift != 0 || !values.empty()) {
        throw Failure(names::error::filter_invalid,
                      fmt::format("filter \"{}\" takes width, height and shift 0 and no "
                                  "coefficients; \"custom\" takes them",
                                  name));
    }
    return filter;
}

gpu::AnyFilter read_float_filter(sd_bus_message* call) {
    const std::string name = read_text(call);
    uint32_t width = 0;
    uint32_t height = 0;
    read(call, "uu", &width, &height);
    const auto values = read_coefficients<double>(call, 'd');
    if (name != "custom") {
        throw Failure(names::error::filter_invalid,
                      fmt::format("filter \"{}\"; coefficients of floats are those of \"custom\", "
                                  "every other filter is for SetFilter",
                                  name));
    }
    return made_by([&] { return gpu::make_float_filter(width, height, values); });
}

/// Answers Start and Stop once the camera has settled.
Camera::Settled reply_when_settled(sd_bus_message* call) {
    return [call = Message::share(call)](const std::optional<Failure>& failure) {
        if (failure) return reply_error(call, *failure);
        sd_bus_reply_method_return(call.get(), "");
    };
}

}  // namespace

CameraObject::CameraObject(const Connection& connection, Camera& camera)
    : connection_(connection),
      camera_(camera),
      path_(fmt::format("{}/{}", names::camera_path_prefix, camera.config().name)),
      publisher_(connection, path_, uint64_t{camera.config().publish_interval_ms} * 1000,
                 camera.config().publish_histograms),
      slot_(connection.export_object(path_, names::camera_interface, camera_vtable(), this)) {
    camera_.listen({.measured = [this](const Measurement& measurement) { measured(measurement); },
                    .changed = [this] { changed(); },
                    .failed =
                        [this](const Failure& failure) {
                            sd_bus_emit_signal(connection_.get(), path_.c_str(),
                                               names::camera_interface, "Failed", "ss",
                                               failure.name(), failure.what());
                        }});
    connection_.announce(path_);
}

CameraObject::~CameraObject() {
    camera_.listen({});
    connection_.withdraw(path_);
}

void CameraObject::measured(const Measurement& measurement) {
    if (publisher_.publish(measurement)) return;
    ++camera_.counters().merged;
    if (!measurement.trigger) return;
    --camera_.counters().triggers_answered;
    ++camera_.counters().triggers_missed;
}

void CameraObject::changed() const {
    sd_bus_emit_properties_changed(connection_.get(), path_.c_str(), names::camera_interface,
                                   "State", "PixelFormat", "Range", "Transport", "TransportLadder",
                                   "ZeroCopy", "TimestampSource", "TriggerBasis", "Width", "Height",
                                   "StrideBytes", "FramePeriodUSec", "Bins", "Generation",
                                   "Regions", "Variants", "FramesLostEstimated", nullptr);
}

void CameraObject::property_changed(const char* name) const {
    sd_bus_emit_properties_changed(connection_.get(), path_.c_str(), names::camera_interface, name,
                                   nullptr);
}

void CameraObject::get_ladder(sd_bus_message* reply) const {
    const Container list(reply, SD_BUS_TYPE_ARRAY, "(ss)");
    for (const auto& [rung, reason] : camera_.info().ladder) {
        append(reply, "(ss)", rung.c_str(), reason.c_str());
    }
}

void CameraObject::get_regions(sd_bus_message* reply) const {
    const Container list(reply, SD_BUS_TYPE_ARRAY, "(siiuu)");
    for (const Region& region : camera_.regions()) {
        append(reply, "(siiuu)", region.name.c_str(), static_cast<int32_t>(region.x),
               static_cast<int32_t>(region.y), region.width, region.height);
    }
}

void CameraObject::get_variants(sd_bus_message* reply) const {
    const Container list(reply, SD_BUS_TYPE_ARRAY, "(sssss)");
    for (const VariantInForce& entry : camera_.variants()) {
        append(reply, "(sssss)", entry.op.c_str(), entry.variant.c_str(), entry.set.c_str(),
               entry.source.c_str(), entry.reason.c_str());
    }
}

void CameraObject::get_publish_interval(sd_bus_message* reply) const {
    append(reply, "t", publisher_.interval_usec());
}

void CameraObject::set_publish_interval(sd_bus_message* value) {
    uint64_t usec = 0;
    read(value, "t", &usec);
    constexpr uint64_t most = uint64_t{max_publish_interval_ms} * 1000;
    if (usec > most) {
        throw Failure(SD_BUS_ERROR_INVALID_ARGS,
                      fmt::format("PublishIntervalUSec {}; allowed is 0 to {}", usec, most));
    }
    if (usec == publisher_.interval_usec()) return;
    publisher_.set_interval_usec(usec);
    property_changed("PublishIntervalUSec");
}

void CameraObject::get_published_histograms(sd_bus_message* reply) const {
    const Container list(reply, SD_BUS_TYPE_ARRAY, "s");
    for (const std::string& name : publisher_.histograms()) append(reply, "s", name.c_str());
}

bool CameraObject::knows_region(std::string_view name) const {
    const std::vector<Region>& regions = camera_.regions();
    return name == names::whole_frame_region ||
           (name == names::metering_region && camera_.wishes().metering) ||
           std::ranges::find(regions, name, &Region::name) != regions.end();
}

void CameraObject::publish_histograms(std::vector<std::string> names) {
    if (names == publisher_.histograms()) return;
    publisher_.set_histograms(std::move(names));
    property_changed("PublishedHistograms");
}

void CameraObject::set_published_histograms(sd_bus_message* value) {
    std::vector<std::string> names;
    check_errno(sd_bus_message_enter_container(value, SD_BUS_TYPE_ARRAY, "s"), "regions");
    const char* name = nullptr;
    while (check_errno(sd_bus_message_read(value, "s", &name), "regions") > 0) {
        if (names.size() == max_published_histograms) {
            throw Failure(SD_BUS_ERROR_LIMITS_EXCEEDED,
                          fmt::format("more than {} regions", max_published_histograms));
        }
        if (!knows_region(name)) {
            throw Failure(names::error::region_invalid,
                          fmt::format("no region is called \"{}\"", name));
        }
        names.emplace_back(name);
    }
    check_errno(sd_bus_message_exit_container(value), "regions");
    publish_histograms(std::move(names));
}

void CameraObject::start(sd_bus_message* call) {
    camera_.start(reply_when_settled(call));
}

void CameraObject::stop(sd_bus_message* call) {
    camera_.stop(reply_when_settled(call));
}

/// Regions that are gone are not published any more.
void CameraObject::forget_unknown_regions() {
    std::vector<std::string> published = publisher_.histograms();
    std::erase_if(published, [&](const std::string& name) { return !knows_region(name); });
    publish_histograms(std::move(published));
}

void CameraObject::set_bins(sd_bus_message* call) {
    uint32_t bins = 0;
    read(call, "u", &bins);
    const uint32_t generation = camera_.set_bins(bins);
    check_errno(sd_bus_reply_method_return(call, "u", generation), "cannot reply");
}

void CameraObject::set_mask(sd_bus_message* call) {
    int fd = -1;
    read(call, "h", &fd);
    UniqueFd own(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (!own.valid()) throw std::system_error(errno, std::generic_category(), "the mask");
    camera_.set_mask(std::move(own), [call = Message::share(call)](Outcome<uint32_t> outcome) {
        try {
            sd_bus_reply_method_return(call.get(), "u", outcome.get());
        } catch (...) {
            reply_error(call);
        }
    });
}

void CameraObject::set_metering_grid(sd_bus_message* call) {
    MeteringGrid grid;
    read(call, "uu", &grid.columns, &grid.rows);
    const void* weights = nullptr;
    size_t count = 0;
    check_errno(sd_bus_message_read_array(call, 'y', &weights, &count), "weights");
    const std::span values(static_cast<const uint8_t*>(weights), count);
    grid.weights.assign(values.begin(), values.end());
    const bool off = grid == MeteringGrid{};
    const uint32_t generation =
        camera_.set_metering(off ? std::nullopt : std::optional(std::move(grid)));
    forget_unknown_regions();
    check_errno(sd_bus_reply_method_return(call, "u", generation), "cannot reply");
}

void CameraObject::set_regions(sd_bus_message* call) {
    const uint32_t generation = camera_.set_regions(read_regions(call));
    forget_unknown_regions();
    check_errno(sd_bus_reply_method_return(call, "u", generation), "cannot reply");
}

void CameraObject::set_filter(sd_bus_message* call) {
    const uint32_t generation = camera_.set_filter(read_filter(call));
    check_errno(sd_bus_reply_method_return(call, "u", generation), "cannot reply");
}

void CameraObject::set_filter_float(sd_bus_message* call) {
    const uint32_t generation = camera_.set_filter(read_float_filter(call));
    check_errno(sd_bus_reply_method_return(call, "u", generation), "cannot reply");
}

}  // namespace glint::bus
