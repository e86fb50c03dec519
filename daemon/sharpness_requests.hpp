// Who waits for figures that are computed only on demand.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/failure.hpp"
#include "daemon/pipeline.hpp"

namespace glint {

/// The callers of one camera that wait for the sharpness of a region. Those of the same region
/// share a frame; other regions take the next ones. Loop thread only.
class SharpnessRequests {
  public:
    static constexpr size_t max_waiting = 64;

    /// Exactly one of the two is called, once.
    struct Request {
        std::string region;
        std::function<void(const Measurement&)> answer;  ///< the region's sharpness is in it
        std::function<void(const Failure&)> refuse;
    };

    /// Throws Failure (LimitsExceeded) when too many wait already.
    void add(Request request);
    /// The region whose sharpness the next frame should measure, as its index in the plan.
    [[nodiscard]] std::optional<size_t> wanted(const Plan& plan) const;
    /// Answers those who waited for what this frame has; refuses whose region is no more.
    void measured(const Measurement& measurement);
    void refuse(const Failure& failure);

  private:
    std::vector<Request> waiting_;
};

}  // namespace glint
