// glintd on a device that the OpenCL layer (tests/layer) plays.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/bus/bench.hpp"

namespace glint::test {

struct Played {
    std::string profile = "gc2000";
    std::string memory = "strict";
    std::string faults;
    std::string report;           ///< path
    std::string state_directory;  ///< remembers across restarts
};

inline std::map<std::string, std::string> environment_of(const Played& played) {
    std::map<std::string, std::string> environment{{"OPENCL_LAYERS", GLINT_LAYER},
                                                   {"GLINT_LAYER_PROFILE", played.profile},
                                                   {"GLINT_LAYER_MEMORY", played.memory},
                                                   {"GLINT_LAYER_FAULTS", played.faults},
                                                   {"GLINT_LAYER_REPORT", played.report}};
    if (!played.state_directory.empty()) {
        environment.emplace("STATE_DIRECTORY", played.state_directory);
    }
    return environment;
}

/// What the layer wrote when the daemon ended.
inline nlohmann::json read_report(const std::filesystem::path& path) {
    return nlohmann::json::parse(read_file(path));
}

}  // namespace glint::test
