// Enqueueing operators that make a picture from a lane. Each object belongs to one thread: kernels
// hold arguments.
#pragma once

#include <memory>

#include "daemon/gpu/built_variant.hpp"
#include "daemon/gpu/launch.hpp"
#include "daemon/gpu/picture_operators.hpp"

namespace glint::gpu {

/// The operator that does such a task.
[[nodiscard]] kernels::Operator operator_of(const PictureTask& task);

class PictureLaunch {
  public:
    /// Throws ClError.
    PictureLaunch(const Context& context, std::shared_ptr<const BuiltVariant> built);
    [[nodiscard]] const kernels::Variant& variant() const { return *built_->variant; }

    /// Makes what the task says of `lane` of `frame` in `output`, whose stride is a multiple of 64.
    /// The task must be of the variant's operator and take the lane. Throws ClError.
    void enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane, const PictureTask& task,
                 cl_mem output, uint32_t output_stride_bytes, Events* events = nullptr);

  private:
    class Arguments;
    [[nodiscard]] cl_mem use(const LookupTable& table);

    std::shared_ptr<const BuiltVariant> built_;
    cl_context context_;
    KernelHandle kernel_;
    LookupTable table_{};
    MemHandle table_buffer_;  ///< of table_
};

}  // namespace glint::gpu
