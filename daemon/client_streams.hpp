// The streams of one camera that clients have open: its histograms and pictures in shared memory.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/client_stream.hpp"
#include "daemon/failure.hpp"
#include "daemon/memory_budget.hpp"
#include "daemon/pipeline.hpp"

namespace glint {

enum class StreamContent { histograms, raw, filtered };

/// Clients that read the same share one memory, which is there as long as they are. Loop thread
/// only.
class ClientStreams {
  public:
    static constexpr size_t max_readers = 16;

    using Reply = std::function<void(Outcome<OpenedStream>)>;

    ClientStreams(Loop& loop, MemoryBudget& budget);

    /// Answered by the next serve() or end(). Throws Failure (LimitsExceeded) when too many are
    /// open.
    void request(StreamContent content, Reply reply);
    /// Answers who waits. Streams that are not of the shape which the plan gives them end: their
    /// readers open them anew.
    void serve(const Plan& plan, const FrameExporter& exporter);
    /// Writes the histograms. A frame of an earlier plan may have another shape and is left out.
    void measured(const Measurement& measurement);
    /// Null when nobody reads these pictures.
    [[nodiscard]] std::shared_ptr<ClientStream> pictures(Stage stage) const;
    /// Every stream ends; whoever waits for one is told why.
    void end(const Failure& why);

  private:
    struct Kind {
        std::shared_ptr<ClientStream> stream;  ///< null: nobody reads it
        MemoryBudget::Share share;
        std::vector<Reply> waiting;

        void end();
    };
    void serve(Kind& kind, const std::optional<glintd_stream_header>& shape);
    void make_stream(Kind& kind, const glintd_stream_header& shape);
    void let_go();
    [[nodiscard]] Kind& kind(StreamContent content) { return kinds_[static_cast<size_t>(content)]; }

    Loop& loop_;
    MemoryBudget& budget_;
    Timer let_go_timer_;  ///< no reader is destroyed within its own call
    std::array<Kind, 3> kinds_;
};

}  // namespace glint
