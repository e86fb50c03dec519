#include "daemon/settings.hpp"

#include <cstdlib>
#include <filesystem>

#include "daemon/log.hpp"
#include "daemon/names.hpp"

namespace glint {

std::string folder_from(const char* variable, const char* otherwise) {
    const char* value = std::getenv(variable);
    const std::string text = value != nullptr ? value : otherwise;
    return text.substr(0, text.find(':'));
}

Config load_config(const std::vector<std::string>& given) {
    std::vector<ConfigText> texts;
    for (const auto& file : given) texts.push_back(read_config(file));
    if (given.empty()) {
        for (const auto& file : config_files()) texts.push_back(read_config(file));
    }
    ConfigResult result = parse_config(texts);
    for (const std::string& warning : result.warnings) log::warning(warning);
    GpuConfig& gpu = result.config.gpu;
    if (gpu.cache_dir.empty()) {
        gpu.cache_dir = folder_from(names::env_cache_directory, names::default_cache_folder);
    }
    if (gpu.tuning_file.empty()) {
        const std::filesystem::path folder =
            folder_from(names::env_state_directory, names::default_state_folder);
        gpu.tuning_file = folder / names::tuning_file_name;
    }
    return result.config;
}

Settings::Settings(std::vector<std::string> files)
    : files_(std::move(files)), config_(load_config(files_)) {}

void Settings::reload() {
    config_ = load_config(files_);
    apply_(config_);
    log::notice("the configuration was read again");
}

}  // namespace glint
