// The service's connection to the bus and every object on it.
#pragma once

#include <memory>
#include <vector>

#include "daemon/bus/alarm_object.hpp"
#include "daemon/bus/camera_object.hpp"
#include "daemon/bus/connection.hpp"
#include "daemon/bus/line_object.hpp"
#include "daemon/bus/log_control.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/cameras.hpp"
#include "daemon/gpu_owner.hpp"
#include "daemon/loop.hpp"
#include "daemon/settings.hpp"
#include "daemon/wiring.hpp"

namespace glint::bus {

/// Exports the objects first and asks for the name last, so that whoever sees the name finds them.
class Service {
  public:
    /// Throws std::runtime_error that says what to do when there is no bus, when the name is taken
    /// or when the bus does not allow it.
    Service(Loop& loop, Settings& settings, GpuOwner& gpu, Cameras& cameras, Wiring& wiring);
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    /// The GPU or what it serves has changed.
    void gpu_changed();

  private:
    void follow_cameras();
    void follow_wiring();

    Loop& loop_;
    Cameras& all_cameras_;
    Wiring& wiring_;
    Connection connection_;
    ManagerObject manager_;
    std::vector<std::unique_ptr<CameraObject>> cameras_;
    std::vector<std::unique_ptr<LineObject>> lines_;
    std::vector<std::unique_ptr<AlarmObject>> alarms_;
    LogControl log_control_;
};

}  // namespace glint::bus
