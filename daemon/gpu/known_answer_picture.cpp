#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "daemon/gpu/known_answer.hpp"
#include "daemon/gpu/known_answer_cases.hpp"
#include "daemon/gpu/scratch_buffer.hpp"
#include "zero_copy/formats.hpp"

namespace glint::gpu {
namespace {

/// No two neighbours alike, so that a wrong index shows.
Lookup scrambled_table() {
    Lookup lookup;
    for (uint32_t i = 0; i < lookup.table.size(); ++i) {
        lookup.table[i] = static_cast<uint8_t>(i * 167 + 13);
    }
    return lookup;
}

std::vector<PictureTask> tasks_for(kernels::Operator op) {
    std::vector<PictureTask> tasks{
        scrambled_table(),
        Sobel{},
        Sobel{.border = Border::constant, .border_value = 77},
        Sobel{.border = Border::reflect_101},
        Downscale{},
        // Both signs, with bits lost; then beyond both ends; then as large as products get.
        Normalise{.threshold = 40, .mean = 131, .gain = 77, .shift = 6, .offset = 128},
        Normalise{.threshold = 9, .mean = 120, .gain = 3, .shift = 0, .offset = 255},
        Normalise{.threshold = 0, .mean = 65535, .gain = 32767, .shift = 22, .offset = 255},
        Planar{},
        Planar{.planes = 2, .bytes = {1, 0, 0}},
        Planar{.planes = 3, .bytes = {2, 1, 0}},
        Planar{.planes = 3, .bytes = {3, 0, 2}},
    };
    std::erase_if(tasks, [op](const PictureTask& task) { return operator_of(task) != op; });
    return tasks;
}

bool defined_for(const PictureTask& task, const Lane& lane) {
    const auto* planar = std::get_if<Planar>(&task);
    return takes(task, lane) &&
           (planar == nullptr || std::ranges::max(planar->bytes) < lane.step_bytes);
}

std::string run_picture(const Context& context, cl_command_queue queue, PictureLaunch& launch,
                        const KnownCase& test, const PictureTask& task) {
    const Lane& lane = test.lane;
    const PictureSize size = output_size(task, lane);
    const auto stride = static_cast<uint32_t>(zero_copy::align_up(size.width, 64));
    constexpr uint8_t poison = 0xA5;
    ScratchBuffer frame(context, queue, frame_bytes(lane));
    ScratchBuffer output(context, queue, size_t{stride} * size.height);
    fill(test, frame.bytes());
    std::ranges::fill(output.bytes(), poison);
    std::vector<uint8_t> expected(output.bytes().size(), poison);
    reference::make_picture(frame.bytes().data(), lane, task, {expected.data(), stride});
    frame.give();
    output.give();
    launch.enqueue(queue, frame.mem(), lane, task, output.mem(), stride);
    output.take();
    const auto [got, wanted] = std::ranges::mismatch(output.bytes(), expected);
    if (wanted == expected.end()) return {};
    const auto at = static_cast<size_t>(wanted - expected.begin());
    return fmt::format("{}, task {}: pixel ({}, {}) is {}, expected {}", describe(lane),
                       task.index(), at % stride, at / stride, *got, *wanted);
}

}  // namespace

std::string check_picture(const Context& context, cl_command_queue queue, PictureLaunch& launch) {
    for (const PictureTask& task : tasks_for(launch.variant().op)) {
        for (KnownCase test : known_cases()) {
            if (!defined_for(task, test.lane)) continue;
            std::string wrong = run_picture(context, queue, launch, test, task);
            if (wrong.empty() && test.lane.low_bytes != 0) {
                test.lane.shift = 0;  // all sixteen bits
                wrong = run_picture(context, queue, launch, test, task);
            }
            if (!wrong.empty()) return wrong;
        }
    }
    return {};
}

}  // namespace glint::gpu
