// Every name that others rely on, in one place: bus, paths, journal fields, environment.
#pragma once

#include <string_view>

namespace glint::names {

inline constexpr const char* bus_name = "org.glintd1";
inline constexpr const char* root_path = "/org/glintd1";
inline constexpr const char* camera_path_prefix = "/org/glintd1/camera";
inline constexpr const char* line_path_prefix = "/org/glintd1/line";
inline constexpr const char* alarm_path_prefix = "/org/glintd1/alarm";
inline constexpr const char* manager_interface = "org.glintd1.Manager";
inline constexpr const char* camera_interface = "org.glintd1.Camera";
inline constexpr const char* line_interface = "org.glintd1.Line";
inline constexpr const char* alarm_interface = "org.glintd1.Alarm";
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
inline constexpr const char* line_absent = "org.glintd1.Error.LineAbsent";
inline constexpr const char* line_busy = "org.glintd1.Error.LineBusy";
inline constexpr const char* config_invalid = "org.glintd1.Error.ConfigInvalid";
}  // namespace error

inline constexpr const char* syslog_identifier = "glintd";
inline constexpr const char* whole_frame_region = "frame";
inline constexpr const char* metering_region = "metering";

// Configuration, later files over earlier ones.
inline constexpr const char* shipped_config = "/usr/lib/glintd/glintd.toml";
inline constexpr const char* system_config = "/etc/glintd/glintd.toml";
inline constexpr const char* drop_in_folder = "/etc/glintd/glintd.d";
inline constexpr const char* default_cache_folder = "/var/cache/glintd";

// Made by the kernel driver of Vivante GPUs.
inline constexpr const char* gpu_node = "/dev/galcore";

// What glint-tune has measured, the second over the first.
inline constexpr const char* shipped_tuning = "/usr/lib/glintd/tuning.toml";
inline constexpr const char* default_state_folder = "/var/lib/glintd";
inline constexpr const char* tuning_file_name = "tuning.toml";

// Set by systemd (systemd.exec): where the service may write.
inline constexpr const char* env_cache_directory = "CACHE_DIRECTORY";
inline constexpr const char* env_state_directory = "STATE_DIRECTORY";

// Journal fields.
inline constexpr const char* field_camera = "GLINT_CAMERA";
inline constexpr const char* field_line = "GLINT_LINE";
inline constexpr const char* field_alarm = "GLINT_ALARM";
inline constexpr const char* field_variant = "GLINT_VARIANT";
inline constexpr const char* field_opencl_code = "GLINT_OPENCL_CODE";

// What people may want to be told of: MESSAGE_ID of the journal's catalogue,
// systemd/glintd.catalog.
inline constexpr const char* field_message_id = "MESSAGE_ID";
namespace message {
inline constexpr const char* camera_lost = "a441f5f09ed846c9b78f602ab12fceee";
inline constexpr const char* gpu_stalled = "cfbc2d2cdb5e4d3d88f4f72c6e358059";
inline constexpr const char* zero_copy_fell_back = "c3d9e7e7970c4fb1b93490dde015e549";
inline constexpr const char* frames_lost = "fa69e90534db45c08bfe149f6de7266d";
inline constexpr const char* rate_not_had = "ae8d8d231b8a42f2aa969d3879bc9a36";
inline constexpr const char* alarm_raised = "f1bb116f179a4a37a196d5f291b5a572";
inline constexpr const char* alarm_over = "29819635af504f35a304daeab9ddc304";
}  // namespace message

// Exit codes: 0 for a clean stop, 1 for any failure a restart may cure.
inline constexpr int exit_failure = 1;
inline constexpr int exit_bad_config = 78;  // EX_CONFIG of sysexits.h

}  // namespace glint::names
