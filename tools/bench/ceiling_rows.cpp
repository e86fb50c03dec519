// The rows "ceiling/...": what everything else is compared with.
#include <fmt/format.h>

#include "tools/bench/suite.hpp"

namespace glint::bench {
namespace {

void add_floor(Ceilings& ceilings, Traffic traffic, Size size) {
    add_row(fmt::format("ceiling/{}/{}", traffic == Traffic::read ? "read" : "copy", text_of(size)),
            [&ceilings, traffic, size] {
                const Floor& floor = ceilings.measure_floor(traffic, bytes_of(size));
                return Result{.timing = floor.timing,
                              .counters = {{"GB/s", floor.bytes_per_sec() * 1e-9}},
                              .label = floor.description};
            });
}

/// A multiply-add counts as two operations.
void add_peak(Ceilings& ceilings, Arithmetic arithmetic) {
    const bool floats = arithmetic == Arithmetic::floats;
    add_row(fmt::format("ceiling/multiply_add/{}", floats ? "float" : "int"), [&ceilings,
                                                                               arithmetic, floats] {
        const Peak& peak = ceilings.measure_peak(arithmetic);
        return Result{.timing = peak.timing,
                      .counters = {{floats ? "GFLOP/s" : "Gop/s", 2 * peak.per_sec() * 1e-9}},
                      .label = peak.description};
    });
}

}  // namespace

void add_ceilings(Suite& suite) {
    for (const Size size : sizes) {
        for (const Traffic traffic : {Traffic::read, Traffic::copy})
            add_floor(suite.ceilings, traffic, size);
    }
    for (const Arithmetic arithmetic : {Arithmetic::floats, Arithmetic::integers})
        add_peak(suite.ceilings, arithmetic);
}

}  // namespace glint::bench
