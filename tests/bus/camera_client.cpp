#include "tests/bus/camera_client.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace glint::test {
namespace {

std::map<std::string, std::vector<uint32_t>> read_channels(const Message& message) {
    std::map<std::string, std::vector<uint32_t>> channels;
    message.enter(SD_BUS_TYPE_ARRAY, "(sau)");
    while (message.enter(SD_BUS_TYPE_STRUCT, "sau")) {
        const char* name = nullptr;
        message.read("s", &name);
        const void* bins = nullptr;
        size_t bytes = 0;
        check(sd_bus_message_read_array(message.get(), 'u', &bins, &bytes), "bins");
        const auto* first = static_cast<const uint32_t*>(bins);
        channels[name].assign(first, first + bytes / sizeof(uint32_t));
        message.exit();
    }
    message.exit();
    return channels;
}

}  // namespace

HistogramReply parse_histogram_reply(const Message& reply) {
    HistogramReply result;
    reply.read("ttuuu", &result.sequence, &result.timestamp_nsec, &result.generation,
               &result.bit_depth, &result.bin_width);
    result.channels = read_channels(reply);
    return result;
}

HistogramReply parse_histogram_signal(const Message& signal) {
    HistogramReply result;
    const char* region = nullptr;
    signal.read("ttusuu", &result.sequence, &result.timestamp_nsec, &result.generation, &region,
                &result.bit_depth, &result.bin_width);
    result.region = region;
    result.channels = read_channels(signal);
    return result;
}

MeasuredSignal parse_measured(const Message& signal) {
    MeasuredSignal result;
    const char* line = nullptr;
    signal.read("tttustii", &result.sequence, &result.timestamp_nsec, &result.processing_usec,
                &result.generation, &line, &result.trigger_sequence, &result.exposure_usec,
                &result.gain_raw);
    result.trigger_line = line;
    signal.enter(SD_BUS_TYPE_ARRAY, "(ssdddd)");
    const char* region = nullptr;
    const char* channel = nullptr;
    RegionLine entry;
    while (signal.read("(ssdddd)", &region, &channel, &entry.mean, &entry.stddev,
                       &entry.clipped_low, &entry.clipped_high)) {
        entry.region = region;
        entry.channel = channel;
        result.regions.push_back(entry);
    }
    signal.exit();
    return result;
}

FrameReply parse_frame(const Message& reply) {
    FrameReply result;
    int fd = -1;
    const char* text = nullptr;
    reply.read("hsuu", &fd, &text, &result.width, &result.height);
    result.fourcc = text;
    // The message closes its own; this one shares the file and its position, as across the bus.
    result.memory = Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    reply.enter(SD_BUS_TYPE_ARRAY, "(tu)");
    std::pair<uint64_t, uint32_t> plane;
    while (reply.read("(tu)", &plane.first, &plane.second)) result.planes.push_back(plane);
    reply.exit();
    reply.read("stt", &text, &result.sequence, &result.timestamp_nsec);
    result.range = text;
    return result;
}

StreamReply parse_stream(const Message& reply) {
    int memory = -1;
    int event = -1;
    StreamReply result;
    reply.read("hhu", &memory, &event, &result.layout_version);
    result.memory = Fd(::fcntl(memory, F_DUPFD_CLOEXEC, 0));
    result.event = Fd(::fcntl(event, F_DUPFD_CLOEXEC, 0));
    return result;
}

std::vector<uint8_t> FrameReply::bytes() const {
    struct stat status {};
    if (::fstat(memory.get(), &status) != 0)
        throw std::system_error(errno, std::generic_category());
    std::vector<uint8_t> result(static_cast<size_t>(status.st_size));
    const ssize_t got = ::pread(memory.get(), result.data(), result.size(), 0);
    if (got != status.st_size) throw std::system_error(errno, std::generic_category(), "pread");
    return result;
}

