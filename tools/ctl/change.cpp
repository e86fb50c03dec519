// Commands that change something: start, stop, filter, regions, retry-gpu.
#include <fmt/format.h>

#include "tools/ctl/client.hpp"
#include "tools/ctl/commands.hpp"
#include "tools/ctl/output.hpp"

namespace glint::ctl {
namespace {

void print_state(const Camera& camera) {
    print(fmt::format("{}: {}\n", camera.name(), camera.info().state));
}

void print_generation(const Camera& camera, const Message& reply, std::string_view what) {
    std::uint32_t generation = 0;
    wire::read(reply.get(), generation);
    print(fmt::format("{}: {} from generation {} on\n", camera.name(), what, generation));
}

}  // namespace

void start(Bus& bus, const std::string& name) {
    const Camera camera(bus, name);
    camera.call("Start");
    print_state(camera);
}

void stop(Bus& bus, const std::string& name) {
    const Camera camera(bus, name);
    camera.call("Stop");
    print_state(camera);
}

void set_filter(Bus& bus, const std::string& name, const Filter& filter) {
    const Camera camera(bus, name);
    const Message reply = camera.call("SetFilter", filter.name, filter.width, filter.height,
                                      filter.coefficients, filter.shift);
    print_generation(camera, reply, fmt::format("filter {}", filter.name));
}

void print_regions(Bus& bus, const std::string& name) {
    std::string out;
    for (const Region& region : Camera(bus, name).info().regions) out += region_text(region) + "\n";
    print(out);
}

void set_regions(Bus& bus, const std::string& name, const std::vector<Region>& regions) {
    const Camera camera(bus, name);
    const Message reply = camera.call("SetRegions", regions);
    print_generation(camera, reply, fmt::format("{} regions", regions.size()));
}

void retry_gpu(Bus& bus) {
    bus.call(names::root_path, names::manager_interface, "RetryGpu");
    print("asked for; 'glintctl status' tells the outcome\n");
}

}  // namespace glint::ctl
