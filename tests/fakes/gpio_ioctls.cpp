// The requests of both interfaces of linux/gpio.h, with the checks that the kernel makes of them.
#include <linux/gpio.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "tests/fakes/gpio_kernel.hpp"

namespace glint::fakes {
namespace {

constexpr uint64_t bias_flags = GPIO_V2_LINE_FLAG_BIAS_DISABLED | GPIO_V2_LINE_FLAG_BIAS_PULL_UP |
                                GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN;
constexpr uint64_t drive_flags = GPIO_V2_LINE_FLAG_OPEN_DRAIN | GPIO_V2_LINE_FLAG_OPEN_SOURCE;
constexpr uint64_t edge_flags = GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING;
constexpr uint64_t direction_flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_OUTPUT;
constexpr uint64_t known_flags = bias_flags | drive_flags | edge_flags | direction_flags |
                                 GPIO_V2_LINE_FLAG_ACTIVE_LOW |
                                 GPIO_V2_LINE_FLAG_EVENT_CLOCK_REALTIME;
constexpr size_t v1_queue_length = 16;
constexpr size_t v2_longest_queue = GPIO_V2_LINES_MAX * 16;

template <size_t size>
void copy_text(char (&to)[size], std::string_view text) {
    std::memset(to, 0, size);
    text.copy(to, size - 1);
}

template <size_t size>
std::string_view text_of(const char (&text)[size]) {
    return {text, ::strnlen(text, size)};
}

template <typename Word, size_t size>
bool all_zero(const Word (&words)[size]) {
    return std::all_of(words, words + size, [](Word word) { return word == 0; });
}

/// As gpio_v2_line_flags_validate() and its older sisters.
bool valid(uint64_t flags) {
    const uint64_t direction = flags & direction_flags;
    if ((flags & ~known_flags) != 0 || direction == direction_flags) return false;
    if ((flags & edge_flags) != 0 && direction != GPIO_V2_LINE_FLAG_INPUT) return false;
    if ((flags & drive_flags) == drive_flags) return false;
    if ((flags & drive_flags) != 0 && direction != GPIO_V2_LINE_FLAG_OUTPUT) return false;
    if ((flags & bias_flags) != 0 && direction == 0) return false;
    return std::popcount(flags & bias_flags) <= 1;
}

/// The first interface's flags in the second's words.
uint64_t translated(uint32_t flags) {
    constexpr std::pair<uint64_t, uint64_t> words[] = {
        {GPIOHANDLE_REQUEST_INPUT, GPIO_V2_LINE_FLAG_INPUT},
        {GPIOHANDLE_REQUEST_OUTPUT, GPIO_V2_LINE_FLAG_OUTPUT},
        {GPIOHANDLE_REQUEST_ACTIVE_LOW, GPIO_V2_LINE_FLAG_ACTIVE_LOW},
        {GPIOHANDLE_REQUEST_OPEN_DRAIN, GPIO_V2_LINE_FLAG_OPEN_DRAIN},
        {GPIOHANDLE_REQUEST_OPEN_SOURCE, GPIO_V2_LINE_FLAG_OPEN_SOURCE},
        {GPIOHANDLE_REQUEST_BIAS_PULL_UP, GPIO_V2_LINE_FLAG_BIAS_PULL_UP},
        {GPIOHANDLE_REQUEST_BIAS_PULL_DOWN, GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN},
        {GPIOHANDLE_REQUEST_BIAS_DISABLE, GPIO_V2_LINE_FLAG_BIAS_DISABLED}};
    uint64_t result = 0;
    for (const auto& [old_flag, flag] : words) {
        if ((flags & old_flag) != 0) result |= flag;
    }
    return result;
}

/// What a request's attributes say of its first line.
struct Attributes {
    uint64_t flags;
    uint64_t values = 0;
    uint32_t debounce_usec = 0;
};

std::optional<Attributes> attributes_of(const gpio_v2_line_config& config) {
    Attributes result{config.flags};
    if (config.num_attrs > GPIO_V2_LINE_NUM_ATTRS_MAX || !all_zero(config.padding)) return {};
    for (uint32_t at = config.num_attrs; at-- > 0;) {  // the first one holds
        const gpio_v2_line_config_attribute& attribute = config.attrs[at];
        if ((attribute.mask & 1) == 0) continue;
        switch (attribute.attr.id) {
            case GPIO_V2_LINE_ATTR_ID_FLAGS:
                result.flags = attribute.attr.flags;
                break;
            case GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES:
                result.values = attribute.attr.values;
                break;
            case GPIO_V2_LINE_ATTR_ID_DEBOUNCE:
                result.debounce_usec = attribute.attr.debounce_period_us;
                break;
            default:
                return {};
        }
    }
    return result;
}

}  // namespace

std::optional<int> GpioKernel::ioctl(int fd, unsigned long request, void* argument) {
    const auto found = files_.find(fd);
    if (found == files_.end()) return std::nullopt;
    File& file = found->second;
    if (file.chip->gone) return -ENODEV;
    // As the kernel does: libgpiod 2.1 extends the sign of what is a 32-bit number.
    const auto number = static_cast<uint32_t>(request);
    return file.offset ? on_line(file, number, argument) : on_chip(*file.chip, number, argument);
}

int GpioKernel::on_chip(Chip& chip, uint32_t request, void* argument) {
    if (request == GPIO_GET_CHIPINFO_IOCTL) {
        auto& info = *static_cast<gpiochip_info*>(argument);
        copy_text(info.name, chip.name);
        copy_text(info.label, chip.label);
        info.lines = static_cast<uint32_t>(chip.lines.size());
        return 0;
    }
    if (traits.has_v1) {
        if (request == GPIO_GET_LINEINFO_IOCTL) {
            return tell_line(chip, *static_cast<gpioline_info*>(argument));
        }
        if (request == GPIO_GET_LINEHANDLE_IOCTL) {
            return request_handle(chip, *static_cast<gpiohandle_request*>(argument));
        }
        if (request == GPIO_GET_LINEEVENT_IOCTL) {
            return request_events(chip, *static_cast<gpioevent_request*>(argument));
        }
    }
    if (traits.has_v2) {
        if (request == GPIO_V2_GET_LINEINFO_IOCTL) {
            return tell_line(chip, *static_cast<gpio_v2_line_info*>(argument));
        }
        if (request == GPIO_V2_GET_LINE_IOCTL) {
            return request_lines(chip, *static_cast<gpio_v2_line_request*>(argument));
        }
    }
    return -EINVAL;
}

int GpioKernel::tell_line(const Chip& chip, gpioline_info& info) const {
    if (name_asked) name_asked();
    if (chip.gone) return -ENODEV;
    if (info.line_offset >= chip.lines.size()) return -EINVAL;
    const Line& line = chip.lines[info.line_offset];
    copy_text(info.name, line.name);
    copy_text(info.consumer, line.consumer);
    info.flags = 0;
    if (line.held) info.flags |= GPIOLINE_FLAG_KERNEL;
    if ((line.flags & GPIO_V2_LINE_FLAG_OUTPUT) != 0) info.flags |= GPIOLINE_FLAG_IS_OUT;
    return 0;
}

int GpioKernel::tell_line(const Chip& chip, gpio_v2_line_info& info) const {
    if (name_asked) name_asked();
    if (chip.gone) return -ENODEV;
    if (info.offset >= chip.lines.size() || !all_zero(info.padding)) return -EINVAL;
    const Line& line = chip.lines[info.offset];
    copy_text(info.name, line.name);
    copy_text(info.consumer, line.consumer);
    const bool output = (line.flags & GPIO_V2_LINE_FLAG_OUTPUT) != 0;
    info.flags = output ? GPIO_V2_LINE_FLAG_OUTPUT : GPIO_V2_LINE_FLAG_INPUT;
    if (line.held) info.flags |= GPIO_V2_LINE_FLAG_USED;
    info.num_attrs = 0;
    return 0;
}

int GpioKernel::request_handle(Chip& chip, gpiohandle_request& request) {
    const uint64_t flags = translated(request.flags);
    if (!valid(flags) || (!traits.has_bias && (flags & bias_flags) != 0)) return -EINVAL;
    if (request.lines != 1) return -EINVAL;  // more is never asked for here
    const bool output = (flags & GPIO_V2_LINE_FLAG_OUTPUT) != 0;
    const int fd =
        request_line(chip, {request.lineoffsets[0], flags, text_of(request.consumer_label),
                            output ? std::optional(request.default_values[0] != 0) : std::nullopt});
    if (fd >= 0) request.fd = fd;
    return std::min(fd, 0);
}

int GpioKernel::request_events(Chip& chip, gpioevent_request& request) {
    uint64_t flags = translated(request.handleflags) | GPIO_V2_LINE_FLAG_INPUT;
    if ((request.eventflags & GPIOEVENT_REQUEST_RISING_EDGE) != 0) {
        flags |= GPIO_V2_LINE_FLAG_EDGE_RISING;
    }
    if ((request.eventflags & GPIOEVENT_REQUEST_FALLING_EDGE) != 0) {
        flags |= GPIO_V2_LINE_FLAG_EDGE_FALLING;
    }
    if (!valid(flags) || (!traits.has_bias && (flags & bias_flags) != 0)) return -EINVAL;
    Request made{request.lineoffset, flags, text_of(request.consumer_label), std::nullopt};
    made.queue_length = v1_queue_length;
    const int fd = request_line(chip, made);
    if (fd >= 0) request.fd = fd;
    return std::min(fd, 0);
}

int GpioKernel::request_lines(Chip& chip, gpio_v2_line_request& request) {
    if (request.num_lines != 1 || !all_zero(request.padding)) return -EINVAL;
    const auto attributes = attributes_of(request.config);
    if (!attributes || !valid(attributes->flags)) return -EINVAL;
    const bool output = (attributes->flags & GPIO_V2_LINE_FLAG_OUTPUT) != 0;
    if (output && attributes->debounce_usec != 0) return -EINVAL;
    Request made{request.offsets[0], attributes->flags, text_of(request.consumer),
                 output ? std::optional((attributes->values & 1) != 0) : std::nullopt};
    made.debounce_usec = attributes->debounce_usec;
    made.numbered = true;
    if ((made.flags & edge_flags) != 0) {
        const size_t wished = request.event_buffer_size == 0 ? 16 : request.event_buffer_size;
        made.queue_length = std::bit_ceil(std::min(wished, v2_longest_queue));
    }
    const int fd = request_line(chip, made);
    if (fd >= 0) request.fd = fd;
    return std::min(fd, 0);
}

int GpioKernel::request_line(Chip& chip, const Request& request) {
    if (request.offset >= chip.lines.size()) return -EINVAL;
    Line& line = chip.lines[request.offset];
    if (line_requested) line_requested();
    if (chip.gone) return -ENODEV;
    if (line.refusal != 0) return -line.refusal;
    if (line.held) return -EBUSY;
    if (request.queue_length > 0 && !line.interrupts) return request.numbered ? -ENXIO : -ENODEV;
    File file;
    file.chip = &chip;
    file.offset = request.offset;
    file.numbered = request.numbered;
    file.queue_length = request.queue_length;
    const int fd = add_file(std::move(file));
    if (fd < 0) return fd;
    line.held = true;
    line.consumer = request.consumer;
    line.flags = request.flags;
    line.debounce_usec = request.debounce_usec;
    if ((line.flags & GPIO_V2_LINE_FLAG_BIAS_PULL_UP) != 0) line.high = true;
    if ((line.flags & GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN) != 0) line.high = false;
    if (request.start_value) std::ignore = set_level(files_.at(fd), *request.start_value);
    return fd;
}

int GpioKernel::on_line(File& file, uint32_t request, void* argument) {
    if (!file.numbered && request == GPIOHANDLE_GET_LINE_VALUES_IOCTL) {
        auto& data = *static_cast<gpiohandle_data*>(argument);
        data.values[0] = level_of(file) ? 1 : 0;
        return 0;
    }
    if (!file.numbered && request == GPIOHANDLE_SET_LINE_VALUES_IOCTL) {
        return set_level(file, static_cast<gpiohandle_data*>(argument)->values[0] != 0);
    }
    auto& values = *static_cast<gpio_v2_line_values*>(argument);
    if (file.numbered && request == GPIO_V2_LINE_GET_VALUES_IOCTL) {
        if (values.mask != 1) return -EINVAL;
        values.bits = level_of(file) ? 1 : 0;
        return 0;
    }
    if (file.numbered && request == GPIO_V2_LINE_SET_VALUES_IOCTL) {
        if (values.mask != 1) return -EINVAL;
        return set_level(file, (values.bits & 1) != 0);
    }
    return -EINVAL;
}

bool GpioKernel::level_of(const File& file) {
    const Line& line = file.chip->lines[*file.offset];
    const bool active = line.high != ((line.flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0);
    if (level_asked) level_asked();
    return active;
}

int GpioKernel::set_level(const File& file, bool active) {
    Line& line = file.chip->lines[*file.offset];
    if ((line.flags & GPIO_V2_LINE_FLAG_OUTPUT) == 0) return -EPERM;
    line.high = active != ((line.flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0);
    line.driven.push_back(line.high);
    return 0;
}

}  // namespace glint::fakes
