// Controls after drivers/media/v4l2-core/v4l2-ctrls-{api,core}.c.
#include "tests/fakes/v4l2_controls.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace glint::fakes::v4l2 {
namespace {

constexpr uint32_t next_flags = V4L2_CTRL_FLAG_NEXT_CTRL | V4L2_CTRL_FLAG_NEXT_COMPOUND;

bool is_compound(const Control& control) {
    return control.payload_bytes != 0;
}

bool is_menu(const Control& control) {
    return control.type == V4L2_CTRL_TYPE_MENU || control.type == V4L2_CTRL_TYPE_INTEGER_MENU;
}

bool has_item(const Control& control, int64_t index) {
    if (index < control.minimum || index > control.maximum) return false;
    const auto at = static_cast<size_t>(index);
    if (control.type == V4L2_CTRL_TYPE_INTEGER_MENU) return at < control.integer_menu.size();
    return at < control.menu.size() && !control.menu[at].empty();
}

const char* class_name(uint32_t control_class) {
    switch (control_class) {
        case V4L2_CTRL_CLASS_USER:
            return "User Controls";
        case V4L2_CTRL_CLASS_CAMERA:
            return "Camera Controls";
        case V4L2_CTRL_CLASS_IMAGE_SOURCE:
            return "Image Source Controls";
        case V4L2_CTRL_CLASS_IMAGE_PROC:
            return "Image Processing Controls";
        default:
            return "Other Controls";
    }
}

v4l2_event event_of(const Control& control, int64_t value, uint32_t changes) {
    v4l2_event event{};
    event.type = V4L2_EVENT_CTRL;
    event.id = control.id;
    v4l2_event_ctrl& told = event.u.ctrl;
    told.changes = changes;
    told.type = control.type;
    told.value64 = 0;
    if (control.type == V4L2_CTRL_TYPE_INTEGER64) {
        told.value64 = value;
    } else {
        told.value = static_cast<int32_t>(value);
    }
    told.flags = control.flags;
    told.minimum = static_cast<int32_t>(control.minimum);
    told.maximum = static_cast<int32_t>(control.maximum);
    told.step = static_cast<int32_t>(control.step);
    told.default_value = static_cast<int32_t>(control.default_value);
    return event;
}

void put_value(const Control& control, int64_t value, v4l2_ext_control& to) {
    if (control.type == V4L2_CTRL_TYPE_INTEGER64) {
        to.value64 = value;
    } else {
        to.value = static_cast<int32_t>(value);
    }
}

}  // namespace

void Controls::add(const Control& control) {
    Control added = control;
    if (control.type == V4L2_CTRL_TYPE_BUTTON) {
        added.flags |= V4L2_CTRL_FLAG_WRITE_ONLY | V4L2_CTRL_FLAG_EXECUTE_ON_WRITE;
    }
    if (is_compound(control)) added.flags |= V4L2_CTRL_FLAG_HAS_PAYLOAD | V4L2_CTRL_FLAG_READ_ONLY;
    if (is_menu(control)) added.step = 1;
    controls_[control.id] = {added, control.default_value};
    const auto control_class = static_cast<uint32_t>(V4L2_CTRL_ID2WHICH(control.id));
    Control naming;
    naming.id = control_class | 1;
    naming.type = V4L2_CTRL_TYPE_CTRL_CLASS;
    naming.name = class_name(control_class);
    naming.step = 0;
    naming.flags = V4L2_CTRL_FLAG_READ_ONLY | V4L2_CTRL_FLAG_WRITE_ONLY;
    controls_.try_emplace(naming.id, Known{naming, 0});
}

