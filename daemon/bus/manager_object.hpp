// org.glintd1.Manager on /org/glintd1.
#pragma once

#include "daemon/bus/connection.hpp"
#include "daemon/cameras.hpp"
#include "daemon/gpu_owner.hpp"
#include "daemon/settings.hpp"

namespace glint::bus {

class ManagerObject {
  public:
    ManagerObject(const Connection& connection, Settings& settings, GpuOwner& gpu,
                  const Cameras& cameras);

    /// Signals the properties that tell of the GPU.
    void gpu_changed() const;

  private:
    friend const sd_bus_vtable* manager_vtable();

    void get_version(sd_bus_message* reply) const;
    void get_gpu_name(sd_bus_message* reply) const;
    void get_gpu_driver(sd_bus_message* reply) const;
    void get_gpu_profile(sd_bus_message* reply) const;
    void get_degraded(sd_bus_message* reply) const;
    void get_degraded_reason(sd_bus_message* reply) const;
    void get_refused_variants(sd_bus_message* reply) const;
    void get_gpu_busy(sd_bus_message* reply) const;
    void reload(sd_bus_message* call);
    void retry_gpu(sd_bus_message* call);

    const Connection& connection_;
    Settings& settings_;
    GpuOwner& gpu_;
    const Cameras& cameras_;
    Slot object_manager_;
    Slot object_;
};

}  // namespace glint::bus
