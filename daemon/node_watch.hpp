// Says when a file or device node may have come: by inotify, since the sandbox allows no netlink.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "daemon/loop.hpp"
#include "zero_copy/unique_fd.hpp"

namespace glint {

/// Calls the handler after something has appeared, vanished, been written or changed its mode in a
/// folder on the way to `path`; folders that do not exist yet are watched from the moment they do.
class NodeWatch {
  public:
    /// Throws std::system_error.
    NodeWatch(Loop& loop, std::filesystem::path path, std::function<void()> changed);

  private:
    void watch_folders();
    void drain();
    [[nodiscard]] uint32_t read_events() const noexcept;

    std::filesystem::path path_;
    std::function<void()> changed_;
    zero_copy::UniqueFd fd_;
    std::optional<IoSource> io_;
};

}  // namespace glint
