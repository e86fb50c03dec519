// GPIO lines through libgpiod 1.6. Its events are read from the descriptor, as the kernel gives
// them: the library's own structure has a timespec, whose size is a matter of dispute on 32-bit
// ARM.
#include <fcntl.h>
#include <gpiod.h>
#include <linux/gpio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include "daemon/gpio/library.hpp"

namespace glint::gpio::library {
namespace {

struct CloseChip {
    void operator()(gpiod_chip* chip) const noexcept { gpiod_chip_close(chip); }
};

[[noreturn]] void raise_errno() {
    throw std::system_error(errno, std::generic_category());
}

std::string text_of(const char* text) {
    return text != nullptr ? text : "";
}

int bias_flags(Bias bias) {
    switch (bias) {
        case Bias::disabled:
            return GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
        case Bias::pull_up:
            return GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
        case Bias::pull_down:
            return GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
        case Bias::as_is:
            break;
    }
    return 0;
}

int drive_flags(Drive drive) {
    switch (drive) {
        case Drive::open_drain:
            return GPIOD_LINE_REQUEST_FLAG_OPEN_DRAIN;
        case Drive::open_source:
            return GPIOD_LINE_REQUEST_FLAG_OPEN_SOURCE;
        case Drive::push_pull:
            break;
    }
    return 0;
}

int polarity_flags(bool active_low) {
    return active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
}

uint64_t now_nsec(clockid_t clock) noexcept {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t between(uint64_t left, uint64_t right) noexcept {
    return std::max(left, right) - std::min(left, right);
}

/// What turns the stamps of events, the last of which is `newest`, into CLOCK_MONOTONIC: kernels
/// before 5.7 take CLOCK_REALTIME, and do not tell. An event that has just been read is not far
/// from the present of its own clock.
uint64_t realtime_offset(uint64_t newest) noexcept {
    const uint64_t monotonic = now_nsec(CLOCK_MONOTONIC);
    const uint64_t realtime = now_nsec(CLOCK_REALTIME);
    return between(newest, realtime) < between(newest, monotonic) ? realtime - monotonic : 0;
}

}  // namespace

const bool numbers_events = false;
const bool debounces = false;
const char* const kernel_needed =
    "it may be built without CONFIG_GPIO_CDEV_V1; use a glintd that is built with libgpiod 2";

std::string version() {
    return gpiod_version_string();
}

struct Chip::Handle {
    std::unique_ptr<gpiod_chip, CloseChip> chip;
};

Chip::Chip(std::string path) : path_(std::move(path)), handle_(std::make_unique<Handle>()) {
    handle_->chip.reset(gpiod_chip_open(path_.c_str()));
    if (!handle_->chip) raise_errno();
}

Chip::~Chip() = default;
Chip::Chip(Chip&&) noexcept = default;
Chip& Chip::operator=(Chip&&) noexcept = default;

std::string Chip::name() const {
    return gpiod_chip_name(handle_->chip.get());
}
std::string Chip::label() const {
    return gpiod_chip_label(handle_->chip.get());
}
unsigned Chip::lines() const {
    return gpiod_chip_num_lines(handle_->chip.get());
}

LineInfo Chip::line(unsigned offset) const {
    gpiod_line* const line = gpiod_chip_get_line(handle_->chip.get(), offset);
    if (line == nullptr) raise_errno();
    return {text_of(gpiod_line_name(line)), text_of(gpiod_line_consumer(line))};
}

/// The chip owns its lines, so it stays open.
struct Input::Handle {
    Chip chip;
    gpiod_line* line = nullptr;
    int fd = -1;
};

namespace {

gpiod_line* requested(gpiod_chip* chip, unsigned offset, int type, int flags, bool active) {
    gpiod_line* const line = gpiod_chip_get_line(chip, offset);
    if (line == nullptr) raise_errno();
    const gpiod_line_request_config config{consumer, type, flags};
    if (gpiod_line_request(line, &config, active ? 1 : 0) != 0) raise_errno();
    return line;
}

}  // namespace

Input::Input(Chip chip, unsigned offset, const InputSpec& spec)
    : handle_(std::make_unique<Handle>(Handle{std::move(chip)})) {
    handle_->line =
        requested(handle_->chip.handle_->chip.get(), offset, GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES,
                  bias_flags(spec.bias) | polarity_flags(spec.active_low), false);
    handle_->fd = gpiod_line_event_get_fd(handle_->line);
    const int flags = ::fcntl(handle_->fd, F_GETFL);
    if (flags < 0 || ::fcntl(handle_->fd, F_SETFL, flags | O_NONBLOCK) != 0) raise_errno();
}

Input::~Input() = default;

int Input::fd() const noexcept {
    return handle_->fd;
}

int Input::read(std::span<Event> events) noexcept {
    std::array<gpioevent_data, 16> records;  // all that the kernel keeps
    const size_t room = std::min(events.size(), records.size());
    const ssize_t bytes = ::read(handle_->fd, records.data(), room * sizeof records[0]);
    if (bytes < 0) return -errno;
    const size_t got = static_cast<size_t>(bytes) / sizeof records[0];
    if (got == 0) return -EIO;
    const uint64_t offset = realtime_offset(records[got - 1].timestamp);
    for (size_t at = 0; at < got; ++at) {
        events[at] = {records[at].timestamp - offset, records[at].id == GPIOEVENT_EVENT_RISING_EDGE,
                      0};
    }
    return static_cast<int>(got);
}

int Input::level() const noexcept {
    const int value = gpiod_line_get_value(handle_->line);
    return value < 0 ? -errno : value;
}

struct Output::Handle {
    Chip chip;
    gpiod_line* line = nullptr;
};

Output::Output(Chip chip, unsigned offset, const OutputSpec& spec)
    : handle_(std::make_unique<Handle>(Handle{std::move(chip)})) {
    handle_->line =
        requested(handle_->chip.handle_->chip.get(), offset, GPIOD_LINE_REQUEST_DIRECTION_OUTPUT,
                  bias_flags(spec.bias) | drive_flags(spec.drive) | polarity_flags(spec.active_low),
                  spec.active_at_start);
}

Output::~Output() = default;

int Output::set(bool active) noexcept {
    return gpiod_line_set_value(handle_->line, active ? 1 : 0) == 0 ? 0 : -errno;
}

}  // namespace glint::gpio::library
