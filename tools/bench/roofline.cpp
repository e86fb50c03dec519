#include "tools/bench/roofline.hpp"

#include <algorithm>

namespace glint::bench {
namespace {

double time_at(double amount, double per_sec) {
    return per_sec > 0 ? amount / per_sec : 0;
}

}  // namespace

const char* name_of(Bound bound) {
    return bound == Bound::memory ? "memory-bound" : "compute-bound";
}

Demand demand_of(const tools::Cost& cost) {
    return {.bytes = static_cast<double>(cost.bytes()),
            .multiply_adds = static_cast<double>(cost.multiply_adds)};
}

Verdict judge(double seconds, const Demand& demand, const Ceiling& ceiling) {
    const double memory = time_at(demand.bytes, ceiling.bytes_per_sec);
    const double compute = time_at(demand.multiply_adds, ceiling.multiply_adds_per_sec);
    return {.bound = memory >= compute ? Bound::memory : Bound::compute,
            .of_ceiling = seconds > 0 ? std::max(memory, compute) / seconds : 0};
}

}  // namespace glint::bench
