// A kernel on a frame, measured beside its floor.
#pragma once

#include <functional>

#include "tools/bench/ceilings.hpp"
#include "tools/bench/registry.hpp"
#include "tools/bench/roofline.hpp"

namespace glint::bench {

/// Work that is ready to be enqueued again and again.
struct Job {
    using Enqueue = std::function<void(cl_command_queue, Events*)>;

    Enqueue enqueue;           ///< owns what it needs
    cl_mem frame = nullptr;    ///< what the floor reads too
    cl_mem scratch = nullptr;  ///< where a floor that copies may write `floor_bytes`
    Traffic traffic = Traffic::read;
    size_t floor_bytes = 0;  ///< that the floor reads, and writes if it copies
    Demand demand;
    Arithmetic arithmetic = Arithmetic::integers;
};

/// One row: the job and its floor in turn by the device's clock. The time is that of the job's
/// kernels; what else it enqueues, such as the copy into an image, is shown apart. Counters:
///   GB/s        the demand's bytes / the time
///   Gop/s       two operations for each multiply-add of the demand / the time
///   floor_us, x_floor   the floor's time, and the time / the floor's
///   of_ceiling  Verdict::of_ceiling, with the floor that ran in turn; the label is the verdict
///   transfer_us, x_floor_with_transfer   if not all of it is kernels
[[nodiscard]] Result measure(Device& device, Ceilings& ceilings, const Job& job);

}  // namespace glint::bench
