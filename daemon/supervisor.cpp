#include "daemon/supervisor.hpp"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include <algorithm>

#include "daemon/log.hpp"

namespace glint {
namespace {

constexpr std::chrono::milliseconds stop_limit{800};
/// Changes that come together are told together: sd_notify blocks when its reader is slow.
constexpr std::chrono::milliseconds status_delay{250};

void notify(const std::string& state) {
    sd_notify(0, state.c_str());
}

}  // namespace

Supervisor::Supervisor(Loop& loop, Worker& worker, Worker& builder, GpuOwner& gpu,
                       const Cameras& cameras)
    : loop_(loop),
      worker_(worker),
      builder_(builder),
      gpu_(gpu),
      cameras_(cameras),
      watchdog_timer_(loop, [this] { feed_watchdog(); }),
      status_timer_(loop, [this] { send_status(""); }),
      stop_timer_(loop,
                  [this] {
                      log::warning("not every buffer came back in time; leaving all the same");
                      loop_.exit();
                  }),
      unsettled_(cameras.size()) {
    if (sd_watchdog_enabled(0, &watchdog_usec_) <= 0) watchdog_usec_ = 0;
}

void Supervisor::start() {
    feed_watchdog();
    const auto settled = [this](const std::optional<Failure>&) {
        if (--unsettled_ == 0) report_status();
    };
    for (const auto& camera : cameras_) camera->start(settled);
    if (cameras_.empty()) {
        log::notice("no camera is configured; see glintd.toml(5)");
        report_status();
    }
}

void Supervisor::report_status() {
    if (stopping_ || unsettled_ > 0) return;
    if (!ready_) {
        ready_ = true;
        log::info("ready");
        return send_status("READY=1\n");
    }
    status_timer_.arm(status_delay);
}

void Supervisor::send_status(const char* before) {
    const auto streaming = std::ranges::count(cameras_, CameraState::streaming, &Camera::state);
    const std::string gpu = gpu_.device().name;
    const std::string by = gpu.empty() ? fmt::format("the CPU measures: {}", gpu_.reason())
                                       : fmt::format("on {}", gpu);
    const std::string status =
        fmt::format("STATUS={} of {} cameras streaming; {}", streaming, cameras_.size(), by);
    if (std::exchange(last_status_, status) != status) notify(before + status);
}

void Supervisor::feed_watchdog() {
    if (watchdog_usec_ == 0) return;
    if (worker_.overdue() || builder_.overdue()) {
        log::error("a worker has overrun its deadline; the watchdog will restart the service");
    } else {
        notify("WATCHDOG=1");
    }
    watchdog_timer_.arm(microseconds(watchdog_usec_ / 3));
}

void Supervisor::stop() {
    if (std::exchange(stopping_, true)) return;
    status_timer_.cancel();
    notify("STOPPING=1\nSTATUS=stopping");
    log::info("stopping");
    stop_timer_.arm(stop_limit);
    for (const auto& camera : cameras_) {
        camera->stop([this](const std::optional<Failure>&) { exit_when_at_rest(); });
    }
    exit_when_at_rest();
}

void Supervisor::exit_when_at_rest() {
    if (cameras_.at_rest()) loop_.exit();
}

}  // namespace glint
