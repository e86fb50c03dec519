// Does a variant compute what the reference computes, on this very device?
#pragma once

#include <string>

#include "daemon/gpu/convolution_launch.hpp"
#include "daemon/gpu/float_convolution_launch.hpp"
#include "daemon/gpu/histogram_launch.hpp"

namespace glint::gpu {

/// Odd sizes, every sample layout, poisoned surroundings, dirty counters. Blocks on the queue.
/// Returns what differed, or an empty text. Throws ClError when a call fails.
[[nodiscard]] std::string check_histogram(const Context& context, cl_command_queue queue,
                                          HistogramLaunch& launch);

/// As check_histogram, with saturation at both ends, negative sums, and borders, for filters of the
/// launch's size that it accepts.
[[nodiscard]] std::string check_convolution(const Context& context, cl_command_queue queue,
                                            ConvolutionLaunch& launch);

/// Within the bound of ExactPixel::tolerance, for several filters and every border.
[[nodiscard]] std::string check_float_convolution(const Context& context, cl_command_queue queue,
                                                  FloatConvolutionLaunch& launch);

}  // namespace glint::gpu