HistogramReply CameraClient::histogram(const std::string& region) const {
    return parse_histogram_reply(
        client_.call(path_, camera_interface, "GetHistogram", "s", region.c_str()));
}

StatisticsReply CameraClient::statistics(const std::string& region) const {
    const Message reply =
        client_.call(path_, camera_interface, "GetStatistics", "s", region.c_str());
    StatisticsReply result;
    reply.read("ttu", &result.sequence, &result.timestamp_nsec, &result.generation);
    reply.enter(SD_BUS_TYPE_ARRAY, "(sa{sd})");
    while (reply.enter(SD_BUS_TYPE_STRUCT, "sa{sd}")) {
        const char* name = nullptr;
        reply.read("s", &name);
        auto& values = result.channels[name];
        reply.enter(SD_BUS_TYPE_ARRAY, "{sd}");
        double value = 0;
        while (reply.read("{sd}", &name, &value)) values[name] = value;
        reply.exit();
        reply.exit();
    }
    reply.exit();
    return result;
}

FrameReply CameraClient::frame(const std::string& stage) const {
    return parse_frame(client_.call(path_, camera_interface, "GetFrame", "s", stage.c_str()));
}

StreamReply CameraClient::open_stream(const std::string& what) const {
    return parse_stream(client_.call(path_, camera_interface, "OpenStream", "s", what.c_str()));
}

uint32_t CameraClient::set_regions(const std::vector<RegionSpec>& regions) const {
    const Message call = new_call("SetRegions");
    check(sd_bus_message_open_container(call.get(), SD_BUS_TYPE_ARRAY, "(siiuu)"), "regions");
    for (const RegionSpec& region : regions) {
        call.append("(siiuu)", region.name.c_str(), region.x, region.y, region.width,
                    region.height);
    }
    check(sd_bus_message_close_container(call.get()), "regions");
    uint32_t generation = 0;
    client_.send(call).read("u", &generation);
    return generation;
}

uint32_t CameraClient::set_filter(const std::string& name, uint32_t width, uint32_t height,
                                  const std::vector<int16_t>& coefficients, uint32_t shift) const {
    const Message call = new_call("SetFilter");
    call.append("suu", name.c_str(), width, height);
    check(sd_bus_message_append_array(call.get(), 'n', coefficients.data(),
                                      coefficients.size() * sizeof(int16_t)),
          "coefficients");
    call.append("u", shift);
    uint32_t generation = 0;
    client_.send(call).read("u", &generation);
    return generation;
}

uint32_t CameraClient::set_filter_float(const std::string& name, uint32_t width, uint32_t height,
                                        const std::vector<double>& coefficients) const {
    const Message call = new_call("SetFilterFloat");
    call.append("suu", name.c_str(), width, height);
    check(sd_bus_message_append_array(call.get(), 'd', coefficients.data(),
                                      coefficients.size() * sizeof(double)),
          "coefficients");
    uint32_t generation = 0;
    client_.send(call).read("u", &generation);
    return generation;
}

uint32_t CameraClient::set_bins(uint32_t bins) const {
    uint32_t generation = 0;
    client_.call(path_, camera_interface, "SetBins", "u", bins).read("u", &generation);
    return generation;
}

