// What filters the frames of one stream with float coefficients on the GPU, made when such a filter
// is first asked for.
#pragma once

#include <memory>
#include <vector>

#include "daemon/gpu/float_convolution_launch.hpp"
#include "daemon/gpu/runtime.hpp"

namespace glint::gpu {

struct FloatStage {
    uint32_t filter_size = 0;  ///< 0: none was asked for
    Choice choice;
    std::unique_ptr<FloatConvolutionLaunch> launch;  ///< null: the cpu variant
    std::vector<Refusal> refused;                    ///< of the device, up to this choice
};

/// What a stage is made for.
struct FloatStageRequest {
    FrameSize frame;
    size_t frame_bytes = 0;
    Lane lane;  ///< what the filter sees of the frame
    uint32_t output_stride_bytes = 0;
    FloatFilter filter;
};

/// Builds, checks, and runs the kernel once with the stream's own geometry on memory of its own,
/// since the first launch of a size may compile. What the device does not do, the last step
/// included, is left to the cpu variant, with the reason. Blocks: for the builder.
[[nodiscard]] FloatStage make_float_stage(const Runtime& runtime, const FloatStageRequest& request);

}  // namespace glint::gpu
