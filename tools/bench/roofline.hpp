// How near a result is to what the device can do: the roofline model (Williams, Waterman,
// Patterson, CACM 52(4), 2009) with ceilings measured in the same run.
#pragma once

#include "tools/task.hpp"

namespace glint::bench {

/// What an operator needs by its definition, whatever a variant does to get there.
struct Demand {
    double bytes = 0;  ///< that must come from memory and go back to it
    double multiply_adds = 0;
};
[[nodiscard]] Demand demand_of(const tools::Cost& cost);

/// What the device was seen to do at best; a ceiling of 0 is unknown and bounds nothing.
struct Ceiling {
    double bytes_per_sec = 0;
    double multiply_adds_per_sec = 0;
};

enum class Bound { memory, compute };
/// "memory-bound" or "compute-bound".
[[nodiscard]] const char* name_of(Bound bound);

struct Verdict {
    Bound bound = Bound::memory;  ///< the ceiling that would take longer; memory if both the same
    double of_ceiling = 0;        ///< the time at that ceiling / the measured time
};

[[nodiscard]] Verdict judge(double seconds, const Demand& demand, const Ceiling& ceiling);

}  // namespace glint::bench
