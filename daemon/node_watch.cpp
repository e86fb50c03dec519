#include "daemon/node_watch.hpp"

#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
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
    constexpr uint32_t events = IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE |
                                IN_DELETE_SELF | IN_ONLYDIR;
    std::filesystem::path folder = path_.root_path();
    for (const auto& name : path_.parent_path().relative_path()) {
        folder /= name;
        (void)::inotify_add_watch(fd_.get(), folder.c_str(), events);
    }
}

/// What happened does not matter, whoever asked looks again; but a file that has only just been
/// created is still being written.
void NodeWatch::drain() {
    const uint32_t seen = read_events();
    watch_folders();
    std::error_code ignored;
    const bool unfinished = (seen & ~uint32_t{IN_CREATE}) == 0;
    if (!unfinished || !std::filesystem::is_regular_file(path_, ignored)) changed_();
}

/// The masks of all events that wait, without what says that a folder was meant.
uint32_t NodeWatch::read_events() const noexcept {
    alignas(inotify_event) std::array<char, 4096> buffer{};
    uint32_t seen = 0;
    for (ssize_t got = 0; (got = ::read(fd_.get(), buffer.data(), buffer.size())) > 0;) {
        for (size_t at = 0; at < static_cast<size_t>(got);) {
            inotify_event event{};
            std::memcpy(&event, buffer.data() + at, sizeof event);
            seen |= event.mask & ~uint32_t{IN_ISDIR};
            at += sizeof event + event.len;
        }
    }
    return seen;
}

}  // namespace glint
