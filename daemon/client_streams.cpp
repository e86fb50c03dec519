#include "daemon/client_streams.hpp"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "daemon/names.hpp"
#include "daemon/stream_shape.hpp"

namespace glint {
namespace {

constexpr const char* limits_exceeded = "org.freedesktop.DBus.Error.LimitsExceeded";

}  // namespace

ClientStreams::ClientStreams(Loop& loop, MemoryBudget& budget)
    : loop_(loop), budget_(budget), let_go_timer_(loop, [this] { let_go(); }) {}

void ClientStreams::Kind::end() {
    if (stream != nullptr) stream->end();
    stream.reset();
    share = {};
}

void ClientStreams::request(StreamContent content, Reply reply) {
    size_t open = 0;
    for (const Kind& one : kinds_) {
        open += one.waiting.size() + (one.stream != nullptr ? one.stream->readers() : 0);
    }
    if (open >= max_readers) {
        throw Failure(limits_exceeded,
                      fmt::format("{} streams of this camera are open already; close one", open));
    }
    kind(content).waiting.push_back(std::move(reply));
}

void ClientStreams::serve(const Plan& plan, const FrameExporter& exporter) {
    const auto pictures = [&](Stage stage) {
        return picture_shape(exporter.format(stage, plan), plan.generation);
    };
    serve(kind(StreamContent::histograms), histogram_shape(plan));
    serve(kind(StreamContent::raw), pictures(Stage::raw));
    serve(kind(StreamContent::filtered),
          plan.filter ? std::optional(pictures(Stage::filtered)) : std::nullopt);
}

/// `shape`: nothing, when there is no filter.
void ClientStreams::serve(Kind& kind, const std::optional<glintd_stream_header>& shape) {
    if (kind.stream != nullptr && !(shape && kind.stream->has_shape(*shape))) kind.end();
    for (const Reply& reply : std::exchange(kind.waiting, {})) {
        try {
            if (!shape) throw Failure(names::error::filter_invalid, "the filter was taken away");
            if (kind.stream == nullptr) make_stream(kind, *shape);
            reply(Outcome<OpenedStream>(kind.stream->add_reader()));
        } catch (const std::exception&) {
            reply(Outcome<OpenedStream>(std::current_exception()));
        }
    }
    if (kind.stream != nullptr && kind.stream->readers() == 0) kind.end();
}

void ClientStreams::make_stream(Kind& kind, const glintd_stream_header& shape) {
    MemoryBudget::Share share;
    try {
        share = budget_.take(SharedRing::slot_count, SharedRing::slot_bytes(shape.payload_bytes));
    } catch (const Failure& failure) {
        throw Failure(limits_exceeded, failure.what());
    }
    kind.stream = std::make_shared<ClientStream>(loop_, shape,
                                                 [this] { let_go_timer_.arm(microseconds{0}); });
    kind.share = std::move(share);
}

void ClientStreams::measured(const Measurement& measurement) {
    const Kind& histograms = kind(StreamContent::histograms);
    if (histograms.stream == nullptr) return;
    const glintd_stream_header shape = histogram_shape(*measurement.plan);
    if (!histograms.stream->has_shape(shape)) return;
    histograms.stream->write(
        {measurement.sequence, measurement.timestamp_nsec, measurement.plan->generation},
        {reinterpret_cast<const uint8_t*>(measurement.bins.data()), shape.payload_bytes});
    histograms.stream->publish();
}

std::shared_ptr<ClientStream> ClientStreams::pictures(Stage stage) const {
    const auto content = stage == Stage::raw ? StreamContent::raw : StreamContent::filtered;
    return kinds_[static_cast<size_t>(content)].stream;
}

void ClientStreams::let_go() {
    for (Kind& one : kinds_) {
        if (one.stream == nullptr) continue;
        one.stream->forget_gone();
        if (one.stream->readers() == 0) one.end();
    }
}

void ClientStreams::end(const Failure& why) {
    for (Kind& one : kinds_) {
        one.end();
        for (const Reply& reply : std::exchange(one.waiting, {})) {
            reply(Outcome<OpenedStream>(std::make_exception_ptr(why)));
        }
    }
}

}  // namespace glint
