#include "zero_copy/v4l2_controls.hpp"

#include <fmt/format.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <optional>
#include <system_error>

#include "zero_copy/kernel_text.hpp"

namespace glint::zero_copy {
namespace {

std::string type_name(uint32_t type) {
    switch (type) {
        case V4L2_CTRL_TYPE_INTEGER:
        case V4L2_CTRL_TYPE_INTEGER64:
            return "integer";
        case V4L2_CTRL_TYPE_BOOLEAN:
            return "boolean";
        case V4L2_CTRL_TYPE_MENU:
            return "menu";
        case V4L2_CTRL_TYPE_INTEGER_MENU:
            return "integer-menu";
        case V4L2_CTRL_TYPE_BUTTON:
            return "button";
        case V4L2_CTRL_TYPE_BITMASK:
            return "bitmask";
        default:
            return "";  // a class's heading, a text, an array
    }
}

bool is_menu(uint32_t type) {
    return type == V4L2_CTRL_TYPE_MENU || type == V4L2_CTRL_TYPE_INTEGER_MENU;
}

std::vector<std::pair<int64_t, std::string>> read_menu(const DeviceFd& device,
                                                       const v4l2_query_ext_ctrl& query) {
    std::vector<std::pair<int64_t, std::string>> menu;
    constexpr int64_t most_items = 1024;  // of a driver that does not know where its menu ends
    const int64_t first = std::clamp<int64_t>(query.minimum, 0, UINT32_MAX);
    const int64_t last = std::min<int64_t>(query.maximum, first + most_items - 1);
    for (int64_t i = first; i <= last; ++i) {
        v4l2_querymenu item{};
        item.id = query.id;
        item.index = static_cast<uint32_t>(i);
        if (device.ioctl(VIDIOC_QUERYMENU, &item) != 0) continue;  // a gap
        menu.emplace_back(i, query.type == V4L2_CTRL_TYPE_MENU ? kernel_text(item.name)
                                                               : std::to_string(item.value));
    }
    return menu;
}

/// As ioctl(2).
int exchange_value(const DeviceFd& device, unsigned long request, uint32_t id, bool wide,
                   int64_t& value) {
    v4l2_ext_control control{};
    control.id = id;
    if (wide) {
        control.value64 = value;
    } else {
        control.value = static_cast<int32_t>(value);
    }
    v4l2_ext_controls controls{};
    controls.which = V4L2_CTRL_WHICH_CUR_VAL;
    controls.count = 1;
    controls.controls = &control;
    const int result = device.ioctl(request, &controls);
    value = wide ? int64_t{control.value64} : int64_t{control.value};
    return result;
}

/// None for what is not one number.
std::optional<Control> describe(const DeviceFd& device, const v4l2_query_ext_ctrl& query) {
    const std::string type = type_name(query.type);
    constexpr uint32_t unusable = V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_HAS_PAYLOAD;
    if (type.empty() || (query.flags & unusable) != 0) return std::nullopt;
    Control control{.id = query.id,
                    .name = control_name(kernel_text(query.name)),
                    .type = type,
                    .minimum = query.minimum,
                    .maximum = query.maximum,
                    .step = static_cast<int64_t>(query.step),
                    .default_value = query.default_value,
                    .wide = query.type == V4L2_CTRL_TYPE_INTEGER64,
                    .read_only = (query.flags & V4L2_CTRL_FLAG_READ_ONLY) != 0,
                    .inactive = (query.flags & V4L2_CTRL_FLAG_INACTIVE) != 0,
                    .menu = {}};
    if (is_menu(query.type)) control.menu = read_menu(device, query);
    if ((query.flags & V4L2_CTRL_FLAG_WRITE_ONLY) == 0) {
        (void)exchange_value(device, VIDIOC_G_EXT_CTRLS, query.id, control.wide, control.value);
    }
    return control;
}

bool next_control(const DeviceFd& device, v4l2_query_ext_ctrl& query) {
    const uint32_t after = query.id;
    query = {};
    query.id = after | V4L2_CTRL_FLAG_NEXT_CTRL;
    if (device.ioctl(VIDIOC_QUERY_EXT_CTRL, &query) == 0) {
        return query.id > after;  // a driver that does not go on would go on for ever
    }
    const int code = errno;
    if (code == EINVAL || code == ENOTTY) return false;  // no more, or none at all
    throw ControlError(
        fmt::format("VIDIOC_QUERY_EXT_CTRL: {}", std::generic_category().message(code)), code);
}

std::string allowed_values(const Control& control) {
    if (control.menu.empty()) {
        return fmt::format("{} to {} in steps of {}", control.minimum, control.maximum,
                           control.step);
    }
    std::string text;
    for (const auto& [value, meaning] : control.menu) {
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", value, meaning);
    }
    return text;
}

bool allows(const Control& control, int64_t value) {
    if (control.type == "button") return true;
    if (value < control.minimum || value > control.maximum) return false;
    return control.menu.empty() ||
           std::ranges::find(control.menu, value, &std::pair<int64_t, std::string>::first) !=
               control.menu.end();
}

bool subscribe_to(const DeviceFd& device, uint32_t id) {
    v4l2_event_subscription subscription{};
    subscription.type = V4L2_EVENT_CTRL;
    subscription.id = id;
    subscription.flags = V4L2_EVENT_SUB_FL_SEND_INITIAL | V4L2_EVENT_SUB_FL_ALLOW_FEEDBACK;
    return device.ioctl(VIDIOC_SUBSCRIBE_EVENT, &subscription) == 0;
}

}  // namespace

std::string control_name(std::string_view text) {
    std::string name;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0) {
            name += static_cast<char>(std::tolower(byte));
        } else if (!name.empty() && name.back() != '_') {
            name += '_';
        }
    }
    if (name.ends_with('_')) name.pop_back();
    return name;
}