int Controls::query(v4l2_query_ext_ctrl& query) const {
    const uint32_t id = query.id & V4L2_CTRL_ID_MASK;
    const uint32_t next = query.id & next_flags;
    auto found = controls_.find(id);
    if (next != 0) {
        const auto is_wanted = [&](const auto& it) {
            const bool compound = is_compound(it.second.control);
            return (next & (compound ? V4L2_CTRL_FLAG_NEXT_COMPOUND : V4L2_CTRL_FLAG_NEXT_CTRL)) !=
                   0;
        };
        found = std::find_if(controls_.upper_bound(id), controls_.end(), is_wanted);
    }
    if (found == controls_.end()) return -EINVAL;
    const Control& control = found->second.control;
    query = {};
    query.id = control.id;
    query.type = control.type;
    std::copy_n(control.name.begin(), std::min(control.name.size(), sizeof query.name - 1),
                query.name);
    query.minimum = control.minimum;
    query.maximum = control.maximum;
    query.step = static_cast<uint64_t>(control.step);
    query.default_value = control.default_value;
    query.flags = control.flags;
    query.elem_size = control.type == V4L2_CTRL_TYPE_INTEGER64 ? 8 : 4;
    if (is_compound(control)) query.elem_size = control.payload_bytes;
    query.elems = 1;
    return 0;
}

int Controls::query_menu(v4l2_querymenu& item) const {
    const auto found = controls_.find(item.id);
    if (found == controls_.end() || !is_menu(found->second.control)) return -EINVAL;
    const Control& control = found->second.control;
    if (!has_item(control, item.index)) return -EINVAL;
    const uint32_t index = item.index;
    item = {};
    item.id = control.id;
    item.index = index;
    if (control.type == V4L2_CTRL_TYPE_INTEGER_MENU) {
        item.value = control.integer_menu[index];
        return 0;
    }
    const std::string& name = control.menu[index];
    std::copy_n(name.begin(), std::min(name.size(), sizeof item.name - 1), item.name);
    return 0;
}

int Controls::class_exists(uint32_t which) const {
    if (which == 0 || which == V4L2_CTRL_WHICH_DEF_VAL) return 0;
    return has(which | 1) ? 0 : -EINVAL;
}

int Controls::check(const v4l2_ext_controls& controls, uint32_t& at) const {
    const uint32_t which = controls.which;
    const bool of_class = which != V4L2_CTRL_WHICH_CUR_VAL && which != V4L2_CTRL_WHICH_DEF_VAL;
    for (at = 0; at < controls.count; ++at) {
        const uint32_t id = controls.controls[at].id & V4L2_CTRL_ID_MASK;
        if (of_class && V4L2_CTRL_ID2WHICH(id) != V4L2_CTRL_ID2WHICH(which)) return -EINVAL;
        const auto found = controls_.find(id);
        if (found == controls_.end()) return -EINVAL;
        if ((found->second.control.flags & V4L2_CTRL_FLAG_DISABLED) != 0) return -EINVAL;
    }
    return 0;
}

int Controls::get(v4l2_ext_controls& controls) const {
    controls.error_idx = controls.count;  // get says so on every failure
    if (controls.which == V4L2_CTRL_WHICH_REQUEST_VAL) return -EINVAL;
    if (controls.count == 0) return class_exists(controls.which);
    uint32_t at = 0;
    if (const int result = check(controls, at); result < 0) return result;
    for (uint32_t i = 0; i < controls.count; ++i) {
        v4l2_ext_control& asked = controls.controls[i];
        const Control& control = controls_.at(asked.id & V4L2_CTRL_ID_MASK).control;
        if (is_compound(control) && asked.size < control.payload_bytes) {
            asked.size = control.payload_bytes;
            return -ENOSPC;
        }
        if ((control.flags & V4L2_CTRL_FLAG_WRITE_ONLY) != 0) return -EACCES;
    }
    for (uint32_t i = 0; i < controls.count; ++i) {
        v4l2_ext_control& asked = controls.controls[i];
        const auto& [control, value] = controls_.at(asked.id & V4L2_CTRL_ID_MASK);
        if (is_compound(control)) {
            std::memset(asked.ptr, 0, control.payload_bytes);
        } else {
            const bool defaults = controls.which == V4L2_CTRL_WHICH_DEF_VAL;
            put_value(control, defaults ? control.default_value : value, asked);
        }
    }
    return 0;
}

