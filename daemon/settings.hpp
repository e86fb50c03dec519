// The configuration in force, and how another one comes into force.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemon/config.hpp"

namespace glint {

/// Reads and checks the files: `given`, or the installed ones when that is empty; what systemd put
/// into the environment stands for what they do not say. Warnings go to the log. Throws
/// ConfigError.
[[nodiscard]] Config load_config(const std::vector<std::string>& given);

/// The first folder of a colon-separated list that systemd put into the environment.
[[nodiscard]] std::string folder_from(const char* variable, const char* otherwise);

/// Loop thread only.
class Settings {
  public:
    using Apply = std::function<void(const Config& now)>;
    explicit Settings(std::vector<std::string> files);

    void on_reload(Apply apply) { apply_ = std::move(apply); }
    [[nodiscard]] const Config& in_force() const noexcept { return config_; }
    /// Reads the files again and applies them. Throws ConfigError, and nothing changes.
    void reload();

  private:
    std::vector<std::string> files_;
    Config config_;
    Apply apply_;
};

}  // namespace glint
