// How variants do the tools' tasks on a device.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "daemon/gpu/built_variant.hpp"
#include "daemon/gpu/launch.hpp"
#include "tools/task.hpp"

namespace glint::tools {

/// The device cannot hold the frame as the variant wants it, or so many sums.
class DoesNotFit : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// All kernels of one build on one lane.
struct Launch {
    std::function<void(cl_command_queue queue, cl_mem frame, cl_mem result, gpu::Events* events)>
        enqueue;
    size_t result_bytes = 0;  ///< that it writes
    bool adds = false;        ///< to what is in `result`, which must start at zero
};

/// Throws ClError, and DoesNotFit.
[[nodiscard]] Launch make_launch(const gpu::Context& context,
                                 std::shared_ptr<const gpu::BuiltVariant> built, const Task& task,
                                 const gpu::Lane& lane);

/// Whether the variant does the task, and exactly if it promises that.
[[nodiscard]] bool takes(const kernels::Variant& variant, const Task& task);

/// The filter size that the variant is built with for the task; 0: it has none, or takes any.
[[nodiscard]] uint32_t built_size(const kernels::Variant& variant, const Task& task);

/// Of the tasks with such a filter that the variant takes the last, which asks most of it; null if
/// there is none.
[[nodiscard]] const Task* hardest_task(const kernels::Variant& variant, uint32_t filter_size);

}  // namespace glint::tools
