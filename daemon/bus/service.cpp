#include "daemon/bus/service.hpp"

#include "daemon/names.hpp"

namespace glint::bus {

Service::Service(Loop& loop, Settings& settings, GpuOwner& gpu, Cameras& cameras, Wiring& wiring)
    : loop_(loop),
      all_cameras_(cameras),
      wiring_(wiring),
      connection_(loop),
      manager_(connection_, settings, gpu, cameras),
      log_control_(connection_) {
    follow_cameras();
    follow_wiring();
    connection_.request_name(names::bus_name);
}

Service::~Service() {
    all_cameras_.listen({});
    wiring_.listen({});
}

void Service::follow_cameras() {
    all_cameras_.listen(
        {.added =
             [this](Camera& camera) {
                 cameras_.push_back(std::make_unique<CameraObject>(connection_, camera));
             },
         .going =
             [this](Camera& camera) {
                 std::erase_if(cameras_,
                               [&](const auto& one) { return &one->camera() == &camera; });
             }});
}

void Service::follow_wiring() {
    wiring_.listen(
        {.line_added =
             [this](Line& line) {
                 lines_.push_back(std::make_unique<LineObject>(connection_, loop_, line));
             },
         .line_going =
             [this](Line& line) {
                 std::erase_if(lines_, [&](const auto& one) { return &one->line() == &line; });
             },
         .alarm_added =
             [this](Alarm& alarm) {
                 alarms_.push_back(std::make_unique<AlarmObject>(connection_, alarm));
             },
         .alarm_going =
             [this](Alarm& alarm) {
                 std::erase_if(alarms_, [&](const auto& one) { return &one->alarm() == &alarm; });
             },
         .alarm_changed =
             [this](Alarm& alarm) {
                 for (const auto& one : alarms_) {
                     if (&one->alarm() == &alarm) one->changed();
                 }
             }});
}

void Service::gpu_changed() {
    manager_.gpu_changed();
    for (const auto& camera : cameras_) camera->changed();
}

}  // namespace glint::bus
