// The ways by which frames come to where kernels read them.
#pragma once

#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace glint::zero_copy {

enum class Transport {
    dmabuf,      ///< the driver fills dma-bufs that a heap gave us
    mmap,        ///< the driver fills pages of its own, which we map
    userptr,     ///< the driver fills pages of ours
    host_pages,  ///< a source without a driver fills pages of ours
    copy,        ///< however they come, each frame is copied to the device
};

inline constexpr std::array<std::string_view, 5> transport_names{"dmabuf", "mmap", "userptr",
                                                                 "host_pages", "copy"};

[[nodiscard]] constexpr std::string_view name_of(Transport transport) {
    return transport_names[static_cast<size_t>(transport)];
}

/// A transport does not serve here; the text says why. Costs a rung of the ladder, not the camera.
class TransportRefused : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace glint::zero_copy
