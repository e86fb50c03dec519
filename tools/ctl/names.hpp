// The names by which glintctl finds the service on the bus.
#pragma once

#include <string_view>

namespace glint::ctl::names {

inline constexpr char kService[] = "org.glintd1";
inline constexpr char kRoot[] = "/org/glintd1";
inline constexpr char kCameraPrefix[] = "/org/glintd1/camera/";
inline constexpr char kManager[] = "org.glintd1.Manager";
inline constexpr char kCamera[] = "org.glintd1.Camera";
inline constexpr char kProperties[] = "org.freedesktop.DBus.Properties";
inline constexpr char kObjectManager[] = "org.freedesktop.DBus.ObjectManager";

inline constexpr std::string_view kErrorPrefix = "org.glintd1.Error.";
inline constexpr std::string_view kNotStreaming = "org.glintd1.Error.NotStreaming";
inline constexpr std::string_view kRegionInvalid = "org.glintd1.Error.RegionInvalid";
inline constexpr std::string_view kFilterInvalid = "org.glintd1.Error.FilterInvalid";

// The region that is the whole picture; every camera has it.
inline constexpr char kFrameRegion[] = "frame";

}  // namespace glint::ctl::names
