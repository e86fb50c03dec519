// org.glintd1.Camera on /org/glintd1/camera/NAME.
#pragma once

#include <string>
#include <vector>

#include "daemon/bus/connection.hpp"
#include "daemon/bus/message.hpp"
#include "daemon/bus/publisher.hpp"
#include "daemon/camera.hpp"

namespace glint::bus {

class CameraObject {
  public:
    CameraObject(const Connection& connection, Camera& camera);
    ~CameraObject();
    CameraObject(const CameraObject&) = delete;
    CameraObject& operator=(const CameraObject&) = delete;

    [[nodiscard]] const Camera& camera() const noexcept { return camera_; }

    // Properties that are more than one value of the camera.
    void get_ladder(sd_bus_message* reply) const;
    void get_regions(sd_bus_message* reply) const;
    void get_variants(sd_bus_message* reply) const;
    void get_publish_interval(sd_bus_message* reply) const;
    void set_publish_interval(sd_bus_message* value);
    void get_published_histograms(sd_bus_message* reply) const;
    void set_published_histograms(sd_bus_message* value);

    // Methods: read, validate, act, reply, now or when the camera has settled.
    void start(sd_bus_message* call);
    void stop(sd_bus_message* call);
    void set_regions(sd_bus_message* call);
    void set_filter(sd_bus_message* call);
    void set_filter_float(sd_bus_message* call);
    void set_bins(sd_bus_message* call);
    void set_mask(sd_bus_message* call);
    void set_metering_grid(sd_bus_message* call);
    void get_histogram(sd_bus_message* call);
    void get_statistics(sd_bus_message* call);
    void get_frame(sd_bus_message* call);
    void open_stream(sd_bus_message* call);
    void controls(sd_bus_message* call);
    void set_control(sd_bus_message* call);

    /// Signals the properties that change with the state of the stream.
    void changed() const;

  private:
    void measured(const Measurement& measurement);
    void property_changed(const char* name) const;
    [[nodiscard]] bool knows_region(std::string_view name) const;
    void forget_unknown_regions();
    void publish_histograms(std::vector<std::string> names);

    const Connection& connection_;
    Camera& camera_;
    std::string path_;
    Publisher publisher_;
    Slot slot_;
};

}  // namespace glint::bus
