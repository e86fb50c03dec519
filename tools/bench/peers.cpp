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

#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/separation.hpp"
#include "tools/bench/race.hpp"
#include "tools/bench/suite.hpp"

namespace glint::bench {
namespace {

/// T-API runs take hundreds of milliseconds on a CPU device.
constexpr Budget budget{.least_runs = 7, .most_runs = 31, .seconds = 3};

const gpu::Filter* filter_of(const tools::Task& task) {
    const auto* filtering = std::get_if<tools::Filtering>(&task.operation);
    return filtering == nullptr ? nullptr : &filtering->filter;
}

/// What OpenCV has as well: a histogram, or a filter; one picture and the places for results.
struct Work {
    const tools::Task& task;
    Frame frame;
    const gpu::Filter* filter;  ///< null: a histogram
    zero_copy::FrameMemory output;
    cv::Mat image;
    cv::Mat kernel;
    cv::Mat result;
    cv::UMat device_image;
    cv::UMat device_result;

    Work(Size size, Picture picture, const tools::Task& what)
        : task(what),
          frame(grey_frame(size, picture)),
          filter(filter_of(what)),
          output(result_bytes(what, frame.lane)),
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

/// The sigma that gives GaussianBlur the task's filter. 0 means its tables, which for 3x3 and 5x5
/// are the binomials; for Gaussians of up to 7x7 they would come before the sigma of our filters.
double sigma_of(const Work& work) {
    if (work.task.name.starts_with("binomial")) return 0;
    return gpu::gaussian_sigma(work.filter->size);
}

template <typename Image>
void run_opencv(const Work& work, const Image& image, Image& result) {
    if (work.filter == nullptr) {
        cv::calcHist(std::vector<Image>{image}, {0}, cv::noArray(), result, {256}, {0, 256});
    } else if (gpu::separate(*work.filter)) {
        const double sigma = sigma_of(work);
        cv::GaussianBlur(image, result, work.kernel.size(), sigma, sigma, cv::BORDER_REPLICATE);
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
            compute_on_cpu(work->task, frame.memory.data(), frame.lane, work->output.bytes());
        });
    }};
}

Entrant opencl_variant(Suite& suite, const kernels::Variant& variant, const Work& work) {
    try {
        const Job job = suite.variants.job(variant, work.task, work.frame);
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

std::string row_end(const kernels::Variant& variant) {
    return fmt::format("{}/{}", kernels::name_of(variant.set), variant.name);
}

/// Those that this device may run, of the rows asked for: all of a race run, and with slow ones for
/// minutes.
std::vector<const kernels::Variant*> variants_for(const Suite& suite, const tools::Task& task,
                                                  const std::string& race) {
    std::vector<const kernels::Variant*> result;
    for (const kernels::Variant& variant : kernels::catalogue()) {
        const bool legal = gpu::why_illegal(variant.needs, suite.device.traits()).empty();
        const bool asked = is_asked_for(race + '/' + row_end(variant));
        if (legal && asked && takes(variant, task)) result.push_back(&variant);
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

void add_peer_race(Suite& suite, const tools::Task& task, Size size, Picture picture) {
    const std::string race =
        fmt::format("peers/{}/{}{}", task.name, picture_text(task, picture), text_of(size));
    const std::vector<const kernels::Variant*> variants = variants_for(suite, task, race);
    std::vector<EntrantName> names{
        {"opencv", true}, {"opencv_1_thread", true}, {"opencv_tapi", true}, {"cpu"}};
    for (const kernels::Variant* variant : variants) names.push_back({row_end(*variant)});
    const int all_threads = cv::getNumThreads();
    add_race(
        race, std::move(names),
        [&suite, &task, size, picture, variants, all_threads] {
            const auto work = std::make_shared<Work>(size, picture, task);
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
        for (const tools::Task& task : tools::tasks()) {
            const bool counts = task.op == kernels::Operator::histogram;
            if (!counts && filter_of(task) == nullptr) continue;
            if (!is_measured_on(task, {formats[0], size}, suite.all)) continue;
            for (const Picture picture : pictures_of(task)) {
                add_peer_race(suite, task, size, picture);
            }
        }
    }
}

}  // namespace glint::bench
