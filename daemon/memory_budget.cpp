#include "daemon/memory_budget.hpp"

#include <fmt/format.h>

#include "daemon/failure.hpp"
#include "daemon/names.hpp"

namespace glint {

void MemoryBudget::check(uint32_t buffers, uint64_t bytes_each) const {
    const uint64_t wanted = buffers * bytes_each;
    if (wanted <= limit_ && taken_ <= limit_ - wanted) return;
    throw Failure(names::error::format_unsupported,
                  fmt::format("{} buffers of {} bytes need {} bytes; with {} of the other cameras "
                              "and of streams that is {}, and [memory] limit_mib allows {}",
                              buffers, bytes_each, wanted, taken_, taken_ + wanted, limit_));
}

MemoryBudget::Share MemoryBudget::take(uint32_t buffers, uint64_t bytes_each) {
    check(buffers, bytes_each);
    return {*this, buffers * bytes_each};
}

}  // namespace glint
