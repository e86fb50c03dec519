// What clients and the configuration want measured in a camera's frames.
#include "daemon/camera.hpp"
#include "daemon/mask_file.hpp"
#include "daemon/names.hpp"
#include "daemon/stream.hpp"

namespace glint {

void Camera::apply_plan() {
    if (stream_ != nullptr && stream_->pipeline) {
        if (stream_->serves(wishes_.bins)) {
            stream_->pipeline->set_plan(plan_for(info_.layout));
            prepare_float_filter();
            serve_streams();
        } else {
            rebuild_ = true;
            step();
        }
    }
    if (events_.changed) events_.changed();
}

uint32_t Camera::wish(Wishes wishes) {
    try {
        // Before the first stream the size is not known; the rest is checked at its start.
        check_region_names(wishes.regions);
        check_bins(wishes.bins);
        if (wishes.metering) check_grid_shape(*wishes.metering);
        if (info_.layout.width != 0) (void)make_plan(info_.layout, wishes, generation_);
    } catch (const RegionError& error) {
        throw Failure(names::error::region_invalid, error.what());
    } catch (const PlanError& error) {
        throw Failure("org.freedesktop.DBus.Error.InvalidArgs", error.what());
    }
    wishes_ = std::move(wishes);
    ++generation_;
    apply_plan();
    return generation_;
}

uint32_t Camera::set_regions(const std::vector<Region>& regions) {
    if (regions == wishes_.regions) return generation_;
    Wishes wishes = wishes_;
    wishes.regions = regions;
    return wish(std::move(wishes));
}

uint32_t Camera::set_bins(uint32_t bins) {
    if (bins == wishes_.bins) return generation_;
    Wishes wishes = wishes_;
    wishes.bins = bins;
    return wish(std::move(wishes));
}

void Camera::set_mask(zero_copy::UniqueFd memfd, std::function<void(Outcome<uint32_t>)> reply) {
    const uint32_t width = info_.layout.width;
    const uint32_t height = info_.layout.height;
    if (width == 0) {
        throw Failure(names::error::not_streaming,
                      "the frame's size is not known yet; call Start first");
    }
    constexpr std::chrono::seconds deadline{20};
    auto done = [this, reply = std::move(reply)](Outcome<std::shared_ptr<const Mask>> outcome) {
        try {
            Wishes wishes = wishes_;
            wishes.mask = outcome.get();
            reply(Outcome<uint32_t>(wish(std::move(wishes))));
        } catch (...) {
            reply(Outcome<uint32_t>(std::current_exception()));
        }
    };
    post(
        services_.worker, deadline,
        [memfd = std::move(memfd), width, height] { return read_mask(memfd.get(), width, height); },
        std::move(done));
}

uint32_t Camera::set_metering(const std::optional<MeteringGrid>& grid) {
    if (grid == wishes_.metering) return generation_;
    Wishes wishes = wishes_;
    wishes.metering = grid;
    return wish(std::move(wishes));
}

uint32_t Camera::set_filter(std::optional<gpu::AnyFilter> filter) {
    if (filter && config_.filter) {
        std::visit(
            [](auto& wanted, const auto& configured) {
                wanted.border = configured.border;
                wanted.border_value = static_cast<uint8_t>(configured.border_value);
            },
            *filter, *config_.filter);
    }
    if (filter == wishes_.filter) return generation_;
    wishes_.filter = filter;
    ++generation_;
    apply_plan();
    if (!filter && stream_ != nullptr && stream_->pipeline) {
        stream_->pipeline->exporter().refuse(
            Stage::filtered, std::make_exception_ptr(Failure(names::error::filter_invalid,
                                                             "the filter was taken away")));
    }
    return generation_;
}

}  // namespace glint
