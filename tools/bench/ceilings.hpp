// What the device can do at best: the best of several kernels that only read, only copy, or only
// multiply and add.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/bench/device.hpp"

namespace glint::bench {

enum class Arithmetic { floats, integers };
enum class Traffic { read, copy };

/// A kernel that moves bytes and does nothing else, with the shape in which it was fastest.
struct Floor {
    cl_kernel kernel = nullptr;
    Range range;
    size_t chunk_bytes = 16;  ///< of one load
    Timing timing;            ///< of the measurement that made it win
    double bytes_moved = 0;   ///< read and written together
    std::string description;  ///< loads per round, access pattern, work-group and work-items

    [[nodiscard]] double bytes_per_sec() const { return bytes_moved / timing.seconds; }
};

struct Peak {
    Timing timing;
    double multiply_adds = 0;
    std::string description;

    [[nodiscard]] double per_sec() const { return multiply_adds / timing.seconds; }
};

/// Measured when they are first asked for, candidates in turn. Throws gpu::ClError when no
/// candidate runs; one alone that the device refuses takes no part.
class Ceilings {
  public:
    explicit Ceilings(Device& device);

    /// The fastest for `bytes` read, or read and written again. Small frames come from a cache, so
    /// each size has its own.
    [[nodiscard]] const Floor& floor(Traffic traffic, size_t bytes);
    [[nodiscard]] const Peak& peak(Arithmetic arithmetic);
    /// As the two above, measured anew.
    const Floor& measure_floor(Traffic traffic, size_t bytes);
    const Peak& measure_peak(Arithmetic arithmetic);

    /// Lets the floor move the first `bytes`, in whole chunks, of `from`, to `to` if it copies.
    /// Both hold whole pages; `to` may be any small buffer if it only reads.
    static void enqueue(cl_command_queue queue, const Floor& floor, size_t bytes, cl_mem from,
                        cl_mem to, Events* events);

  private:
    [[nodiscard]] std::vector<Floor> floor_candidates(Traffic traffic, size_t bytes) const;

    Device& device_;
    std::vector<gpu::BuiltProgram> memory_programs_;  ///< one for each kind of loads
    std::map<std::pair<Traffic, size_t>, Floor> floors_;
    std::map<Arithmetic, Peak> peaks_;
};

}  // namespace glint::bench
