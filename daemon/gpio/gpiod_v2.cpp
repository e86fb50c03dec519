// GPIO lines through libgpiod 2.
#include <fcntl.h>
#include <gpiod.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "daemon/gpio/library.hpp"

namespace glint::gpio::library {
namespace {

/// The most that the kernel grants one line: at 1000 edges a second the loop may be busy for one.
constexpr size_t kernel_queue_length = 1024;
/// Events that one system call brings.
constexpr size_t batch_length = 64;

template <auto function>
struct Free {
    template <typename Object>
    void operator()(Object* object) const noexcept {
        function(object);
    }
};
using ChipPointer = std::unique_ptr<gpiod_chip, Free<gpiod_chip_close>>;
using InfoPointer = std::unique_ptr<gpiod_chip_info, Free<gpiod_chip_info_free>>;
using LineInfoPointer = std::unique_ptr<gpiod_line_info, Free<gpiod_line_info_free>>;
using SettingsPointer = std::unique_ptr<gpiod_line_settings, Free<gpiod_line_settings_free>>;
using LinesPointer = std::unique_ptr<gpiod_line_config, Free<gpiod_line_config_free>>;
using ConfigPointer = std::unique_ptr<gpiod_request_config, Free<gpiod_request_config_free>>;
using RequestPointer = std::unique_ptr<gpiod_line_request, Free<gpiod_line_request_release>>;
using EventsPointer = std::unique_ptr<gpiod_edge_event_buffer, Free<gpiod_edge_event_buffer_free>>;

/// Its argument, unless that says that a call has failed.
template <typename Pointer>
Pointer require(Pointer pointer) {
    if (!pointer) throw std::system_error(errno, std::generic_category());
    return pointer;
}

void require_done(int result) {
    if (result != 0) throw std::system_error(errno, std::generic_category());
}

std::string text_of(const char* text) {
    return text != nullptr ? text : "";
}

ChipPointer open_chip(const char* path) {
    ChipPointer chip(gpiod_chip_open(path));
    if (chip) return chip;
    const int code = errno;
    // ENODEV is said of a chip that has gone, too; ENOTTY is libgpiod 1.6's word for another
    // device.
    const bool another = code == ENODEV && !gpiod_is_gpiochip_device(path);
    throw std::system_error(another ? ENOTTY : code, std::generic_category());
}

gpiod_line_bias bias_of(Bias bias) {
    switch (bias) {
        case Bias::disabled:
            return GPIOD_LINE_BIAS_DISABLED;
        case Bias::pull_up:
            return GPIOD_LINE_BIAS_PULL_UP;
        case Bias::pull_down:
            return GPIOD_LINE_BIAS_PULL_DOWN;
        case Bias::as_is:
            break;
    }
    return GPIOD_LINE_BIAS_AS_IS;
}

gpiod_line_drive drive_of(Drive drive) {
    switch (drive) {
        case Drive::open_drain:
            return GPIOD_LINE_DRIVE_OPEN_DRAIN;
        case Drive::open_source:
            return GPIOD_LINE_DRIVE_OPEN_SOURCE;
        case Drive::push_pull:
            break;
    }
    return GPIOD_LINE_DRIVE_PUSH_PULL;
}

gpiod_line_value value_of(bool active) {
    return active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
}

SettingsPointer input_settings(const InputSpec& spec) {
    auto settings = require(SettingsPointer(gpiod_line_settings_new()));
    require_done(gpiod_line_settings_set_direction(settings.get(), GPIOD_LINE_DIRECTION_INPUT));
    require_done(gpiod_line_settings_set_edge_detection(settings.get(), GPIOD_LINE_EDGE_BOTH));
    require_done(gpiod_line_settings_set_bias(settings.get(), bias_of(spec.bias)));
    gpiod_line_settings_set_active_low(settings.get(), spec.active_low);
    gpiod_line_settings_set_debounce_period_us(settings.get(),
                                               static_cast<unsigned long>(spec.debounce.count()));
    require_done(gpiod_line_settings_set_event_clock(settings.get(), GPIOD_LINE_CLOCK_MONOTONIC));
    return settings;
}

SettingsPointer output_settings(const OutputSpec& spec) {
    auto settings = require(SettingsPointer(gpiod_line_settings_new()));
    require_done(gpiod_line_settings_set_direction(settings.get(), GPIOD_LINE_DIRECTION_OUTPUT));
    require_done(gpiod_line_settings_set_bias(settings.get(), bias_of(spec.bias)));
    require_done(gpiod_line_settings_set_drive(settings.get(), drive_of(spec.drive)));
    gpiod_line_settings_set_active_low(settings.get(), spec.active_low);
    require_done(
        gpiod_line_settings_set_output_value(settings.get(), value_of(spec.active_at_start)));
    return settings;
}

RequestPointer request_line(gpiod_chip* chip, unsigned offset, const SettingsPointer& settings,
                            size_t queue_length) {
    const auto lines = require(LinesPointer(gpiod_line_config_new()));
    require_done(gpiod_line_config_add_line_settings(lines.get(), &offset, 1, settings.get()));
    const auto config = require(ConfigPointer(gpiod_request_config_new()));
    gpiod_request_config_set_consumer(config.get(), consumer);
    gpiod_request_config_set_event_buffer_size(config.get(), queue_length);
    return require(RequestPointer(gpiod_chip_request_lines(chip, config.get(), lines.get())));
}

}  // namespace

const bool numbers_events = true;
const bool debounces = true;
const char* const kernel_needed =
    "libgpiod 2 needs Linux 5.10; use a glintd that is built with libgpiod 1.6";

std::string version() {
    return gpiod_api_version();
}

struct Chip::Handle {
    ChipPointer chip;
    InfoPointer info;
};

Chip::Chip(std::string path) : path_(std::move(path)), handle_(std::make_unique<Handle>()) {
    handle_->chip = open_chip(path_.c_str());
    handle_->info = require(InfoPointer(gpiod_chip_get_info(handle_->chip.get())));
}

Chip::~Chip() = default;
Chip::Chip(Chip&&) noexcept = default;
Chip& Chip::operator=(Chip&&) noexcept = default;

std::string Chip::name() const {
    return gpiod_chip_info_get_name(handle_->info.get());
}
std::string Chip::label() const {
    return gpiod_chip_info_get_label(handle_->info.get());
}
unsigned Chip::lines() const {
    return static_cast<unsigned>(gpiod_chip_info_get_num_lines(handle_->info.get()));
}

LineInfo Chip::line(unsigned offset) const {
    const auto info =
        require(LineInfoPointer(gpiod_chip_get_line_info(handle_->chip.get(), offset)));
    return {text_of(gpiod_line_info_get_name(info.get())),
            text_of(gpiod_line_info_get_consumer(info.get()))};
}

struct Input::Handle {
    unsigned offset;
    EventsPointer events;
    RequestPointer request;
};

Input::Input(Chip chip, unsigned offset, const InputSpec& spec)
    : handle_(std::make_unique<Handle>()) {
    handle_->offset = offset;
    handle_->events = require(EventsPointer(gpiod_edge_event_buffer_new(batch_length)));
    handle_->request =
        request_line(chip.handle_->chip.get(), offset, input_settings(spec), kernel_queue_length);
    const int flags = ::fcntl(fd(), F_GETFL);
    if (flags < 0) require_done(flags);
    require_done(::fcntl(fd(), F_SETFL, flags | O_NONBLOCK));
}

Input::~Input() = default;

int Input::fd() const noexcept {
    return gpiod_line_request_get_fd(handle_->request.get());
}

int Input::read(std::span<Event> events) noexcept {
    const int got = gpiod_line_request_read_edge_events(
        handle_->request.get(), handle_->events.get(), std::min(events.size(), batch_length));
    if (got < 0) return -errno;
    for (int at = 0; at < got; ++at) {
        gpiod_edge_event* const event = gpiod_edge_event_buffer_get_event(
            handle_->events.get(), static_cast<unsigned long>(at));
        events[static_cast<size_t>(at)] = {
            gpiod_edge_event_get_timestamp_ns(event),
            gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE,
            static_cast<uint32_t>(gpiod_edge_event_get_line_seqno(event))};
    }
    return got == 0 ? -EIO : got;
}

int Input::level() const noexcept {
    const gpiod_line_value value =
        gpiod_line_request_get_value(handle_->request.get(), handle_->offset);
    return value == GPIOD_LINE_VALUE_ERROR ? -errno : static_cast<int>(value);
}

struct Output::Handle {
    unsigned offset;
    RequestPointer request;
};

Output::Output(Chip chip, unsigned offset, const OutputSpec& spec)
    : handle_(std::make_unique<Handle>()) {
    handle_->offset = offset;
    handle_->request = request_line(chip.handle_->chip.get(), offset, output_settings(spec), 0);
}

Output::~Output() = default;

int Output::set(bool active) noexcept {
    return gpiod_line_request_set_value(handle_->request.get(), handle_->offset,
                                        value_of(active)) == 0
               ? 0
               : -errno;
}

}  // namespace glint::gpio::library
