// What a user would pick instead, on the same data: OpenCV on one thread beside our cpu variant,
// the two in turn.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "tools/bench.hpp"

namespace glint::bench {
namespace {

constexpr int runs = 21;

/// Medians of both, and how many times OpenCV's our time is.
template <typename Ours, typename Theirs>
void compare(benchmark::State& state, Ours ours, Theirs theirs) {
    cv::setNumThreads(1);
    for ([[maybe_unused]] auto _ : state) {
        std::vector<double> our_times;
        std::vector<double> their_times;
        for (int run = -2; run < runs; ++run) {
            const double our_time = time_of(ours);
            const double their_time = time_of(theirs);
            if (run < 0) continue;
            our_times.push_back(our_time);
            their_times.push_back(their_time);
        }
        state.SetIterationTime(median(our_times));
        state.counters["opencv_ms"] = median(their_times) * 1e3;
        state.counters["x_opencv"] = median(our_times) / median(their_times);
    }
}

void histogram(benchmark::State& state, Size size, Picture picture) {
    const zero_copy::FrameMemory frame(size_t{size.width} * size.height);
    fill(picture, frame.bytes(), size.width);
    const cv::Mat image(static_cast<int>(size.height), static_cast<int>(size.width), CV_8U,
                        frame.data());
    const int channels[] = {0};
    const int bins[] = {256};
    const float range[] = {0, 256};
    const float* ranges[] = {range};
    cv::Mat result;
    const gpu::HistogramTask task(grey_lane(size));
    gpu::Bins own;
    compare(
        state, [&] { gpu::cpu::histogram(frame.data(), task, own); },
        [&] { cv::calcHist(&image, 1, channels, cv::Mat(), result, 1, bins, ranges); });
}

void convolution(benchmark::State& state, Size size, const gpu::Filter& filter) {
    const zero_copy::FrameMemory frame(size_t{size.width} * size.height);
    const zero_copy::FrameMemory output(size_t{size.width} * size.height);
    fill(Picture::noise, frame.bytes(), size.width);
    const cv::Mat image(static_cast<int>(size.height), static_cast<int>(size.width), CV_8U,
                        frame.data());
    cv::Mat result;
    const auto taps = static_cast<int>(filter.size);
    cv::Mat kernel(taps, taps, CV_32F);
    for (int i = 0; i < taps * taps; ++i) {
        const float weight = filter.coefficients[static_cast<size_t>(i)];
        kernel.at<float>(i / taps, i % taps) = weight / static_cast<float>(1U << filter.shift);
    }
    const auto ours = [&] {
        gpu::cpu::convolve(frame.data(), grey_lane(size), filter, {output.data(), size.width});
    };
    if (filter.is_binomial()) {
        compare(state, ours, [&] {
            cv::GaussianBlur(image, result, {taps, taps}, 0, 0, cv::BORDER_REPLICATE);
        });
    } else {
        compare(state, ours, [&] {
            cv::filter2D(image, result, CV_8U, kernel, {-1, -1}, 0, cv::BORDER_REPLICATE);
        });
    }
}

}  // namespace

void register_opencv() {
    for (const Size size : sizes) {
        const std::string where = fmt::format("{}x{}", size.width, size.height);
        for (const Picture picture : {Picture::noise, Picture::smooth}) {
            benchmark::RegisterBenchmark(
                fmt::format("cpu_beside_opencv/histogram/{}/{}", name_of(picture), where).c_str(),
                histogram, size, picture)
                ->UseManualTime()
                ->Iterations(1)
                ->Unit(benchmark::kMillisecond);
        }
        for (const NamedFilter& filter : filters()) {
            benchmark::RegisterBenchmark(
                fmt::format("cpu_beside_opencv/{}/{}", filter.name, where).c_str(), convolution,
                size, filter.filter)
                ->UseManualTime()
                ->Iterations(1)
                ->Unit(benchmark::kMillisecond);
        }
    }
}

}  // namespace glint::bench
