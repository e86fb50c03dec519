// Commands that change something: start, stop, filter, regions, bins, metering, mask, retry-gpu.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "tools/ctl/client.hpp"
#include "tools/ctl/commands.hpp"
#include "tools/ctl/mask_png.hpp"
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

// Bytes in memory that a descriptor hands over.
class MemoryFile {
  public:
    MemoryFile() : fd_(memfd_create("glintctl-mask", MFD_CLOEXEC)) {
        if (fd_ < 0) fail();
    }
    explicit MemoryFile(std::span<const std::uint8_t> bytes) : MemoryFile() {
        while (!bytes.empty()) {
            const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
            if (written >= 0)
                bytes = bytes.subspan(static_cast<std::size_t>(written));
            else if (errno != EINTR)
                fail();
        }
    }
    ~MemoryFile() { close(fd_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    wire::Descriptor descriptor() const { return {fd_}; }

  private:
    [[noreturn]] static void fail() {
        throw Failure(fmt::format("no memory to hand the mask over in: {}", std::strerror(errno)));
    }

    int fd_;
};

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
    const auto* whole = std::get_if<std::vector<std::int16_t>>(&filter.coefficients);
    const Message reply =
        whole != nullptr ? camera.call("SetFilter", filter.name, filter.width, filter.height,
                                       *whole, filter.shift)
                         : camera.call("SetFilterFloat", filter.name, filter.width, filter.height,
                                       std::get<std::vector<double>>(filter.coefficients));
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

void print_bins(Bus& bus, const std::string& name) {
    print(fmt::format("{}\n", Camera(bus, name).info().bins));
}

void set_bins(Bus& bus, const std::string& name, std::uint32_t bins) {
    const Camera camera(bus, name);
    const Message reply = camera.call("SetBins", bins);
    print_generation(camera, reply, fmt::format("{} bins", bins));
}

void set_metering(Bus& bus, const std::string& name, const MeteringGrid& grid) {
    const Camera camera(bus, name);
    const Message reply = camera.call("SetMeteringGrid", grid.columns, grid.rows, grid.weights);
    print_generation(camera, reply,
                     grid.weights.empty()
                         ? "no metering"
                         : fmt::format("metering grid {}x{}", grid.columns, grid.rows));
}

void set_mask(Bus& bus, const std::string& name, const std::string& file) {
    const Camera camera(bus, name);
    const CameraInfo info = camera.info();
    if (info.width == 0)
        throw Failure(
            fmt::format("camera '{0}' has not told the size of its frames yet, which a mask must "
                        "have: start it with 'glintctl start {0}'",
                        name));
    const std::vector<std::uint8_t> mask = read_mask_png(file, info.width, info.height);
    const Message reply = camera.call("SetMask", MemoryFile(mask).descriptor());
    const auto counting = std::ranges::count_if(mask, [](std::uint8_t byte) { return byte != 0; });
    print_generation(camera, reply, fmt::format("{} of {} pixels count", counting, mask.size()));
}

void clear_mask(Bus& bus, const std::string& name) {
    const Camera camera(bus, name);
    const Message reply = camera.call("SetMask", MemoryFile().descriptor());
    print_generation(camera, reply, "no mask");
}

void retry_gpu(Bus& bus) {
    bus.call(names::root_path, names::manager_interface, "RetryGpu");
    print("asked for; 'glintctl status' tells the outcome\n");
}

}  // namespace glint::ctl
