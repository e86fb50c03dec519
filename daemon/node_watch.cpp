#include "daemon/node_watch.hpp"

#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace glint {

NodeWatch::NodeWatch(Loop& loop, std::filesystem::path path, std::function<void()> changed)
    : path_(std::filesystem::absolute(path)),
      changed_(std::move(changed)),
      fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    if (!fd_.valid()) {
        throw std::system_error(errno, std::generic_category(), "inotify_init1");
    }
    watch_folders();
    io_.emplace(loop, fd_.get(), EPOLLIN, [this](uint32_t) { drain(); });
}

/// From the top: a folder that comes while this runs is seen either here or by the watch on the one
/// above it. Adding a watch twice changes nothing. The root folder is left out: what is missing
/// directly below it will not be plugged in.
void NodeWatch::watch_folders() {
    constexpr uint32_t events =
        IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE | IN_DELETE_SELF | IN_ONLYDIR;
    std::filesystem::path folder = path_.root_path();
    for (const auto& name : path_.parent_path().relative_path()) {
        folder /= name;
        (void)::inotify_add_watch(fd_.get(), folder.c_str(), events);
    }
}

/// What happened does not matter: whoever asked looks again.
void NodeWatch::drain() {
    alignas(inotify_event) std::array<char, 4096> events{};
    while (::read(fd_.get(), events.data(), events.size()) > 0) {
    }
    watch_folders();
    changed_();
}

}  // namespace glint
