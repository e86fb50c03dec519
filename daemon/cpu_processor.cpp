#include "daemon/cpu_processor.hpp"

#include <vector>

#include "daemon/gpu/measuring_operators.hpp"

namespace glint {
namespace {

struct Measured {
    std::vector<uint32_t> bins;
    std::vector<uint64_t> sharpness;
};

}  // namespace

CpuProcessor::CpuProcessor(Worker& worker, std::shared_ptr<FilteredPicture> picture)
    : worker_(worker), picture_(std::move(picture)) {}

std::string CpuProcessor::submit(const Work& work, Done done) noexcept {
    // A frame of 2 GiB takes seconds on a slow core; nothing takes longer.
    constexpr std::chrono::seconds deadline{20};
    auto measure = [work, picture = picture_] {
        const gpu::HistogramTask& counting = *work.plan->counting;
        Measured measured{.bins = std::vector<uint32_t>(counting.counters()), .sharpness = {}};
        gpu::cpu::histogram(work.frame, counting, measured.bins);
        if (work.filter) {
            gpu::cpu::convolve(work.frame, work.plan->filter_lane, *work.plan->filter,
                               {picture->memory.data(), picture->stride_bytes});
        }
        if (work.sharpness_region) {
            for (const gpu::Lane& lane : work.plan->byte_lanes(*work.sharpness_region)) {
                measured.sharpness.push_back(gpu::cpu::sharpness(work.frame, lane));
            }
        }
        return measured;
    };
    worker_.post(deadline, std::move(measure), [done = std::move(done)](Outcome<Measured> outcome) {
        const Measured measured = outcome.get();
        done({.failure = {}, .bins = measured.bins, .sharpness = measured.sharpness});
    });
    return {};
}

}  // namespace glint
