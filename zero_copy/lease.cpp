#include "zero_copy/lease.hpp"

namespace glint::zero_copy {

const FrameMemory& Lease::memory() const noexcept {
    return pool_->buffers()[slot_];
}

void Lease::reset() noexcept {
    if (pool_ == nullptr) return;
    const auto pool = std::move(pool_);
    pool->give_back(slot_);
}

void BufferPool::start(Source& source) {
    source.start(buffers_);
    source_ = &source;
}

void BufferPool::stop() noexcept {
    if (source_ == nullptr) return;
    source_->stop();
    source_ = nullptr;
}

void BufferPool::abandon() noexcept {
    for (FrameMemory& buffer : buffers_) buffer.abandon();
}

Lease BufferPool::lease(uint32_t slot) {
    ++leased_;
    return {shared_from_this(), slot};
}

void BufferPool::give_back(uint32_t slot) noexcept {
    --leased_;
    if (source_ != nullptr) source_->queue(slot);
}

}  // namespace glint::zero_copy
