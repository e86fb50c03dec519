// A bus, a glintd on it that is ready, and a client, in a folder of their own.
#pragma once

#include <fmt/format.h>

#include "tests/bus/camera_client.hpp"
#include "tests/bus/client.hpp"
#include "tests/bus/daemon.hpp"
#include "tests/bus/private_bus.hpp"

namespace glint::test {

struct Bench {
    explicit Bench(const DaemonOptions& options, const BusOptions& bus_options = {})
        : bus(folder, bus_options), daemon(folder, bus.address(), options) {
        daemon.wait_ready();
        client.emplace(bus.address());
    }
    [[nodiscard]] CameraClient camera(const std::string& name = "front") { return {*client, name}; }
    [[nodiscard]] std::string manager_text(const char* property) const {
        return client->text(manager_path, manager_interface, property);
    }

    TemporaryFolder folder;
    PrivateBus bus;
    Daemon daemon;
    std::optional<Client> client;
};

struct CameraOptions {
    std::string name = "front";
    std::string source = "test:gradient";
    std::string format = "GREY";
    uint32_t width = 320;
    uint32_t height = 240;
    double rate = 50;
    std::string more;  ///< further lines and tables
};

/// Its table of the configuration.
inline std::string camera_table(const CameraOptions& options) {
    return fmt::format(
        "[camera.{}]\nsource = \"{}\"\nformat = \"{}\"\nwidth = {}\nheight = {}\n"
        "rate = {:.3f}\n{}\n",
        options.name, options.source, options.format, options.width, options.height, options.rate,
        options.more);
}

/// Small, fast and telling: 1000 times a second the bins of four regions with three channels each,
/// 12 MB/s together.
inline std::string talkative_camera() {
    return camera_table({.format = "RGB3",
                         .width = 64,
                         .height = 64,
                         .rate = 1000,
                         .more = "publish_interval_ms = 0\n"
                                 "publish_histograms = [\"frame\", \"a\", \"b\", \"c\"]\n"
                                 "[camera.front.region]\n"
                                 "a = { width = 8, height = 8 }\n"
                                 "b = { width = 9, height = 9 }\n"
                                 "c = { width = 10, height = 10 }\n"});
}

inline constexpr const char* on_cpu = "kernels = \"cpu\"";

}  // namespace glint::test
