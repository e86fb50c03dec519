// The knobs of a camera: exposure, gain, test pattern and what else its driver has.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "zero_copy/device_calls.hpp"

namespace glint::zero_copy {

struct Control {
    uint32_t id = 0;
    std::string name;  ///< as v4l2-ctl writes it: "exposure_time_absolute"
    std::string type;  ///< "integer", "boolean", "menu", "integer-menu", "button" or "bitmask"
    int64_t value = 0;
    int64_t minimum = 0;
    int64_t maximum = 0;
    int64_t step = 0;
    int64_t default_value = 0;
    bool wide = false;  ///< of 64 bits
    bool read_only = false;
    bool inactive = false;  ///< has no effect at present, e.g. a gain that the driver chooses
    std::vector<std::pair<int64_t, std::string>> menu;  ///< value, meaning
};

/// A value that a control does not take, or a control that there is not.
class ControlError : public std::runtime_error {
  public:
    explicit ControlError(const std::string& text, int code = 0)
        : std::runtime_error(text), code_(code) {}
    /// The errno value that the driver gave; 0 when it was not asked.
    [[nodiscard]] int code() const noexcept { return code_; }

  private:
    int code_;
};

/// Every control of a video node or subdevice that is one number. Asks the driver; some take
/// milliseconds for each. Throws ControlError when the device fails or has gone.
[[nodiscard]] std::vector<Control> list_controls(const DeviceFd& device);

/// Throws ControlError, naming the control, the value and what is allowed, or saying what the
/// driver answered.
void set_control(const DeviceFd& device, const std::string& name, int64_t value);

/// "Exposure Time, Absolute" -> "exposure_time_absolute".
[[nodiscard]] std::string control_name(std::string_view text);

/// Exposure and gain as the driver tells them while it streams, by events.
class ExposureWatch {
  public:
    /// Subscribes to what there is of both. `line_pixels`: columns of the sensor's own picture,
    /// for drivers that count the exposure in lines of it; 0: unknown.
    void subscribe(const DeviceFd& device, uint32_t line_pixels);

    /// The value of a V4L2_EVENT_CTRL.
    void take(uint32_t id, int64_t value) noexcept;
    [[nodiscard]] bool subscribed() const noexcept { return subscribed_; }
    /// Microseconds, or -1.
    [[nodiscard]] int32_t exposure_usec() const noexcept;
    /// In the driver's own unit, or -1.
    [[nodiscard]] int32_t gain_raw() const noexcept { return gain_raw_; }

  private:
    bool subscribed_ = false;
    uint32_t line_pixels_ = 0;
    int64_t exposure_usec_ = -1;
    int64_t exposure_lines_ = -1;
    int64_t blank_pixels_ = -1;
    int64_t pixel_rate_ = -1;
    int32_t gain_raw_ = -1;
};

}  // namespace glint::zero_copy
