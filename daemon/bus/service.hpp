// The service's connection to the bus and every object on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "daemon/bus/camera_object.hpp"
#include "daemon/bus/connection.hpp"
#include "daemon/bus/log_control.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/camera.hpp"
#include "daemon/gpu_owner.hpp"
#include "daemon/loop.hpp"

namespace glint::bus {

/// Exports the objects first and asks for the name last, so that whoever sees the name finds them.
class Service {
  public:
    /// Throws std::runtime_error that says what to do when there is no bus, when the name is taken
    /// or when the bus does not allow it.
    Service(Loop& loop, GpuOwner& gpu, std::vector<std::unique_ptr<Camera>>& cameras);

    /// The GPU or what it serves has changed.
    void gpu_changed();

  private:
    Connection connection_;
    ManagerObject manager_;
    std::vector<std::unique_ptr<CameraObject>> cameras_;
    LogControl log_control_;
};

}  // namespace glint::bus
