#include "daemon/cpu_processor.hpp"

#include <cstring>
#include <vector>

#include "daemon/gpu/measuring_operators.hpp"

namespace glint {
namespace {

struct Measured {
    std::vector<uint32_t> bins;
    std::vector<uint64_t> sharpness;
    size_t bytes_copied = 0;
    bool unreadable = false;
};

/// Where to read the frame: where it lies, or a copy made in one go.
const uint8_t* readable(const zero_copy::FrameMemory& frame, zero_copy::FrameMemory* copy,
                        Measured& measured) {
    if (copy == nullptr) return frame.data();
    if (copy->size() != frame.size()) *copy = zero_copy::FrameMemory(frame.size());
    std::memcpy(copy->data(), frame.data(), frame.size());
    measured.bytes_copied = frame.size();
    return copy->data();
}

Measured measure(const Work& work, const FilteredPicture& picture, zero_copy::FrameMemory* copy) {
    Measured measured;
    const zero_copy::CpuAccess access(*work.memory);
    measured.unreadable = !access.granted();
    if (measured.unreadable) return measured;
    const uint8_t* const frame = readable(*work.memory, copy, measured);
    const gpu::HistogramTask& counting = *work.plan->counting;
    measured.bins.resize(counting.counters());
    gpu::cpu::histogram(frame, counting, measured.bins);
    if (work.filter) {
        const gpu::Output output{picture.memory.data(), picture.stride_bytes};
        std::visit(
            [&](const auto& filter) {
                gpu::cpu::convolve(frame, work.plan->filter_lane, filter, output);
            },
            *work.plan->filter);
    }
    if (work.sharpness_region) {
        for (const gpu::Lane& lane : work.plan->byte_lanes(*work.sharpness_region)) {
            measured.sharpness.push_back(gpu::cpu::sharpness(frame, lane));
        }
    }
    return measured;
}

}  // namespace

CpuProcessor::CpuProcessor(Worker& worker, std::shared_ptr<FilteredPicture> picture,
                           bool copies_first)
    : worker_(worker),
      picture_(std::move(picture)),
      copy_(copies_first ? std::make_shared<zero_copy::FrameMemory>() : nullptr) {}

std::string CpuProcessor::submit(const Work& work, Done done) noexcept {
    // A frame of 2 GiB takes seconds on a slow core; nothing takes longer.
    constexpr std::chrono::seconds deadline{20};
    worker_.post(
        deadline,
        [work, picture = picture_, copy = copy_] { return measure(work, *picture, copy.get()); },
        [this, done = std::move(done)](Outcome<Measured> outcome) {
            const Measured measured = outcome.get();
            bytes_copied_ += measured.bytes_copied;
            done({.failure = {},
                  .unreadable = measured.unreadable,
                  .bins = measured.bins,
                  .sharpness = measured.sharpness});
        });
    return {};
}

}  // namespace glint
