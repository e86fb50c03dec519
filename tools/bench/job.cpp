#include "tools/bench/job.hpp"

#include <array>

namespace glint::bench {

Result measure(Device& device, Ceilings& ceilings, const Job& job) {
    const Floor& floor = ceilings.floor(job.traffic, job.floor_bytes);
    const Peak& peak = ceilings.peak(job.arithmetic);
    std::vector<double> transfers;
    const std::array<Contender, 2> contenders{[&] {
                                                  const DeviceTimes times = device.run(job.enqueue);
                                                  transfers.push_back(times.transfers);
                                                  return times.kernels;
                                              },
                                              device.timed_by_device([&](auto queue, auto* events) {
                                                  Ceilings::enqueue(queue, floor, job.floor_bytes,
                                                                    job.frame, job.scratch, events);
                                              })};
    const std::vector<Timing> timings = in_turn(contenders);
    const double transfer_seconds = median(transfers);
    const double seconds = timings[0].seconds;
    const double floor_seconds = timings[1].seconds;
    const Ceiling ceiling{.bytes_per_sec = job.demand.bytes / floor_seconds,
                          .multiply_adds_per_sec = peak.per_sec()};
    const Verdict verdict = judge(seconds, job.demand, ceiling);
    Result result{.timing = timings[0],
                  .counters = {{"GB/s", job.demand.bytes / seconds * 1e-9},
                               {"floor_us", floor_seconds * 1e6},
                               {"x_floor", seconds / floor_seconds},
                               {"of_ceiling", verdict.of_ceiling}},
                  .label = name_of(verdict.bound)};
    if (job.demand.multiply_adds > 0)
        result.counters["Gop/s"] = 2 * job.demand.multiply_adds / seconds * 1e-9;
    if (transfer_seconds > 0) {
        result.counters["transfer_us"] = transfer_seconds * 1e6;
        result.counters["x_floor_with_transfer"] = (seconds + transfer_seconds) / floor_seconds;
    }
    return result;
}

}  // namespace glint::bench