uint32_t CameraClient::set_mask(const std::vector<uint8_t>& bytes) const {
    const Fd memory(::memfd_create("mask", MFD_CLOEXEC));
    if (::write(memory.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
        throw std::system_error(errno, std::generic_category(), "writing the mask");
    }
    uint32_t generation = 0;
    client_.call(path_, camera_interface, "SetMask", "h", memory.get()).read("u", &generation);
    return generation;
}

uint32_t CameraClient::set_metering_grid(uint32_t columns, uint32_t rows,
                                         const std::vector<uint8_t>& weights) const {
    const Message call = new_call("SetMeteringGrid");
    call.append("uu", columns, rows);
    check(sd_bus_message_append_array(call.get(), 'y', weights.data(), weights.size()), "weights");
    uint32_t generation = 0;
    client_.send(call).read("u", &generation);
    return generation;
}

void CameraClient::set_publish_interval(uint64_t usec) const {
    client_.call(path_, properties_interface, "Set", "ssv", camera_interface, "PublishIntervalUSec",
                 "t", usec);
}

void CameraClient::set_published_histograms(const std::vector<std::string>& names) const {
    const Message call = client_.new_call(path_, properties_interface, "Set");
    call.append("ss", camera_interface, "PublishedHistograms");
    check(sd_bus_message_open_container(call.get(), SD_BUS_TYPE_VARIANT, "as"), "names");
    check(sd_bus_message_open_container(call.get(), SD_BUS_TYPE_ARRAY, "s"), "names");
    for (const std::string& name : names) call.append("s", name.c_str());
    check(sd_bus_message_close_container(call.get()), "names");
    check(sd_bus_message_close_container(call.get()), "names");
    client_.send(call);
}

uint64_t CameraClient::counter(const char* property) const {
    uint64_t value = 0;
    client_.get(path_, camera_interface, property, "t").read("t", &value);
    return value;
}

uint32_t CameraClient::number(const char* property) const {
    uint32_t value = 0;
    client_.get(path_, camera_interface, property, "u").read("u", &value);
    return value;
}

std::map<std::string, uint64_t> CameraClient::counters() const {
    const Message reply =
        client_.call(path_, properties_interface, "GetAll", "s", camera_interface);
    std::map<std::string, uint64_t> result;
    reply.enter(SD_BUS_TYPE_ARRAY, "{sv}");
    while (reply.enter(SD_BUS_TYPE_DICT_ENTRY, "sv")) {
        const char* name = nullptr;
        reply.read("s", &name);
        char type = 0;
        const char* contents = nullptr;
        check(sd_bus_message_peek_type(reply.get(), &type, &contents), "GetAll");
        if (contents == std::string_view("t")) {
            reply.read("v", "t", &result[name]);
        } else {
            check(sd_bus_message_skip(reply.get(), "v"), "GetAll");
        }
        reply.exit();
    }
    reply.exit();
    return result;
}

std::vector<VariantLine> CameraClient::variants() const {
    const Message reply = client_.get(path_, camera_interface, "Variants", "a(sssss)");
    std::vector<VariantLine> result;
    reply.enter(SD_BUS_TYPE_ARRAY, "(sssss)");
    std::array<const char*, 5> part{};
    while (reply.read("(sssss)", &part[0], &part[1], &part[2], &part[3], &part[4])) {
        result.push_back({part[0], part[1], part[2], part[3], part[4]});
    }
    return result;
}

VariantLine CameraClient::variant_of(const std::string& op) const {
    for (const VariantLine& line : variants()) {
        if (line.op == op) return line;
    }
    return {};
}

std::string CameraClient::histogram_set() const {
    return variant_of("histogram").set;
}

void CameraClient::wait_for_state(const std::string& state, milliseconds at_most) const {
    client_.wait_until(("camera does not become " + state).c_str(),
                       [&] { return text("State") == state; }, at_most);
}

void CameraClient::wait_for_gpu(milliseconds at_most) const {
    client_.wait_until(
        "no GPU variant takes over",
        [&] {
            const std::string set = histogram_set();
            return (set == "ep" || set == "fp") && text("State") == "streaming";
        },
        at_most);
    const uint64_t before = counter("FramesProcessed");
    client_.wait_until("the GPU measures nothing",
                       [&] { return counter("FramesProcessed") > before; });
}

HistogramReply CameraClient::wait_for_result(uint32_t generation, milliseconds at_most) const {
    HistogramReply result;
    client_.wait_until(
        "no result of the wanted generation",
        [&] {
            try {
                result = histogram();
                return result.generation >= generation;
            } catch (const BusError& error) {
                if (error.name() != "org.glintd1.Error.NotStreaming") throw;
                return false;
            }
        },
        at_most);
    return result;
}

}  // namespace glint::test
