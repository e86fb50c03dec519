#include "daemon/bus/publisher.hpp"

#include <algorithm>

#include "daemon/bus/message.hpp"
#include "daemon/names.hpp"
#include "daemon/statistics.hpp"

namespace glint::bus {
namespace {

/// A listener that does not read fills the bus's queue and then ours; signals are worth less than
/// memory, so beyond this they are merged.
constexpr uint64_t most_queued_messages = 256;

Message new_signal(sd_bus* bus, const std::string& path, const char* member) {
    sd_bus_message* message = nullptr;
    check_errno(
        sd_bus_message_new_signal(bus, &message, path.c_str(), names::camera_interface, member),
        "cannot build a signal");
    return Message(message);
}

void send(sd_bus* bus, const Message& message) {
    check_errno(sd_bus_send(bus, message.get(), nullptr), "cannot send a signal");
}

}  // namespace

void append_channels(sd_bus_message* message, const Measurement& measurement, size_t region) {
    const Container list(message, SD_BUS_TYPE_ARRAY, "(sau)");
    const std::vector<std::string>& channels = measurement.plan->channels;
    for (size_t channel = 0; channel < channels.size(); ++channel) {
        const Container entry(message, SD_BUS_TYPE_STRUCT, "sau");
        append(message, "s", channels[channel].c_str());
        const auto bins = measurement.channel_bins(region, channel);
        check_errno(sd_bus_message_append_array(message, 'u', bins.data(), bins.size_bytes()),
                    "cannot build a message");
    }
}

Publisher::Publisher(const Connection& connection, std::string path, uint64_t interval_usec,
                     std::vector<std::string> histograms)
    : connection_(connection),
      path_(std::move(path)),
      interval_usec_(interval_usec),
      histograms_(std::move(histograms)) {}

/// Keeps the rate: the next instant follows from the last one due, not from the frame that met it.
bool Publisher::due(uint64_t now_usec) noexcept {
    constexpr uint64_t jitter_usec = 2000;
    if (now_usec + jitter_usec < next_usec_) return false;
    next_usec_ =
        std::max(next_usec_, now_usec - std::min(now_usec, interval_usec_)) + interval_usec_;
    return true;
}

bool Publisher::publish(const Measurement& measurement) {
    // A trigger is answered whenever it comes.
    if (!due(now_nsec() / 1000) && !measurement.trigger) return false;
    if (connection_.queued_messages() > most_queued_messages) return false;
    send_measured(measurement);
    for (const std::string& name : histograms_) {
        if (const auto region = measurement.plan->find_region(name)) {
            send_histogram(measurement, *region);
        }
    }
    return true;
}

void Publisher::send_measured(const Measurement& measurement) const {
    const Message signal = new_signal(connection_.get(), path_, "Measured");
    sd_bus_message* message = signal.get();
    append(message, "tttustii", measurement.sequence, measurement.timestamp_nsec,
           measurement.processing_usec, measurement.plan->generation,
           measurement.trigger ? measurement.trigger->line.c_str() : "",
           measurement.trigger ? measurement.trigger->sequence : 0, measurement.exposure_usec,
           measurement.gain_raw);
    {
        const Container list(message, SD_BUS_TYPE_ARRAY, "(ssdddd)");
        const Plan& plan = *measurement.plan;
        for (size_t region = 0; region < plan.regions.size(); ++region) {
            for (size_t channel = 0; channel < plan.channels.size(); ++channel) {
                const Statistics figures =
                    compute_statistics(measurement.channel_bins(region, channel), plan.bin_width());
                append(message, "(ssdddd)", plan.regions[region].name.c_str(),
                       plan.channels[channel].c_str(), figures.mean, figures.stddev,
                       figures.clipped_low, figures.clipped_high);
            }
        }
    }
    send(connection_.get(), signal);
}

void Publisher::send_histogram(const Measurement& measurement, size_t region) const {
    const Message signal = new_signal(connection_.get(), path_, "Histogram");
    sd_bus_message* message = signal.get();
    const Plan& plan = *measurement.plan;
    append(message, "ttusuu", measurement.sequence, measurement.timestamp_nsec, plan.generation,
           plan.regions[region].name.c_str(), plan.bit_depth, plan.even_bin_width());
    append_channels(message, measurement, region);
    send(connection_.get(), signal);
}

}  // namespace glint::bus
