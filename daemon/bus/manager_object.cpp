#include "daemon/bus/manager_object.hpp"

#include <fmt/format.h>

#include "daemon/bus/message.hpp"
#include "daemon/names.hpp"

namespace glint::bus {
const sd_bus_vtable* manager_vtable() {
    using M = ManagerObject;
    constexpr uint64_t changes = SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE;
    static const sd_bus_vtable vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_PROPERTY("Version", "s", (property<M, &M::get_version>), 0,
                        SD_BUS_VTABLE_PROPERTY_CONST),
        SD_BUS_PROPERTY("GpuName", "s", (property<M, &M::get_gpu_name>), 0, changes),
        SD_BUS_PROPERTY("GpuDriver", "s", (property<M, &M::get_gpu_driver>), 0, changes),
        SD_BUS_PROPERTY("GpuProfile", "s", (property<M, &M::get_gpu_profile>), 0, changes),
        SD_BUS_PROPERTY("Degraded", "b", (property<M, &M::get_degraded>), 0, changes),
        SD_BUS_PROPERTY("DegradedReason", "s", (property<M, &M::get_degraded_reason>), 0, changes),
        SD_BUS_PROPERTY("RefusedVariants", "a(sss)", (property<M, &M::get_refused_variants>), 0,
                        changes),
        SD_BUS_PROPERTY("GpuBusyUSec", "t", (property<M, &M::get_gpu_busy>), 0, 0),
        SD_BUS_METHOD("Reload", "", "", (method<M, &M::reload>), SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("RetryGpu", "", "", (method<M, &M::retry_gpu>), SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_VTABLE_END};
    return vtable;
}

ManagerObject::ManagerObject(const Connection& connection, Settings& settings, GpuOwner& gpu,
                             const Cameras& cameras)
    : connection_(connection),
      settings_(settings),
      gpu_(gpu),
      cameras_(cameras),
      object_manager_(connection.export_object_manager(names::root_path)),
      object_(connection.export_object(names::root_path, names::manager_interface, manager_vtable(),
                                       this)) {}

void ManagerObject::gpu_changed() const {
    sd_bus_emit_properties_changed(connection_.get(), names::root_path, names::manager_interface,
                                   "GpuName", "GpuDriver", "GpuProfile", "Degraded",
                                   "DegradedReason", "RefusedVariants", nullptr);
}

void ManagerObject::get_version(sd_bus_message* reply) const {
    append(reply, "s", GLINT_VERSION);
}

void ManagerObject::get_gpu_name(sd_bus_message* reply) const {
    append(reply, "s", gpu_.device().name.c_str());
}

void ManagerObject::get_gpu_driver(sd_bus_message* reply) const {
    append(reply, "s", gpu_.device().driver.c_str());
}

void ManagerObject::get_gpu_profile(sd_bus_message* reply) const {
    append(reply, "s", gpu_.device().profile.c_str());
}

void ManagerObject::get_degraded(sd_bus_message* reply) const {
    append(reply, "b", static_cast<int>(gpu_.degraded()));
}

void ManagerObject::get_degraded_reason(sd_bus_message* reply) const {
    append(reply, "s", gpu_.degraded() ? gpu_.reason().c_str() : "");
}

void ManagerObject::get_refused_variants(sd_bus_message* reply) const {
    const Container list(reply, SD_BUS_TYPE_ARRAY, "(sss)");
    for (const gpu::Refusal& refusal : gpu_.refused()) {
        append(reply, "(sss)", refusal.op.c_str(), refusal.variant.c_str(), refusal.reason.c_str());
    }
}

void ManagerObject::get_gpu_busy(sd_bus_message* reply) const {
    uint64_t busy_usec = 0;
    for (const auto& camera : cameras_) busy_usec += camera->counters().gpu_busy_usec;
    append(reply, "t", busy_usec);
}

void ManagerObject::reload(sd_bus_message* call) {
    try {
        settings_.reload();
    } catch (const ConfigError& error) {
        throw Failure(names::error::config_invalid,
                      fmt::format("{}; the configuration in force stays", error.what()));
    }
    check_errno(sd_bus_reply_method_return(call, ""), "cannot reply");
}

void ManagerObject::retry_gpu(sd_bus_message* call) {
    gpu_.retry();
    check_errno(sd_bus_reply_method_return(call, ""), "cannot reply");
}

}  // namespace glint::bus
