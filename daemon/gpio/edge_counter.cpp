#include "daemon/gpio/edge_counter.hpp"

namespace glint::gpio {

void EdgeCounter::miss(uint32_t count) noexcept {
    missed_ += count;
    edges_ += count;
}

void EdgeCounter::count_unnumbered(bool rising) noexcept {
    if (told_by_level_ && rising == active_) {
        // It was not lost after all, but under way when the level was read.
        --missed_;
        --edges_;
    }
    told_by_level_ = false;
    if (waited_ == queue_length && rising == active_) miss(1);
    if (waited_ < queue_length) ++waited_;
    loss_possible_ = waited_ == queue_length;
}

uint64_t EdgeCounter::count(bool rising, uint32_t number) noexcept {
    if (numbered_) {
        const uint32_t gap = number - last_number_ - 1;  // the numbers wrap
        last_number_ = number;
        loss_possible_ = loss_possible_ || gap > 0;
        miss(gap);
    } else {
        count_unnumbered(rising);
    }
    active_ = rising;
    return ++edges_;
}

void EdgeCounter::settle() noexcept {
    waited_ = 0;
    loss_possible_ = false;
}

void EdgeCounter::settle(bool level) noexcept {
    settle();
    if (level == active_) return;
    active_ = level;
    if (numbered_) return;
    miss(1);
    told_by_level_ = true;
}

}  // namespace glint::gpio