int Controls::validate(const Control& control, int64_t& value) {
    switch (control.type) {
        case V4L2_CTRL_TYPE_INTEGER:
        case V4L2_CTRL_TYPE_INTEGER64: {
            const int64_t nearest = value > control.maximum - control.step / 2
                                        ? control.maximum
                                        : std::max(value + control.step / 2, control.minimum);
            value = control.minimum + (nearest - control.minimum) / control.step * control.step;
            return 0;
        }
        case V4L2_CTRL_TYPE_BOOLEAN:
            value = value != 0 ? 1 : 0;
            return 0;
        case V4L2_CTRL_TYPE_MENU:
        case V4L2_CTRL_TYPE_INTEGER_MENU:
            if (value < control.minimum || value > control.maximum) return -ERANGE;
            return has_item(control, value) ? 0 : -EINVAL;
        default:  // a button
            value = 0;
            return 0;
    }
}

int Controls::set(int file, v4l2_ext_controls& controls) {
    controls.error_idx = controls.count;  // set gives no index for what it finds before it begins
    if (controls.which == V4L2_CTRL_WHICH_DEF_VAL) return -EINVAL;
    if (controls.which == V4L2_CTRL_WHICH_REQUEST_VAL) return -EINVAL;
    if (controls.count == 0) return class_exists(controls.which);
    uint32_t at = 0;
    if (const int result = check(controls, at); result < 0) return result;
    std::vector<int64_t> values;
    for (uint32_t i = 0; i < controls.count; ++i) {
        const v4l2_ext_control& asked = controls.controls[i];
        const Control& control = controls_.at(asked.id & V4L2_CTRL_ID_MASK).control;
        if ((control.flags & V4L2_CTRL_FLAG_READ_ONLY) != 0) return -EACCES;
        if ((control.flags & V4L2_CTRL_FLAG_GRABBED) != 0) return -EBUSY;
        int64_t value =
            control.type == V4L2_CTRL_TYPE_INTEGER64 ? asked.value64 : int64_t{asked.value};
        if (const int result = validate(control, value); result < 0) return result;
        values.push_back(value);
    }
    for (uint32_t i = 0; i < controls.count; ++i) {
        v4l2_ext_control& asked = controls.controls[i];
        Known& known = controls_.at(asked.id & V4L2_CTRL_ID_MASK);
        store(known, values[i], file);
        put_value(known.control, known.value, asked);
    }
    return 0;
}

void Controls::store(Known& known, int64_t value, int file) {
    const bool executes = (known.control.flags & V4L2_CTRL_FLAG_EXECUTE_ON_WRITE) != 0;
    const bool changed = std::exchange(known.value, value) != value || executes;
    const bool silent = (known.control.flags & V4L2_CTRL_FLAG_VOLATILE) != 0;
    if (changed && !silent) post_(event_of(known.control, value, V4L2_EVENT_CTRL_CH_VALUE), file);
}

void Controls::change(uint32_t id, int64_t value) {
    store(controls_.at(id), value, -1);
}

void Controls::change_flags(uint32_t id, uint32_t flags) {
    Known& known = controls_.at(id);
    if (std::exchange(known.control.flags, flags) == flags) return;
    post_(event_of(known.control, known.value, V4L2_EVENT_CTRL_CH_FLAGS), -1);
}

v4l2_event Controls::initial_event(uint32_t id) const {
    const auto& [control, value] = controls_.at(id);
    const bool readable = (control.flags & V4L2_CTRL_FLAG_WRITE_ONLY) == 0;
    return event_of(control, value,
                    V4L2_EVENT_CTRL_CH_FLAGS | (readable ? uint32_t{V4L2_EVENT_CTRL_CH_VALUE} : 0));
}

}  // namespace glint::fakes::v4l2
