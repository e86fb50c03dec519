// Tells systemd how the service is, and ends it in good order.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/cameras.hpp"
#include "daemon/gpu_owner.hpp"
#include "daemon/loop.hpp"
#include "daemon/worker.hpp"

namespace glint {

/// READY=1 once every camera has settled, which the CPU variants make quick; STATUS= on every
/// change; WATCHDOG=1 while the loop turns and no worker is overdue. A camera is never a reason to
/// withhold it: a restart does not mend a cable.
class Supervisor {
  public:
    Supervisor(Loop& loop, Worker& worker, Worker& builder, GpuOwner& gpu, const Cameras& cameras);

    /// Starts every camera.
    void start();
    /// Stops every camera, then the loop; the loop after 800 ms in any case.
    void stop();
    void report_status();

  private:
    void send_status(const char* before);
    void feed_watchdog();
    void exit_when_at_rest();

    Loop& loop_;
    Worker& worker_;
    Worker& builder_;
    GpuOwner& gpu_;
    const Cameras& cameras_;
    Timer watchdog_timer_;
    Timer status_timer_;
    Timer stop_timer_;
    uint64_t watchdog_usec_ = 0;  ///< 0: systemd does not watch
    size_t unsettled_;            ///< cameras that have not settled since the start
    std::string last_status_;
    bool ready_ = false;
    bool stopping_ = false;
};

}  // namespace glint
