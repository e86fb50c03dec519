// [line.NAME] and [alarm.NAME] of the configuration.
#pragma once

#include <vector>

#include "daemon/config.hpp"
#include "daemon/config_reader.hpp"

namespace glint::config {

/// Throw ConfigError, as all readers do, also for a camera or line that does not exist.
[[nodiscard]] LineConfig read_line(Table& table, const std::vector<CameraConfig>& cameras);
[[nodiscard]] AlarmConfig read_alarm(Table& table, const std::vector<CameraConfig>& cameras,
                                     const std::vector<LineConfig>& lines);

}  // namespace glint::config
