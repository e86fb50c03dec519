// Waits for udev to open a device node to the service.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/loop.hpp"
#include "daemon/node_watch.hpp"

namespace glint {

/// A kernel driver's node appears closed, and udev opens it to its group some milliseconds later.
/// OpenCL asks its drivers once in a process, so it must not be asked in between.
class NodeGate {
  public:
    using MayOpen = std::function<bool(const std::string& node)>;
    NodeGate(Loop& loop, std::string node, MayOpen may_open = can_read_and_write);

    /// Calls `go` at once where the node is not there, or may be opened; else as soon as it may,
    /// and after `limit` in any case. Forgets an earlier call that still waits.
    void pass(microseconds limit, std::function<void()> go);
    void cancel();

    [[nodiscard]] static bool can_read_and_write(const std::string& node);

  private:
    void look();
    void open();

    Loop& loop_;
    std::string node_;
    MayOpen may_open_;
    std::function<void()> go_;
    std::unique_ptr<NodeWatch> watch_;
    Timer limit_;
    Timer opened_;  ///< nothing is destroyed within a watch's own call
};

}  // namespace glint
