#include "daemon/frame_export.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <stdexcept>

#include "daemon/failure.hpp"
#include "daemon/memfd.hpp"
#include "daemon/names.hpp"
#include "daemon/picture_check.hpp"

namespace glint {
namespace {

std::shared_ptr<const zero_copy::UniqueFd> copy_to_memfd(std::span<const uint8_t> picture) {
    zero_copy::UniqueFd fd = make_memfd("glintd-frame");
    for (size_t done = 0; done < picture.size();) {
        const ssize_t put = ::write(fd.get(), picture.data() + done, picture.size() - done);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) throw_errno("writing a picture to a memfd");
        done += static_cast<size_t>(put);
    }
    constexpr int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    if (::fcntl(fd.get(), F_ADD_SEALS, seals) != 0) throw_errno("sealing a picture");
    return std::make_shared<const zero_copy::UniqueFd>(std::move(fd));
}

/// What the worker needs to copy a picture, and to whom it goes.
struct Copy {
    Work work;
    Stage stage = Stage::raw;
    gpu::Output picture;
    bool rounds_to_zero = false;
    ExportedFrame exported;
    bool for_callers = false;
    std::shared_ptr<ClientStream> stream;

    /// Throws when the picture cannot be read or is wrong, and when there is no room for a memfd.
    ExportedFrame run();
    [[nodiscard]] uint64_t bytes_exported() const {
        const uint64_t bytes = exported.size_bytes;
        return (for_callers ? bytes : 0) + (stream != nullptr ? bytes : 0);
    }
};

ExportedFrame Copy::run() {
    const zero_copy::CpuAccess access(*work.memory);
    if (!access.granted()) {
        throw std::runtime_error("the kernel refuses to show the frame to the CPU; ask again");
    }
    if (stage == Stage::filtered &&
        !tile_matches(work.frame(), work.plan->filter_lane, *work.plan->filter, picture,
                      exported.sequence, rounds_to_zero)) {
        throw Failure(names::error::gpu_fault,
                      "the filtered picture was wrong and has been thrown away; ask again");
    }
    const std::span<const uint8_t> bytes(picture.pixels, exported.size_bytes);
    if (stream != nullptr) {
        stream->write({exported.sequence, exported.timestamp_nsec, work.plan->generation}, bytes);
    }
    if (for_callers) exported.memfd = copy_to_memfd(bytes);
    return std::move(exported);
}

}  // namespace

FrameExporter::FrameExporter(Worker& worker, const zero_copy::FrameLayout& layout,
                             std::shared_ptr<const FilteredPicture> picture,
                             uint64_t& exported_bytes, Events events)
    : worker_(worker),
      layout_(layout),
      picture_(std::move(picture)),
      exported_bytes_(exported_bytes),
      events_(std::move(events)) {}

bool FrameExporter::request(Stage stage, Reply reply) {
    Queue& waiters = queue(stage);
    if (waiters.waiting.size() >= max_waiting) return false;
    waiters.waiting.push_back(std::move(reply));
    return true;
}

std::shared_ptr<ClientStream> FrameExporter::stream_of(Stage stage) const {
    return events_.stream_of ? events_.stream_of(stage) : nullptr;
}

bool FrameExporter::wants(Stage stage) const {
    const Queue& waiters = queues_[static_cast<size_t>(stage)];
    return !waiters.copying && (!waiters.waiting.empty() || stream_of(stage) != nullptr);
}

PictureFormat FrameExporter::format(Stage stage, const Plan& plan) const {
    if (stage == Stage::raw) {
        return {.fourcc = std::string(zero_copy::info(layout_.format).fourcc),
                .width = layout_.width,
                .height = layout_.height,
                .planes = {layout_.planes.begin(), layout_.planes.begin() + layout_.plane_count},
                .range = layout_.range,
                .size_bytes = layout_.size_bytes};
    }
    const gpu::Lane& filtered = plan.filter_lane;
    const uint32_t stride = picture_->stride_bytes;
    return {.fourcc = std::string(zero_copy::info(zero_copy::PixelFormat::grey).fourcc),
            .width = filtered.width,
            .height = filtered.height,
            .planes = {{.offset_bytes = 0,
                        .stride_bytes = stride,
                        .row_bytes = filtered.width,
                        .rows = filtered.height}},
            .range = layout_.range,
            .size_bytes = stride * filtered.height};
}

void FrameExporter::frame_finished(zero_copy::Lease lease, const zero_copy::Captured& frame,
                                   const Work& work) {
    const bool filtered = work.filter && wants(Stage::filtered);
    const bool raw = wants(Stage::raw);
    if (!filtered && !raw) return;
    const auto shared = std::make_shared<zero_copy::Lease>(std::move(lease));
    if (filtered) start_copy(Stage::filtered, shared, frame, work);
    if (raw) start_copy(Stage::raw, shared, frame, work);
}

void FrameExporter::start_copy(Stage stage, SharedLease lease, const zero_copy::Captured& frame,
                               const Work& work) {
    Queue& waiters = queue(stage);
    waiters.copying = true;
    ++running_;
    const zero_copy::FrameMemory& memory = stage == Stage::raw ? *work.memory : picture_->memory;
    Copy copy{
        .work = work,
        .stage = stage,
        .picture = {memory.data(), picture_->stride_bytes},
        .rounds_to_zero = picture_->rounds_to_zero,
        .exported = {format(stage, *work.plan), nullptr, frame.sequence, frame.timestamp_nsec},
        .for_callers = !waiters.waiting.empty(),
        .stream = stream_of(stage)};
    // The lease travels with the job and ends with it, on this thread.
    auto done = [this, stage, bytes = copy.bytes_exported(), stream = copy.stream,
                 lease = std::move(lease), plan = work.plan,
                 replies = std::move(waiters.waiting)](Outcome<ExportedFrame> outcome) mutable {
        lease.reset();
        queue(stage).copying = false;
        --running_;
        if (!outcome.failed_with<std::exception>()) {
            exported_bytes_ += bytes;
            if (stream != nullptr) stream->publish();
        }
        for (const Reply& reply : replies) reply(outcome);
        if (outcome.failed_with<Failure>()) events_.picture_wrong(*plan);
        events_.copied();
    };
    waiters.waiting.clear();
    constexpr std::chrono::seconds deadline{20};
    worker_.post(
        deadline, [copy = std::move(copy)]() mutable { return copy.run(); }, std::move(done));
}

std::vector<FrameExporter::Request> FrameExporter::take_waiting() {
    std::vector<Request> requests;
    for (const Stage stage : {Stage::raw, Stage::filtered}) {
        for (Reply& reply : std::exchange(queue(stage).waiting, {})) {
            requests.push_back({stage, std::move(reply)});
        }
    }
    return requests;
}

void FrameExporter::refuse(Stage stage, const std::exception_ptr& failure) {
    for (const Reply& reply : std::exchange(queue(stage).waiting, {})) {
        reply(Outcome<ExportedFrame>(failure));
    }
}

}  // namespace glint
