// What a camera answers: histograms, statistics, pictures, controls.
#include <fmt/format.h>

#include "daemon/bus/camera_object.hpp"
#include "daemon/memfd.hpp"
#include "daemon/names.hpp"
#include "daemon/statistics.hpp"

namespace glint::bus {
namespace {

using zero_copy::UniqueFd;

size_t region_index(const Measurement& measurement, const std::string& name) {
    if (const auto index = measurement.plan->find_region(name)) return *index;
    std::string known;
    for (const Region& region : measurement.plan->regions) {
        known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", region.name);
    }
    throw Failure(names::error::region_invalid,
                  fmt::format("no region is called \"{}\"; there are {}", name, known));
}

Stage parse_stage(const std::string& stage) {
    if (stage == "raw") return Stage::raw;
    if (stage == "filtered") return Stage::filtered;
    throw Failure(SD_BUS_ERROR_INVALID_ARGS,
                  fmt::format("stage \"{}\"; allowed are \"raw\" and \"filtered\"", stage));
}

void reply_frame(const Message& call, const ExportedFrame& frame) {
    sd_bus_message* raw = nullptr;
    check_errno(sd_bus_message_new_method_return(call.get(), &raw), "cannot reply");
    const Message reply(raw);
    const UniqueFd fd = reopen_read_only(*frame.memfd);
    append(raw, "hsuu", fd.get(), frame.fourcc.c_str(), frame.width, frame.height);
    {
        const Container planes(raw, SD_BUS_TYPE_ARRAY, "(tu)");
        for (const auto& plane : frame.planes) {
            append(raw, "(tu)", uint64_t{plane.offset_bytes}, plane.stride_bytes);
        }
    }
    append(raw, "stt", name_of(frame.range).data(), frame.sequence, frame.timestamp_nsec);
    check_errno(sd_bus_send(nullptr, raw, nullptr), "cannot reply");
}

StreamContent parse_content(const std::string& what) {
    if (what == "histograms") return StreamContent::histograms;
    if (what == "raw") return StreamContent::raw;
    if (what == "filtered") return StreamContent::filtered;
    throw Failure(
        SD_BUS_ERROR_INVALID_ARGS,
        fmt::format("\"{}\"; allowed are \"histograms\", \"raw\" and \"filtered\"", what));
}

void append_statistics(sd_bus_message* reply, const Measurement& measurement, size_t region,
                       size_t channel) {
    const Plan& plan = *measurement.plan;
    const Statistics f =
        compute_statistics(measurement.channel_bins(region, channel), plan.bin_width());
    const Container entry(reply, SD_BUS_TYPE_STRUCT, "sa{sd}");
    append(reply, "s", plan.channels[channel].c_str());
    const Container values(reply, SD_BUS_TYPE_ARRAY, "{sd}");
    for (const NamedStatistic& one : all_statistics) append(reply, "{sd}", one.name, f.*one.member);
    if (measurement.sharpness_region != region) return;
    const gpu::Lane& lane = plan.lane(region, channel);
    append(reply, "{sd}", "sharpness",
           static_cast<double>(measurement.sharpness[channel]) / lane.width / lane.height);
}

void reply_statistics(const Message& call, const Measurement& measurement, size_t region) {
    sd_bus_message* raw = nullptr;
    check_errno(sd_bus_message_new_method_return(call.get(), &raw), "cannot reply");
    const Message reply(raw);
    const Plan& plan = *measurement.plan;
    append(raw, "ttu", measurement.sequence, measurement.timestamp_nsec, plan.generation);
    {
        const Container list(raw, SD_BUS_TYPE_ARRAY, "(sa{sd})");
        for (size_t channel = 0; channel < plan.channels.size(); ++channel) {
            append_statistics(raw, measurement, region, channel);
        }
    }
    check_errno(sd_bus_send(nullptr, raw, nullptr), "cannot reply");
}

void append_control(sd_bus_message* reply, const zero_copy::Control& control) {
    const Container entry(reply, SD_BUS_TYPE_STRUCT, "ssxxxxxsa(xs)");
    const char* access = control.read_only ? "read-only" : control.inactive ? "inactive" : "active";
    append(reply, "ssxxxxxs", control.name.c_str(), control.type.c_str(), control.value,
           control.minimum, control.maximum, control.step, control.default_value, access);
    const Container menu(reply, SD_BUS_TYPE_ARRAY, "(xs)");
    for (const auto& [value, meaning] : control.menu) {
        append(reply, "(xs)", value, meaning.c_str());
    }
}

void reply_controls(const Message& call, const std::vector<zero_copy::Control>& controls) {
    sd_bus_message* raw = nullptr;
    check_errno(sd_bus_message_new_method_return(call.get(), &raw), "cannot reply");
    const Message reply(raw);
    {
        const Container list(raw, SD_BUS_TYPE_ARRAY, "(ssxxxxxsa(xs))");
        for (const zero_copy::Control& control : controls) append_control(raw, control);
    }
    check_errno(sd_bus_send(nullptr, raw, nullptr), "cannot reply");
}

}  // namespace

void CameraObject::get_histogram(sd_bus_message* call) {
    const Measurement& newest = camera_.newest();
    const size_t region = region_index(newest, read_text(call));
    sd_bus_message* raw = nullptr;
    check_errno(sd_bus_message_new_method_return(call, &raw), "cannot reply");
    const Message reply(raw);
    append(raw, "ttuuu", newest.sequence, newest.timestamp_nsec, newest.plan->generation,
           newest.plan->bit_depth, newest.plan->even_bin_width());
    append_channels(raw, newest, region);
    check_errno(sd_bus_send(nullptr, raw, nullptr), "cannot reply");
}

void CameraObject::get_statistics(sd_bus_message* call) {
    const std::string name = read_text(call);
    const Measurement& newest = camera_.newest();
    const Message shared = Message::share(call);
    const size_t region = region_index(newest, name);
    const bool frames_come =
        camera_.state() == CameraState::streaming || camera_.state() == CameraState::starting;
    const bool has_sharpness = name != names::metering_region;
    if (newest.sharpness_region == region || !frames_come || !has_sharpness) {
        return reply_statistics(shared, newest, region);
    }
    camera_.sharpness_requests().add(
        {.region = name,
         .answer =
             [shared](const Measurement& measurement) {
                 try {
                     reply_statistics(shared, measurement, *measurement.sharpness_region);
                 } catch (...) {
                     reply_error(shared);
                 }
             },
         .refuse = [shared](const Failure& failure) { reply_error(shared, failure); }});
}

void CameraObject::get_frame(sd_bus_message* call) {
    const Stage stage = parse_stage(read_text(call));
    camera_.request_frame(stage, [call = Message::share(call)](Outcome<ExportedFrame> outcome) {
        try {
            reply_frame(call, outcome.get());
        } catch (...) {
            reply_error(call);
        }
    });
}

void CameraObject::open_stream(sd_bus_message* call) {
    const StreamContent content = parse_content(read_text(call));
    camera_.open_stream(content, [call = Message::share(call)](Outcome<OpenedStream> outcome) {
        try {
            const OpenedStream opened = outcome.get();
            // The reply has copies of its own; ours are closed here, so that the client's count.
            check_errno(
                sd_bus_reply_method_return(call.get(), "hhu", opened.memory.get(),
                                           opened.event.get(), GLINTD_STREAM_LAYOUT_VERSION),
                "cannot reply");
        } catch (...) {
            reply_error(call);
        }
    });
}

void CameraObject::controls(sd_bus_message* call) {
    camera_.list_controls(
        [call = Message::share(call)](Outcome<std::vector<zero_copy::Control>> outcome) {
            try {
                reply_controls(call, outcome.get());
            } catch (...) {
                reply_error(call);
            }
        });
}

void CameraObject::set_control(sd_bus_message* call) {
    const std::string name = read_text(call);
    int64_t value = 0;
    read(call, "x", &value);
    camera_.set_control(name, value, [call = Message::share(call)](Outcome<bool> outcome) {
        try {
            (void)outcome.get();
            sd_bus_reply_method_return(call.get(), "");
        } catch (...) {
            reply_error(call);
        }
    });
}

}  // namespace glint::bus
