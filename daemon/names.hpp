// Every name that others rely on, in one place: bus, paths, journal fields, environment.
#pragma once

#include <string_view>

namespace glint::names {

inline constexpr const char* bus_name = "org.glintd1";
inline constexpr const char* root_path = "/org/glintd1";
inline constexpr const char* camera_path_prefix = "/org/glintd1/camera";
inline constexpr const char* manager_interface = "org.glintd1.Manager";
inline constexpr const char* camera_interface = "org.glintd1.Camera";
inline constexpr const char* properties_interface = "org.freedesktop.DBus.Properties";
inline constexpr const char* object_manager_interface = "org.freedesktop.DBus.ObjectManager";
inline constexpr const char* log_control_path = "/org/freedesktop/LogControl1";
inline constexpr const char* log_control_interface = "org.freedesktop.LogControl1";

inline constexpr std::string_view error_prefix = "org.glintd1.Error.";
namespace error {
inline constexpr const char* camera_absent = "org.glintd1.Error.CameraAbsent";
inline constexpr const char* camera_busy = "org.glintd1.Error.CameraBusy";
inline constexpr const char* format_unsupported = "org.glintd1.Error.FormatUnsupported";
inline constexpr const char* camera_fault = "org.glintd1.Error.CameraFault";
inline constexpr const char* control_invalid = "org.glintd1.Error.ControlInvalid";
inline constexpr const char* not_streaming = "org.glintd1.Error.NotStreaming";
inline constexpr const char* gpu_unavailable = "org.glintd1.Error.GpuUnavailable";
inline constexpr const char* gpu_fault = "org.glintd1.Error.GpuFault";
inline constexpr const char* region_invalid = "org.glintd1.Error.RegionInvalid";
inline constexpr const char* filter_invalid = "org.glintd1.Error.FilterInvalid";
}  // namespace error

inline constexpr const char* syslog_identifier = "glintd";
inline constexpr const char* whole_frame_region = "frame";
inline constexpr const char* metering_region = "metering";

// Configuration, later files over earlier ones.
inline constexpr const char* shipped_config = "/usr/lib/glintd/glintd.toml";
inline constexpr const char* system_config = "/etc/glintd/glintd.toml";
inline constexpr const char* drop_in_folder = "/etc/glintd/glintd.d";
inline constexpr const char* default_cache_folder = "/var/cache/glintd";

// What glint-tune has measured, the second over the first.
inline constexpr const char* shipped_tuning = "/usr/lib/glintd/tuning.toml";
inline constexpr const char* default_state_folder = "/var/lib/glintd";
inline constexpr const char* tuning_file_name = "tuning.toml";

// Set by systemd (systemd.exec): where the service may write.
inline constexpr const char* env_cache_directory = "CACHE_DIRECTORY";
inline constexpr const char* env_state_directory = "STATE_DIRECTORY";

// Journal fields.
inline constexpr const char* field_camera = "GLINT_CAMERA";
inline constexpr const char* field_variant = "GLINT_VARIANT";
inline constexpr const char* field_opencl_code = "GLINT_OPENCL_CODE";

// Exit codes: 0 for a clean stop, 1 for any failure a restart may cure.
inline constexpr int exit_failure = 1;
inline constexpr int exit_bad_config = 78;  // EX_CONFIG of sysexits.h

}  // namespace glint::names
