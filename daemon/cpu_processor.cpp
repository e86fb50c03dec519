#include "daemon/cpu_processor.hpp"

#include <vector>

namespace glint {

CpuProcessor::CpuProcessor(Worker& worker, std::shared_ptr<FilteredPicture> picture)
    : worker_(worker), picture_(std::move(picture)) {}

std::string CpuProcessor::submit(const Work& work, Done done) noexcept {
    // A frame of 2 GiB takes seconds on a slow core; nothing takes longer.
    constexpr std::chrono::seconds deadline{20};
    auto measure = [work, picture = picture_] {
        const gpu::HistogramTask& counting = *work.plan->counting;
        std::vector<uint32_t> bins(counting.counters());
        gpu::cpu::histogram(work.frame, counting, bins);
        if (work.filter) {
            gpu::cpu::convolve(work.frame, work.plan->filter_lane, *work.plan->filter,
                               {picture->memory.data(), picture->stride_bytes});
        }
        return bins;
    };
    worker_.post(deadline, std::move(measure),
                 [done = std::move(done)](Outcome<std::vector<uint32_t>> outcome) {
                     const std::vector<uint32_t> bins = outcome.get();
                     done({.failure = {}, .bins = bins});
                 });
    return {};
}

}  // namespace glint
