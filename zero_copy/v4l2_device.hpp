// A V4L2 capture node: opened, asked what it is, and spoken to with errors that say what was asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "zero_copy/device_calls.hpp"
#include "zero_copy/source.hpp"

namespace glint::zero_copy {

/// The error that an errno value means for a source; `what` and the system's words make its text.
[[nodiscard]] SourceError device_error(int code, std::string_view what);
/// The same once the format is agreed and the buffers have been tried out: what a driver does not
/// take then is no matter of the configuration, and another try may help.
[[nodiscard]] SourceError stream_error(int code, std::string_view what);

class V4l2Device {
  public:
    /// Throws SourceError: absent (with what stands in the way), busy, or format for a node that
    /// captures no video or cannot stream.
    V4l2Device(DeviceCalls& calls, std::string path);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// The kernel driver's name, e.g. "uvcvideo".
    [[nodiscard]] const std::string& driver() const noexcept { return driver_; }
    [[nodiscard]] bool multi_planar() const noexcept { return multi_planar_; }
    /// V4L2_BUF_TYPE_VIDEO_CAPTURE or its multi-planar sister.
    [[nodiscard]] uint32_t buffer_type() const noexcept;
    /// V4L2_CAP_... of this node.
    [[nodiscard]] uint32_t capabilities() const noexcept { return capabilities_; }
    [[nodiscard]] int fd() const noexcept { return fd_.get(); }
    [[nodiscard]] const DeviceFd& descriptor() const noexcept { return fd_; }
    [[nodiscard]] DeviceCalls& calls() const noexcept { return fd_.calls(); }

    /// 0 or an errno value.
    [[nodiscard]] int call(unsigned long request, void* argument) const noexcept;
    /// Throws SourceError naming the request and the node.
    void require(unsigned long request, std::string_view name, void* argument) const;

  private:
    std::string path_;
    DeviceFd fd_;
    std::string driver_;
    uint32_t capabilities_ = 0;
    bool multi_planar_ = false;
};

/// The node that "v4l2:NODE" names: a path as it is, or else the name of a media entity, which is
/// looked up among the video nodes in `sysfs`. Throws SourceError (absent) with the names there
/// are, or (format) when two devices have that name.
[[nodiscard]] std::string find_node(std::string_view node,
                                    const std::string& sysfs = "/sys/class/video4linux");

}  // namespace glint::zero_copy
