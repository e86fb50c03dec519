#include "daemon/bus/service.hpp"

#include "daemon/names.hpp"

namespace glint::bus {

Service::Service(Loop& loop, GpuOwner& gpu, std::vector<std::unique_ptr<Camera>>& cameras)
    : connection_(loop), manager_(connection_, gpu, cameras), log_control_(connection_) {
    for (const auto& camera : cameras) {
        cameras_.push_back(std::make_unique<CameraObject>(connection_, *camera));
    }
    connection_.request_name(names::bus_name);
}

void Service::gpu_changed() {
    manager_.gpu_changed();
    for (const auto& camera : cameras_) camera->changed();
}

}  // namespace glint::bus
