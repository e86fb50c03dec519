#include "zero_copy/v4l2_device.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/videodev2.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "zero_copy/kernel_text.hpp"

namespace glint::zero_copy {
namespace {

using Kind = SourceError::Kind;

Kind kind_of(int code) {
    switch (code) {
        case ENOENT:
        case ENODEV:
        case ENXIO:
        case EACCES:  // udev sets the group a moment after the node appears
        case EPERM:
            return Kind::absent;
        case EBUSY:
            return Kind::busy;
        case EINVAL:
        case ENOTTY:
            return Kind::format;
        default:
            return Kind::broken;
    }
}

DeviceFd open_node(DeviceCalls& calls, const std::string& path) {
    DeviceFd fd(calls, calls.open(path.c_str(), O_RDWR | O_NONBLOCK));
    if (fd) return fd;
    const int code = errno;
    if (code == EACCES || code == EPERM) {
        throw device_error(
            code, fmt::format("cannot open {}; the service's user must be in the node's group "
                              "(video) and its unit allow char-video4linux",
                              path));
    }
    throw device_error(code, fmt::format("cannot open {}", path));
}

struct Named {
    std::string name;    ///< of the entity
    std::string node;    ///< videoN
    std::string device;  ///< the hardware's folder in sysfs
    int index = 0;       ///< among the nodes of its device
};

std::string first_line(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

std::vector<Named> video_nodes(const std::string& sysfs) {
    std::vector<Named> nodes;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(sysfs, ignored)) {
        const std::string node = entry.path().filename();
        if (!node.starts_with("video")) continue;
        Named named{first_line(entry.path() / "name"), node,
                    std::filesystem::weakly_canonical(entry.path() / "device", ignored), 0};
        named.index = std::atoi(first_line(entry.path() / "index").c_str());
        nodes.push_back(std::move(named));
    }
    std::ranges::sort(nodes, {},
                      [](const Named& named) { return std::pair(named.index, named.node); });
    return nodes;
}

}  // namespace

SourceError device_error(int code, std::string_view what) {
    return {kind_of(code), fmt::format("{}: {}", what, std::generic_category().message(code))};
}

SourceError stream_error(int code, std::string_view what) {
    const SourceError error = device_error(code, what);
    return error.kind() == Kind::format ? SourceError(Kind::broken, error.what()) : error;
}

V4l2Device::V4l2Device(DeviceCalls& calls, std::string path)
    : path_(std::move(path)), fd_(open_node(calls, path_)) {
    v4l2_capability capability{};
    if (const int code = call(VIDIOC_QUERYCAP, &capability); code != 0) {
        if (code == ENOTTY) {
            throw SourceError(Kind::format, fmt::format("{} is no V4L2 device", path_));
        }
        throw device_error(code, fmt::format("VIDIOC_QUERYCAP on {}", path_));
    }
    driver_ = kernel_text(capability.driver);
    capabilities_ = (capability.capabilities & V4L2_CAP_DEVICE_CAPS) != 0 ? capability.device_caps
                                                                          : capability.capabilities;
    multi_planar_ = (capabilities_ & V4L2_CAP_VIDEO_CAPTURE) == 0;
    const bool captures =
        (capabilities_ & (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE)) != 0;
    if (!captures || (capabilities_ & V4L2_CAP_STREAMING) == 0) {
        throw SourceError(Kind::format,
                          fmt::format("{} (driver {}) does not stream captured video; `v4l2-ctl "
                                      "--list-devices` shows which node does",
                                      path_, driver_));
    }
}

uint32_t V4l2Device::buffer_type() const noexcept {
    return multi_planar_ ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
}

int V4l2Device::call(unsigned long request, void* argument) const noexcept {
    return fd_.ioctl(request, argument) == -1 ? errno : 0;
}

void V4l2Device::require(unsigned long request, std::string_view name, void* argument) const {
    if (const int code = call(request, argument); code != 0) {
        throw device_error(code, fmt::format("{} on {}", name, path_));
    }
}

std::string find_node(std::string_view node, const std::string& sysfs) {
    if (node.starts_with('/')) return std::string(node);
    const std::vector<Named> all = video_nodes(sysfs);
    const auto found = std::ranges::find(all, node, &Named::name);
    if (found == all.end()) {
        std::string names;
        for (const Named& named : all) {
            names +=
                fmt::format("{}\"{}\" ({})", names.empty() ? "" : ", ", named.name, named.node);
        }
        throw SourceError(Kind::absent,
                          fmt::format("no video node is called \"{}\"; there {}", node,
                                      names.empty() ? "is none" : "are " + names));
    }
    for (const Named& other : all) {
        if (other.name == found->name && other.device != found->device) {
            throw SourceError(
                Kind::format,
                fmt::format("{} and {} are both called \"{}\"; name the camera by its "
                            "link in /dev/v4l/by-path",
                            found->node, other.node, node));
        }
    }
    return "/dev/" + found->node;
}

}  // namespace glint::zero_copy
