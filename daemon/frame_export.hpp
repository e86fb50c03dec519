// Pictures for clients: copied out of a finished frame by the worker, into sealed memfds and rings.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/client_stream.hpp"
#include "daemon/processor.hpp"
#include "daemon/worker.hpp"
#include "zero_copy/lease.hpp"
#include "zero_copy/unique_fd.hpp"

namespace glint {

enum class Stage { raw, filtered };
inline constexpr size_t stage_count = 2;

struct PictureFormat {
    std::string fourcc;
    uint32_t width = 0;
    uint32_t height = 0;
    std::vector<zero_copy::PlaneLayout> planes;
    zero_copy::Range range = zero_copy::Range::full;
    uint32_t size_bytes = 0;
};

/// A picture that nobody can change any more.
struct ExportedFrame : PictureFormat {
    std::shared_ptr<const zero_copy::UniqueFd> memfd;
    uint64_t sequence = 0;
    uint64_t timestamp_nsec = 0;
};

/// The callers of one stream that wait for pictures, and the clients' streams that get every one.
/// Callers of the same stage that wait at the same time share one copy. Loop thread only.
class FrameExporter {
  public:
    /// Gets the frame, or why there will be none: exactly one call for each request.
    using Reply = std::function<void(Outcome<ExportedFrame>)>;

    static constexpr size_t max_waiting = 64;

    struct Events {
        std::function<void()> copied;  ///< after each copy
        /// A filtered picture of this plan did not pass its check.
        std::function<void(const Plan&)> picture_wrong;
        /// Where every picture of this stage goes besides; null: nowhere. May be empty.
        std::function<std::shared_ptr<ClientStream>(Stage)> stream_of = {};
    };

    /// `exported_bytes` grows with every copy.
    FrameExporter(Worker& worker, const zero_copy::FrameLayout& layout,
                  std::shared_ptr<const FilteredPicture> picture, uint64_t& exported_bytes,
                  Events events);

    /// False when too many wait already; `reply` is then dropped.
    [[nodiscard]] bool request(Stage stage, Reply reply);
    /// Whether the next frame should be filtered: somebody waits and the picture is free.
    [[nodiscard]] bool wants_filtered() const { return wants(Stage::filtered); }
    /// What the pictures of that stage are; for Stage::filtered a plan with a filter.
    [[nodiscard]] PictureFormat format(Stage stage, const Plan& plan) const;
    /// The frame of `work` is finished; keeps the lease as long as it is being copied. A filtered
    /// picture is checked against the frame first, and a wrong one refused to everybody who waits.
    void frame_finished(zero_copy::Lease lease, const zero_copy::Captured& frame, const Work& work);
    struct Request {
        Stage stage;
        Reply reply;
    };
    /// Hands over everybody who waits, to be asked for again of another stream.
    [[nodiscard]] std::vector<Request> take_waiting();
    /// Answers everybody who waits for that stage with `failure`.
    void refuse(Stage stage, const std::exception_ptr& failure);
    [[nodiscard]] bool idle() const noexcept { return running_ == 0; }

  private:
    struct Queue {
        std::vector<Reply> waiting;
        bool copying = false;
    };
    using SharedLease = std::shared_ptr<zero_copy::Lease>;
    [[nodiscard]] bool wants(Stage stage) const;
    [[nodiscard]] std::shared_ptr<ClientStream> stream_of(Stage stage) const;
    void start_copy(Stage stage, SharedLease lease, const zero_copy::Captured& frame,
                    const Work& work);
    [[nodiscard]] Queue& queue(Stage stage) { return queues_[static_cast<size_t>(stage)]; }

    Worker& worker_;
    const zero_copy::FrameLayout& layout_;
    std::shared_ptr<const FilteredPicture> picture_;
    uint64_t& exported_bytes_;
    Events events_;
    std::array<Queue, stage_count> queues_;
    uint32_t running_ = 0;
};

}  // namespace glint
