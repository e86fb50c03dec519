#include "daemon/frame_export.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "daemon/failure.hpp"
#include "daemon/names.hpp"
#include "daemon/picture_check.hpp"

namespace glint {
namespace {

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

std::shared_ptr<const zero_copy::UniqueFd> copy_to_memfd(const uint8_t* from, size_t size) {
    zero_copy::UniqueFd fd(::memfd_create("glintd-frame", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd.valid()) fail("memfd_create");
    for (size_t done = 0; done < size;) {
        const ssize_t put = ::write(fd.get(), from + done, size - done);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) fail("writing a picture to a memfd");
        done += static_cast<size_t>(put);
    }
    constexpr int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    if (::fcntl(fd.get(), F_ADD_SEALS, seals) != 0) fail("sealing a picture");
    return std::make_shared<const zero_copy::UniqueFd>(std::move(fd));
}

ExportedFrame describe(Stage stage, const zero_copy::FrameLayout& layout,
                       const FilteredPicture& picture, const gpu::Lane& filtered,
                       const zero_copy::Captured& frame) {
    ExportedFrame exported{.memfd = nullptr,
                           .fourcc = std::string(zero_copy::info(layout.format).fourcc),
                           .width = layout.width,
                           .height = layout.height,
                           .planes = {},
                           .range = layout.range,
                           .sequence = frame.sequence,
                           .timestamp_nsec = frame.timestamp_nsec};
    if (stage == Stage::raw) {
        exported.planes.assign(layout.planes.begin(), layout.planes.begin() + layout.plane_count);
    } else {
        exported.fourcc = zero_copy::info(zero_copy::PixelFormat::grey).fourcc;
        exported.width = filtered.width;
        exported.height = filtered.height;
        exported.planes.push_back({.offset_bytes = 0,
                                   .stride_bytes = picture.stride_bytes,
                                   .row_bytes = filtered.width,
                                   .rows = filtered.height});
    }
    return exported;
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

bool FrameExporter::wants_filtered() const noexcept {
    const Queue& waiters = queues_[static_cast<size_t>(Stage::filtered)];
    return !waiters.waiting.empty() && !waiters.copying;
}

void FrameExporter::frame_finished(zero_copy::Lease lease, const zero_copy::Captured& frame,
                                   const Work& work) {
    const Queue& raw = queue(Stage::raw);
    const bool wants_raw = !raw.waiting.empty() && !raw.copying;
    if (!work.filter && !wants_raw) return;
    const auto shared = std::make_shared<zero_copy::Lease>(std::move(lease));
    if (work.filter) start_copy(Stage::filtered, shared, frame, work);
    if (wants_raw) start_copy(Stage::raw, shared, frame, work);
}

void FrameExporter::start_copy(Stage stage, SharedLease lease, const zero_copy::Captured& frame,
                               const Work& work) {
    Queue& waiters = queue(stage);
    waiters.copying = true;
    ++running_;
    const gpu::Lane& filtered = work.plan->filter_lane;
    ExportedFrame exported = describe(stage, layout_, *picture_, filtered, frame);
    const bool raw = stage == Stage::raw;
    const zero_copy::FrameMemory& memory = raw ? *work.memory : picture_->memory;
    uint8_t* const from = memory.data();
    const size_t size = raw ? layout_.size_bytes : size_t{picture_->stride_bytes} * filtered.height;
    constexpr std::chrono::seconds deadline{20};
    auto copy = [exported = std::move(exported), from, size, raw, work,
                 stride = picture_->stride_bytes, seed = frame.sequence]() mutable {
        const zero_copy::CpuAccess access(*work.memory);
        if (!access.granted()) {
            throw std::runtime_error("the kernel refuses to show the frame to the CPU; ask again");
        }
        const gpu::Output picture{from, stride};
        if (!raw && !tile_matches(work.frame(), work.plan->filter_lane, *work.plan->filter, picture,
                                  seed)) {
            throw Failure(names::error::gpu_fault,
                          "the filtered picture was wrong and has been thrown away; ask again");
        }
        exported.memfd = copy_to_memfd(from, size);
        return std::move(exported);
    };
    // The lease travels with the job and ends with it, on this thread.
    auto done = [this, stage, size, lease = std::move(lease), plan = work.plan,
                 replies = std::move(waiters.waiting)](Outcome<ExportedFrame> outcome) mutable {
        lease.reset();
        queue(stage).copying = false;
        --running_;
        if (!outcome.failed_with<std::exception>()) exported_bytes_ += size;
        for (const Reply& reply : replies) reply(outcome);
        if (outcome.failed_with<Failure>()) events_.picture_wrong(*plan);
        events_.copied();
    };
    waiters.waiting.clear();
    worker_.post(deadline, std::move(copy), std::move(done));
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
