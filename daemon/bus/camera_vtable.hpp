// The members of org.glintd1.Camera, in the order of systemd/org.glintd1.Camera.xml.
#pragma once

#include <systemd/sd-bus.h>

namespace glint::bus {

[[nodiscard]] const sd_bus_vtable* camera_vtable();

}  // namespace glint::bus
