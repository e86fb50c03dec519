// What clients ask of a camera: other regions, another filter, a picture.
#include <fmt/format.h>

#include "daemon/camera.hpp"
#include "daemon/names.hpp"
#include "daemon/stream.hpp"

namespace glint {

void Camera::apply_plan() {
    if (stream_ != nullptr && stream_->pipeline)
        stream_->pipeline->set_plan(plan_for(info_.layout));
    if (events_.changed) events_.changed();
}

uint32_t Camera::set_regions(const std::vector<Region>& regions) {
    if (regions == regions_) return generation_;
    try {
        // Before the first stream the size is not known; the rectangles are checked at its start.
        check_region_names(regions);
        if (info_.layout.width != 0) (void)make_plan(info_.layout, regions, filter_, generation_);
    } catch (const RegionError& error) {
        throw Failure(names::error::region_invalid, error.what());
    }
    regions_ = regions;
    ++generation_;
    apply_plan();
    return generation_;
}

uint32_t Camera::set_filter(const std::optional<gpu::Filter>& filter) {
    if (filter == filter_) return generation_;
    filter_ = filter;
    ++generation_;
    apply_plan();
    if (!filter && stream_ != nullptr && stream_->pipeline) {
        stream_->pipeline->exporter().refuse(
            Stage::filtered, std::make_exception_ptr(Failure(names::error::filter_invalid,
                                                             "the filter was taken away")));
    }
    return generation_;
}

void Camera::request_frame(Stage stage, FrameExporter::Reply reply) {
    if (!wanted_) {
        throw Failure(names::error::not_streaming, fmt::format("camera {} is {}; call Start first",
                                                               config_.name, name_of(state_)));
    }
    if (stage == Stage::filtered && !filter_) {
        throw Failure(names::error::filter_invalid, "no filter is set; call SetFilter first");
    }
    bool taken = frame_requests_.size() < FrameExporter::max_waiting;
    if (state_ == CameraState::streaming) {
        taken = stream_->pipeline->exporter().request(stage, std::move(reply));
    } else if (taken) {
        frame_requests_.push_back({stage, std::move(reply)});
    }
    if (!taken) {
        throw Failure(
            "org.freedesktop.DBus.Error.LimitsExceeded",
            fmt::format("{} callers wait for a frame already", FrameExporter::max_waiting));
    }
}

}  // namespace glint
