#include "daemon/node_gate.hpp"

#include <unistd.h>

#include <system_error>
#include <utility>

namespace glint {

NodeGate::NodeGate(Loop& loop, std::string node, MayOpen may_open)
    : loop_(loop),
      node_(std::move(node)),
      may_open_(std::move(may_open)),
      limit_(loop, [this] { open(); }),
      opened_(loop, [this] { open(); }) {}

bool NodeGate::can_read_and_write(const std::string& node) {
    return ::access(node.c_str(), R_OK | W_OK) == 0;
}

void NodeGate::pass(microseconds limit, std::function<void()> go) {
    cancel();
    const bool there = ::access(node_.c_str(), F_OK) == 0;
    if (!there || may_open_(node_)) return go();
    go_ = std::move(go);
    limit_.arm(limit);
    try {
        watch_ = std::make_unique<NodeWatch>(loop_, node_, [this] { look(); });
        look();  // it may have been opened meanwhile
    } catch (const std::system_error&) {
        // Without a descriptor or a watch to be had, time has to do.
    }
}

void NodeGate::look() {
    if (may_open_(node_)) opened_.arm(microseconds{0});
}

void NodeGate::open() {
    const auto go = std::exchange(go_, nullptr);
    cancel();
    if (go) go();
}

void NodeGate::cancel() {
    go_ = nullptr;
    watch_.reset();
    limit_.cancel();
    opened_.cancel();
}

}  // namespace glint
