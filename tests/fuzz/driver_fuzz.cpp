// A capture source on a driver that says anything: it may refuse, but neither crash, nor hang, nor
// leave anything behind, nor take for a frame what is none of its memory.
#include <cmath>
#include <memory>
#include <system_error>
#include <vector>

#include "tests/fakes/dma_bufs.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/random_driver.hpp"
#include "zero_copy/source.hpp"
#include "zero_copy/v4l2_controls.hpp"

using namespace glint::zero_copy;
using glint::fuzz::Input;
using glint::fuzz::RandomDriver;
using glint::fuzz::require;

namespace {

/// Pages of ours are real ones; a driver that wants more is tried with its own memory only.
constexpr uint32_t most_of_ours = 4U << 20;

SourceRequest take_request(Input& input) {
    enum Said : uint8_t { size = 1, format = 2, stride = 4, rate = 8, media = 16, control = 32 };
    SourceRequest request{.source = "v4l2:/dev/video0", .heaps = {"linux,cma", "v4l2:/dev/video1"}};
    const auto said = input.take<uint8_t>();
    if ((said & size) != 0) {
        request.width = 1 + input.take<uint8_t>();
        request.height = 1 + input.take<uint8_t>();
    }
    if ((said & format) != 0) {
        request.format = all_formats()[input.below(all_formats().size())].format;
    }
    if ((said & stride) != 0) request.stride_bytes = input.take<uint16_t>();
    if ((said & rate) != 0) request.rate = 1 + static_cast<double>(input.take<uint8_t>());
    if ((said & media) != 0) {
        request.media = {.device = input.take<uint8_t>() % 2 == 0 ? "/dev/media0" : "mxc",
                         .links = {R"("sensor":0 -> "receiver":0 [1])"},
                         .pads = {R"("sensor":0 [fmt:UYVY8_1X16/640x480@1/30])"}};
    }
    if ((said & control) != 0) request.controls = {{"gain", input.take<int8_t>()}};
    return request;
}

void read_frame(const FrameLayout& layout, const FrameMemory& memory) {
    const CpuAccess access(memory);
    for (uint32_t i = 0; i < layout.plane_count; ++i) {
        const PlaneLayout& plane = layout.planes[i];
        const size_t last_row = plane.offset_bytes + size_t{plane.rows - 1} * plane.stride_bytes;
        require(last_row + plane.row_bytes <= memory.size(), "a plane lies in its memory");
        const volatile uint8_t* const pixels = memory.data();
        (void)pixels[plane.offset_bytes];
        (void)pixels[last_row + plane.row_bytes - 1];
    }
}

void stream(Source& source, const std::vector<FrameMemory>& buffers) {
    constexpr int rounds = 8;
    source.start(buffers);
    for (int i = 0; i < rounds; ++i) {
        Captured frame;
        const Dequeued result = source.dequeue(frame);
        if (result == Dequeued::failed) {
            require(source.failure().what()[0] != '\0', "a failure says why");
            break;
        }
        if (result == Dequeued::nothing) continue;
        require(frame.slot < buffers.size(), "a frame is in one of the buffers");
        require(frame.exposure_usec >= -1 && frame.gain_raw >= -1, "a setting is known or is not");
        if (!frame.corrupt) read_frame(source.layout(), buffers[frame.slot]);
        source.queue(frame.slot);
    }
    source.stop();
}

void try_transport(Source& source, Transport transport) {
    try {
        constexpr uint32_t wanted = 4;
        const std::vector<FrameMemory> buffers = source.allocate(transport, wanted);
        require(buffers.size() >= min_buffers && buffers.size() <= max_buffers,
                "there are some buffers and not too many");
        for (const FrameMemory& buffer : buffers) {
            require(buffer.size() >= source.layout().size_bytes, "a frame fits into its memory");
        }
        stream(source, buffers);
    } catch (const TransportRefused&) {
    } catch (const SourceError&) {
    } catch (const std::system_error&) {
    }
}

void try_controls(const Source& source) {
    const auto device = source.control_device();
    if (device == nullptr) return;
    try {
        for (const Control& control : list_controls(*device)) {
            require(!control.type.empty(), "a control has a type");
        }
        set_control(*device, "power_line_frequency", 1);
    } catch (const ControlError&) {
    }
}

void use(RandomDriver& driver, const SourceRequest& request) {
    std::unique_ptr<Source> source;
    try {
        source = open_source(request, driver);
    } catch (const SourceError& error) {
        require(error.what()[0] != '\0', "a refusal says why");
        return;
    }
    require(std::isfinite(source->rate()) && source->rate() >= 0, "a rate is a number");
    const bool ours_too = driver.asked_bytes() <= most_of_ours;
    for (const Transport transport : source->transports()) {
        const bool may_be_ours = transport == Transport::userptr || transport == Transport::copy;
        if (ours_too || !may_be_ours) try_transport(*source, transport);
    }
    try_controls(*source);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Input input(data, size);
    const SourceRequest request = take_request(input);
    RandomDriver driver(input.rest());
    use(driver, request);
    require(driver.open_handles() == 0, "every descriptor is closed");
    require(!driver.has_mapped() || glint::fakes::live_mappings(RandomDriver::memory_name) == 0,
            "every mapping is undone");
    return 0;
}