std::vector<Control> list_controls(const DeviceFd& device) {
    std::vector<Control> controls;
    constexpr uint32_t most = 1024;  // of a driver that always has one more
    v4l2_query_ext_ctrl query{};
    for (uint32_t i = 0; i < most && next_control(device, query); ++i) {
        if (auto control = describe(device, query)) controls.push_back(std::move(*control));
    }
    return controls;
}

void set_control(const DeviceFd& device, const std::string& name, int64_t value) {
    const std::vector<Control> controls = list_controls(device);
    const auto found = std::ranges::find(controls, name, &Control::name);
    if (found == controls.end()) {
        std::string names;
        for (const Control& control : controls) {
            names += (names.empty() ? "" : ", ") + control.name;
        }
        throw ControlError(fmt::format("the camera has no control \"{}\"; it has {}", name,
                                       names.empty() ? "none" : names));
    }
    if (found->read_only) throw ControlError(fmt::format("control {} is read-only", name));
    if (!allows(*found, value)) {
        throw ControlError(
            fmt::format("{} = {}; allowed are {}", name, value, allowed_values(*found)));
    }
    int64_t set = value;
    if (exchange_value(device, VIDIOC_S_EXT_CTRLS, found->id, found->wide, set) == 0) return;
    const int code = errno;
    throw ControlError(
        fmt::format("setting {} to {}: {}", name, value, std::generic_category().message(code)),
        code);
}

void ExposureWatch::subscribe(const DeviceFd& device, uint32_t line_pixels) {
    // V4L2_CID_EXPOSURE has no unit of its own; sensors count lines, and tell how long one takes.
    const bool absolute = subscribe_to(device, V4L2_CID_EXPOSURE_ABSOLUTE);
    const bool lines = !absolute && line_pixels != 0 && subscribe_to(device, V4L2_CID_PIXEL_RATE) &&
                       subscribe_to(device, V4L2_CID_HBLANK) &&
                       subscribe_to(device, V4L2_CID_EXPOSURE);
    if (lines) line_pixels_ = line_pixels;
    // A sensor's own gain rather than the sum of all.
    const bool gain =
        subscribe_to(device, V4L2_CID_ANALOGUE_GAIN) || subscribe_to(device, V4L2_CID_GAIN);
    subscribed_ = subscribed_ || absolute || lines || gain;
}

void ExposureWatch::take(uint32_t id, int64_t value) noexcept {
    constexpr int64_t unit_usec = 100;  // V4L2_CID_EXPOSURE_ABSOLUTE counts tenths of milliseconds
    const int64_t narrow = std::clamp<int64_t>(value, -1, INT32_MAX);  // as the control has it
    switch (id) {
        case V4L2_CID_EXPOSURE_ABSOLUTE:
            exposure_usec_ = narrow * unit_usec;
            return;
        case V4L2_CID_EXPOSURE:
            exposure_lines_ = narrow;
            return;
        case V4L2_CID_HBLANK:
            blank_pixels_ = narrow;
            return;
        case V4L2_CID_PIXEL_RATE:
            pixel_rate_ = value;
            return;
        default:
            gain_raw_ = static_cast<int32_t>(std::clamp<int64_t>(value, 0, INT32_MAX));
    }
}

int32_t ExposureWatch::exposure_usec() const noexcept {
    constexpr int64_t usec_per_sec = 1'000'000;
    int64_t usec = exposure_usec_;
    if (line_pixels_ != 0 && exposure_lines_ >= 0 && blank_pixels_ >= 0 && pixel_rate_ > 0) {
        const double line_usec = static_cast<double>(line_pixels_ + blank_pixels_) * usec_per_sec /
                                 static_cast<double>(pixel_rate_);
        usec = static_cast<int64_t>(
            std::min<double>(static_cast<double>(exposure_lines_) * line_usec + 0.5, INT32_MAX));
    }
    return static_cast<int32_t>(std::clamp<int64_t>(usec, -1, INT32_MAX));
}

}  // namespace glint::zero_copy
