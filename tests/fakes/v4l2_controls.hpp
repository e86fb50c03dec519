// The controls of a fake capture driver, with the kernel's rules for what may be read and set.
#pragma once

#include <linux/videodev2.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace glint::fakes::v4l2 {

struct Control {
    uint32_t id = 0;
    uint32_t type = V4L2_CTRL_TYPE_INTEGER;
    std::string name{};
    int64_t minimum = 0;
    int64_t maximum = 0;
    int64_t step = 1;
    int64_t default_value = 0;
    uint32_t flags = 0;
    std::vector<std::string> menu{};      ///< of a menu; an empty text: no such item
    std::vector<int64_t> integer_menu{};  ///< of an integer menu
    uint32_t payload_bytes = 0;           ///< of a compound control, which can only be asked about
};

/// Results are 0 or a negative errno value.
class Controls {
  public:
    /// With each event, and the file whose doing it is (-1: nobody's).
    using Post = std::function<void(const v4l2_event&, int file)>;
    explicit Controls(Post post) : post_(std::move(post)) {}

    /// The first control of a class brings the control that names the class.
    void add(const Control& control);
    [[nodiscard]] bool empty() const { return controls_.empty(); }
    [[nodiscard]] int query(v4l2_query_ext_ctrl& query) const;
    [[nodiscard]] int query_menu(v4l2_querymenu& item) const;
    /// Sets error_idx, also on failure.
    [[nodiscard]] int get(v4l2_ext_controls& controls) const;
    [[nodiscard]] int set(int file, v4l2_ext_controls& controls);

    /// The hardware, or another program, changes it. Throws std::out_of_range for an unknown id.
    void change(uint32_t id, int64_t value);
    void change_flags(uint32_t id, uint32_t flags);
    [[nodiscard]] int64_t value(uint32_t id) const { return controls_.at(id).value; }
    [[nodiscard]] bool has(uint32_t id) const { return controls_.count(id) != 0; }
    /// The event that a new subscription with V4L2_EVENT_SUB_FL_SEND_INITIAL begins with.
    [[nodiscard]] v4l2_event initial_event(uint32_t id) const;

  private:
    struct Known {
        Control control;
        int64_t value;
    };
    [[nodiscard]] int check(const v4l2_ext_controls& controls, uint32_t& at) const;
    [[nodiscard]] int class_exists(uint32_t which) const;
    [[nodiscard]] static int validate(const Control& control, int64_t& value);
    void store(Known& known, int64_t value, int file);

    std::map<uint32_t, Known> controls_;
    Post post_;
};

}  // namespace glint::fakes::v4l2
