// Does a variant compute what the reference computes, on this very device?
#pragma once

#include <string>

#include "daemon/gpu/convolution_launch.hpp"
#include "daemon/gpu/filtered_histogram_launch.hpp"
#include "daemon/gpu/float_convolution_launch.hpp"
#include "daemon/gpu/histogram_launch.hpp"
#include "daemon/gpu/picture_launch.hpp"
#include "daemon/gpu/sharpness_launch.hpp"

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

/// As check_histogram, for every task of the launch's operator, with saturation at both ends.
[[nodiscard]] std::string check_picture(const Context& context, cl_command_queue queue,
                                        PictureLaunch& launch);

/// As check_histogram, with sums as large as they get.
[[nodiscard]] std::string check_sharpness(const Context& context, cl_command_queue queue,
                                          SharpnessLaunch& launch);

/// As check_convolution, of the filtered picture's histogram.
[[nodiscard]] std::string check_filtered_histogram(const Context& context, cl_command_queue queue,
                                                   FilteredHistogramLaunch& launch);

}  // namespace glint::gpu
