// Commands about a camera's hardware: explain, controls, control.
#include <fmt/format.h>

#include "tools/ctl/client.hpp"
#include "tools/ctl/commands.hpp"
#include "tools/ctl/output.hpp"

namespace glint::ctl {
namespace {

std::string meaning_of(std::string_view transport) {
    if (transport == "dmabuf") return "the driver fills dma-bufs of a heap, which the GPU maps";
    if (transport == "mmap") return "the driver fills pages of its own, which the GPU maps";
    if (transport == "userptr") return "the driver fills pages of glintd's, which the GPU maps";
    if (transport == "host_pages") return "glintd fills pages of its own, which the GPU maps";
    if (transport == "copy") return "each frame is copied to the GPU";
    return "no frame has come yet";
}

std::string meaning_of_zero_copy(std::string_view zero_copy) {
    if (zero_copy == "proven")
        return "the GPU's writes were seen in the very pages, and the reverse";
    if (zero_copy == "unproven") return "correct, but that nothing is copied could not be seen";
    return "something copies, or no GPU is in use";
}

std::string control_line(const Control& control) {
    std::string line = fmt::format("{:<28} {:<12} {:>8}  {} to {} in steps of {}, default {}",
                                   control.name, control.type, control.value, control.minimum,
                                   control.maximum, control.step, control.default_value);
    if (control.access != "active") line += fmt::format(" ({})", control.access);
    line += '\n';
    for (const MenuItem& item : control.menu)
        line += fmt::format("{:>50}  {}\n", item.value, item.meaning);
    return line;
}

}  // namespace

// The ladder as it was climbed down: the rungs that were refused, and the one that serves.
void explain(Bus& bus, const std::string& name) {
    const CameraInfo camera = Camera(bus, name).info();
    std::string out = fmt::format("{} is {}; how its frames reach the GPU:\n", name, camera.state);
    std::string doubt;
    for (const Rung& rung : camera.ladder) {
        if (rung.transport == camera.transport)
            doubt = rung.reason;
        else
            out += fmt::format("  {:<10} refused: {}\n", rung.transport, rung.reason);
    }
    out += fmt::format("  {:<10} in use: {}\n", camera.transport, meaning_of(camera.transport));
    out += fmt::format("zero copy: {}, {}\n", camera.zero_copy,
                       doubt.empty() ? meaning_of_zero_copy(camera.zero_copy) : doubt);
    out += fmt::format("bytes copied so far: {}\n", camera.bytes_copied);
    print(out);
}

void print_controls(Bus& bus, const std::string& name) {
    std::string out;
    for (const Control& control : Camera(bus, name).controls()) out += control_line(control);
    print(out.empty() ? fmt::format("{} has no controls\n", name) : out);
}

void set_control(Bus& bus, const std::string& name, const std::string& control,
                 std::int64_t value) {
    const Camera camera(bus, name);
    camera.call("SetControl", control, value);
    print(fmt::format("{}: {} = {}\n", name, control, value));
}

}  // namespace glint::ctl
