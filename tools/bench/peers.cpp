// What a user would pick instead, on the same data and the same cores: OpenCV native on one thread
// and on all, and its T-API on the same OpenCL context, in turn with the cpu variant and every
// OpenCL variant. All by the clock on the wall, pictures already where each works on them. Before
// each run comes one of the same kind that does not count: it fetches the picture into the caches
// and wakes the threads, so that it does not matter whose turn was before.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/imgproc.hpp>

#include "tools/bench/race.hpp"
#include "tools/bench/suite.hpp"

namespace glint::bench {
namespace {

/// T-API runs take hundreds of milliseconds on a CPU device.
constexpr Budget budget{.least_runs = 7, .most_runs = 31, .seconds = 3};

/// A histogram, or a filter; one picture and the places for results.
struct Work {
    Frame frame;
    const gpu::Filter* filter;  ///< null: a histogram
    gpu::HistogramTask task;
    gpu::Bins bins{};
    zero_copy::FrameMemory output;
    cv::Mat image;
    cv::Mat kernel;
    cv::Mat result;
    cv::UMat device_image;
    cv::UMat device_result;

    Work(Size size, Picture picture, const gpu::Filter* of)
        : frame(grey_frame(size, picture)),
          filter(of),
          task(frame.lane),
          output(bytes_of(size)),
          image(static_cast<int>(size.height), static_cast<int>(size.width), CV_8U,
                frame.memory.data()) {
        if (filter == nullptr) return;
        const auto taps = static_cast<int>(filter->size);
        kernel.create(taps, taps, CV_32F);
        for (int i = 0; i < taps * taps; ++i) {
            kernel.at<float>(i / taps, i % taps) =
                static_cast<float>(filter->coefficients[static_cast<size_t>(i)]) /
                static_cast<float>(1U << filter->shift);
        }
    }
};

template <typename Image>
void run_opencv(const Work& work, const Image& image, Image& result) {
    if (work.filter == nullptr) {
        cv::calcHist(std::vector<Image>{image}, {0}, cv::noArray(), result, {256}, {0, 256});
    } else if (work.filter->is_binomial()) {
        cv::GaussianBlur(image, result, work.kernel.size(), 0, 0, cv::BORDER_REPLICATE);
    } else {
        cv::filter2D(image, result, CV_8U, work.kernel, {-1, -1}, 0, cv::BORDER_REPLICATE);
    }
}

Entrant native(const std::shared_ptr<Work>& work, int threads) {
    return {.run = [work, threads] {
        cv::setNumThreads(threads);
        return time_of([&] { run_opencv(*work, work->image, work->result); });
    }};
}

/// Lets OpenCV work on our device in our context, the only way to be sure that it is the same.
std::string attach(const Device& device) {
    static const std::string problem = [&]() -> std::string {
        const gpu::Context& context = device.context();
        try {
            cv::ocl::attachContext(device.traits().platform_name, context.device.platform,
                                   context.handle.get(), context.device.id);
            cv::ocl::setUseOpenCL(true);
        } catch (const cv::Exception& error) {
            return error.what();
        }
        return cv::ocl::useOpenCL() ? "" : "OpenCV does not use OpenCL here";
    }();
    return problem;
}

Entrant transparent(const std::shared_ptr<Work>& work, const Device& device) {
    if (std::string problem = attach(device); !problem.empty()) return {.skipped = problem};
    work->image.copyTo(work->device_image);
    return {.run = [work] {
        return time_of([&] {
            run_opencv(*work, work->device_image, work->device_result);
            cv::ocl::finish();
        });
    }};
}

Entrant cpu_variant(const std::shared_ptr<Work>& work) {
    return {.run = [work] {
        const Frame& frame = work->frame;
        return time_of([&] {
            if (work->filter == nullptr) {
                gpu::cpu::histogram(frame.memory.data(), work->task, work->bins);
            } else {
                gpu::cpu::convolve(frame.memory.data(), frame.lane, *work->filter,
                                   {work->output.data(), frame.size.width});
            }
        });
    }};
}

Entrant opencl_variant(Suite& suite, const kernels::Variant& variant, const Work& work) {
    try {
        const Job job = work.filter == nullptr
                            ? suite.variants.histogram(variant, work.frame)
                            : suite.variants.convolution(variant, work.frame, *work.filter);
        const cl_command_queue queue = suite.device.plain_queue();
        return {.run = [job, queue] {
            return time_of([&] {
                job.enqueue(queue, nullptr);
                gpu::check(clFinish(queue), "clFinish");
            });
        }};
    } catch (const std::exception& error) {
        return {.skipped = error.what()};
    }
}

std::vector<const kernels::Variant*> variants_for(const Suite& suite, const gpu::Filter* filter) {
    std::vector<const kernels::Variant*> result;
    for (const kernels::Variant& variant : kernels::catalogue()) {
        const bool fits = filter == nullptr ? variant.op == kernels::Operator::histogram
                                            : takes(variant, *filter);
        if (fits && gpu::why_illegal(variant.needs, suite.device.traits()).empty())
            result.push_back(&variant);
    }
    return result;
}

Entrant warmed(Entrant entrant) {
    if (!entrant.run) return entrant;
    entrant.run = [run = std::move(entrant.run)] {
        (void)run();
        return run();
    };
    return entrant;
}

void add_peer_race(Suite& suite, const std::string& name, Size size, Picture picture,
                   const gpu::Filter* filter) {
    const std::vector<const kernels::Variant*> variants = variants_for(suite, filter);
    std::vector<EntrantName> names{
        {"opencv", true}, {"opencv_1_thread", true}, {"opencv_tapi", true}, {"cpu"}};
    for (const kernels::Variant* variant : variants) {
        names.push_back({fmt::format("{}/{}", kernels::name_of(variant->set), variant->name)});
    }
    const int all_threads = cv::getNumThreads();
    add_race(
        fmt::format("peers/{}/{}", name, text_of(size)), std::move(names),
        [&suite, size, picture, filter, variants, all_threads] {
            const auto work = std::make_shared<Work>(size, picture, filter);
            std::vector<Entrant> result{native(work, all_threads), native(work, 1),
                                        transparent(work, suite.device), cpu_variant(work)};
            for (const kernels::Variant* variant : variants)
                result.push_back(opencl_variant(suite, *variant, *work));
            std::ranges::transform(result, result.begin(), warmed);
            return result;
        },
        budget);
}

}  // namespace

void add_peers(Suite& suite) {
    for (const Size size : sizes) {
        for (const Picture picture : {Picture::noise, Picture::smooth}) {
            add_peer_race(suite, fmt::format("histogram/{}", name_of(picture)), size, picture,
                          nullptr);
        }
        for (const NamedFilter& entry : filters())
            add_peer_race(suite, entry.name, size, Picture::noise, &entry.filter);
    }
}

}  // namespace glint::bench
