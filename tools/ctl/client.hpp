// The service and its cameras as objects: calls and answers, no text for the user but errors.
#pragma once

#include <string>
#include <vector>

#include "daemon/names.hpp"
#include "tools/ctl/bus.hpp"
#include "tools/ctl/model.hpp"

namespace glint::ctl {

Service read_service(Bus& bus);
// Every camera of the service, by name.
std::vector<CameraInfo> read_cameras(Bus& bus);
std::vector<LineInfo> read_lines(Bus& bus);
std::vector<AlarmInfo> read_alarms(Bus& bus);

// Throws if the camera measures no such region. Whether it meters, its properties do not tell.
void require_region(const CameraInfo& camera, const std::string& region);

class Camera {
  public:
    // Throws if the name cannot be that of a camera; whether it is one, the first call tells.
    Camera(Bus& bus, std::string name);

    const std::string& name() const { return name_; }
    const std::string& path() const { return path_; }
    CameraInfo info() const;
    Histogram histogram(const std::string& region) const;
    Statistics statistics(const std::string& region) const;
    std::vector<Control> controls() const;

    template <class... In>
    Message call(const char* member, const In&... arguments) const {
        try {
            return bus_.call(path_, names::camera_interface, member, arguments...);
        } catch (const BusError& error) {
            explain(error);
        }
    }

  private:
    // Throws again, in words that know the camera.
    [[noreturn]] void explain(const BusError& error) const;

    Bus& bus_;
    std::string name_;
    std::string path_;
};

}  // namespace glint::ctl
