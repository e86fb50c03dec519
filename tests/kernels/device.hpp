// The device under test and every variant that is legal on it, built once per process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "daemon/gpu/convolution_launch.hpp"
#include "daemon/gpu/filtered_histogram_launch.hpp"
#include "daemon/gpu/float_convolution_launch.hpp"
#include "daemon/gpu/histogram_launch.hpp"
#include "daemon/gpu/picture_launch.hpp"
#include "daemon/gpu/sharpness_launch.hpp"

namespace glint::test {

/// The first device there is; ends the process with a message when there is none, since a test that
/// passes without a device would be worth nothing.
const gpu::Context& context();
cl_command_queue queue();

struct NamedHistogram {
    std::string name;
    bool default_shape;  ///< of work-groups
    std::unique_ptr<gpu::HistogramLaunch> launch;
};
struct NamedConvolution {
    std::string name;
    bool default_shape;  ///< of work-groups
    std::unique_ptr<gpu::ConvolutionLaunch> launch;
};
struct NamedPicture {
    std::string name;
    bool default_shape;  ///< of work-groups
    std::unique_ptr<gpu::PictureLaunch> launch;
};
struct NamedSharpness {
    std::string name;
    bool default_shape;  ///< of work-groups
    std::unique_ptr<gpu::SharpnessLaunch> launch;
};
struct NamedFiltered {
    std::string name;
    bool default_shape;  ///< of work-groups
    std::unique_ptr<gpu::FilteredHistogramLaunch> launch;
};

struct NamedFloatConvolution {
    std::string name;
    bool default_shape;  ///< of work-groups
    std::unique_ptr<gpu::FloatConvolutionLaunch> launch;
};

/// With the default work-group sizes and with a second set of them; few, since PoCL compiles each
/// size anew.
std::vector<NamedHistogram>& histograms();
std::vector<NamedConvolution>& convolutions();
std::vector<NamedFloatConvolution>& float_convolutions();
std::vector<NamedPicture>& picture_variants();  ///< of every operator that makes a picture
std::vector<NamedSharpness>& sharpnesses();
std::vector<NamedFiltered>& filtered_histograms();

}  // namespace glint::test
