#include "tests/fakes/gpio_kernel.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace glint::fakes {
namespace {

namespace fs = std::filesystem;

constexpr unsigned device_major = 254;

GpioKernel* the_kernel = nullptr;

uint64_t now_nsec(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

unsigned number_of(std::string_view chip) {
    return static_cast<unsigned>(
        std::stoul(std::string(chip.substr(chip.find_last_not_of("0123456789") + 1))));
}

void write_file(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

}  // namespace

// Before calls end here: canonical() makes some.
GpioKernel::GpioKernel() : base_(fs::canonical(root_.path())) {
    if (the_kernel != nullptr) throw std::logic_error("there is a GpioKernel already");
    fs::create_directories(base_ / "dev");
    fs::create_directories(base_ / "sys/bus/gpio/devices");
    the_kernel = this;
}

GpioKernel::~GpioKernel() {
    the_kernel = nullptr;
    for (auto& [fd, file] : files_) {
        if (file.writer >= 0) ::close(file.writer);
    }
}

GpioKernel* GpioKernel::current() noexcept {
    return the_kernel;
}

std::string GpioKernel::add_chip(const std::string& label, const std::vector<std::string>& names) {
    const auto number = static_cast<unsigned>(chips_.size());
    auto chip = std::make_unique<Chip>();
    chip->name = "gpiochip" + std::to_string(number);
    chip->label = label;
    for (const std::string& name : names) {
        Line line;
        line.name = name;
        chip->lines.push_back(std::move(line));
    }
    const std::string numbers = std::to_string(device_major) + ":" + std::to_string(number);
    const fs::path character = base_ / "sys/dev/char" / numbers;
    write_file(base_ / "dev" / chip->name, "");
    write_file(base_ / "sys/bus/gpio/devices" / chip->name / "dev", numbers + "\n");
    fs::create_directories(character);
    fs::create_directory_symlink(base_ / "sys/bus/gpio", character / "subsystem");
    chips_.push_back(std::move(chip));
    return chips_.back()->name;
}

GpioKernel::Chip& GpioKernel::chip(const std::string& name) {
    return *chips_.at(number_of(name));
}

GpioKernel::Line& GpioKernel::line(const std::string& name, unsigned offset) {
    return chip(name).lines.at(offset);
}

void GpioKernel::remove_chip(const std::string& name) {
    Chip& removed = chip(name);
    removed.gone = true;
    fs::remove(base_ / "dev" / name);
    fs::remove_all(base_ / "sys/bus/gpio/devices" / name);
    if (!traits.ends_reads) return;
    for (auto& [fd, file] : files_) {
        if (file.chip == &removed) ::close(std::exchange(file.writer, -1));
    }
}

void GpioKernel::refuse_open(const std::string& name, int code) {
    chip(name).open_code = code;
}

void GpioKernel::add_link(const std::string& name, const std::string& chip) {
    fs::create_symlink(chip, base_ / "dev" / name);
}

void GpioKernel::drive(const std::string& name, unsigned offset, bool high) {
    Line& driven = line(name, offset);
    if (std::exchange(driven.high, high) != high) raise(chip(name), offset, high);
}

void GpioKernel::raise(const Chip& chip, unsigned offset, bool high) {
    const bool active_low = (chip.lines[offset].flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0;
    for (auto& [fd, file] : files_) {
        if (file.chip != &chip || file.offset != offset || file.queue_length == 0) continue;
        const Event event{now_nsec(CLOCK_MONOTONIC), now_nsec(CLOCK_REALTIME), high != active_low,
                          ++file.last_number};
        if (held_) {
            late_.emplace_back(fd, event);
        } else {
            enqueue(file, event);
        }
    }
}

void GpioKernel::release_events() {
    held_ = false;
    for (const auto& [fd, event] : std::exchange(late_, {})) enqueue(files_.at(fd), event);
}

/// A full queue loses the newest event in the first interface, the oldest in the second.
void GpioKernel::enqueue(File& file, const Event& event) const {
    if (file.queue.empty()) std::ignore = ::write(file.writer, "", 1);
    if (file.queue.size() == file.queue_length) {
        if (!file.numbered) return;
        file.queue.pop_front();
    }
    file.queue.push_back(event);
}

std::string GpioKernel::real_path(const char* path) const {
    const std::string_view asked = path;
    const bool played = asked == "/dev" || asked.starts_with("/dev/gpiochip") ||
                        asked.starts_with("/sys/bus/gpio") ||
                        asked.starts_with("/sys/dev/char/" + std::to_string(device_major) + ":");
    return played ? base_.native() + path : path;
}

std::string GpioKernel::played_path(std::string_view path) const {
    return std::string(path.starts_with(base_.native()) ? path.substr(base_.native().size())
                                                        : path);
}

const GpioKernel::Chip* GpioKernel::chip_of_path(const char* path) const {
    if (!std::string_view(path).starts_with("/dev/gpiochip")) return nullptr;
    std::error_code absent;
    const fs::path node = fs::canonical(real_path(path), absent);
    return absent ? nullptr : chips_.at(number_of(node.filename().string())).get();
}

void GpioKernel::mend_status(const char* path, struct stat& status) const {
    const Chip* const found = chip_of_path(path);
    if (found == nullptr || S_ISLNK(status.st_mode)) return;
    status.st_mode = S_IFCHR | 0660;
    status.st_rdev = makedev(device_major, number_of(found->name));
}

int GpioKernel::add_file(File file) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return -errno;
    file.writer = ends[1];
    files_.insert_or_assign(ends[0], std::move(file));
    return ends[0];
}

std::optional<int> GpioKernel::open(const char* path) {
    if (!std::string_view(path).starts_with("/dev/gpiochip")) return std::nullopt;
    const Chip* const found = chip_of_path(path);
    if (found == nullptr) return -ENOENT;
    if (found->open_code != 0) return -found->open_code;
    File file;
    file.chip = &chip(found->name);
    return add_file(std::move(file));
}

void GpioKernel::close(int fd) {
    const auto found = files_.find(fd);
    if (found == files_.end()) return;
    const File closed = std::move(found->second);
    files_.erase(found);
    if (closed.writer >= 0) ::close(closed.writer);
    if (!closed.offset) return;
    Line& line = closed.chip->lines[*closed.offset];
    line.held = false;
    line.consumer.clear();
}

std::optional<ssize_t> GpioKernel::read(int fd, void* bytes, size_t size) {
    const auto found = files_.find(fd);
    if (found == files_.end()) return std::nullopt;
    File& file = found->second;
    if (file.queue_length == 0) return -EINVAL;
    if (file.chip->gone && traits.ends_reads) return -ENODEV;
    const size_t record = file.numbered ? sizeof(gpio_v2_line_event) : sizeof(gpioevent_data);
    if (size < record) return -EINVAL;
    if (file.queue.empty()) {
        // A test has nobody who could wake it.
        if ((::fcntl(fd, F_GETFL) & O_NONBLOCK) == 0) throw std::logic_error("read() would block");
        return -EAGAIN;
    }
    auto* to = static_cast<std::byte*>(bytes);
    size_t taken = 0;
    for (; taken + record <= size && !file.queue.empty(); taken += record) {
        tell(file, file.queue.front(), to + taken);
        file.queue.pop_front();
    }
    char byte = 0;
    if (file.queue.empty()) ::syscall(SYS_read, fd, &byte, 1);
    return static_cast<ssize_t>(taken);
}

void GpioKernel::tell(const File& file, const Event& event, std::byte* to) const {
    // Rising is 1 and falling is 2 in both.
    const uint32_t id = event.rising ? GPIOEVENT_EVENT_RISING_EDGE : GPIOEVENT_EVENT_FALLING_EDGE;
    if (file.numbered) {
        gpio_v2_line_event told{};
        told.timestamp_ns = event.monotonic_nsec;
        told.id = id;
        told.offset = *file.offset;
        told.seqno = told.line_seqno = event.number;
        std::memcpy(to, &told, sizeof told);
    } else {
        gpioevent_data told{};
        told.timestamp = traits.realtime_stamps ? event.realtime_nsec : event.monotonic_nsec;
        told.id = id;
        std::memcpy(to, &told, sizeof told);
    }
}

}  // namespace glint::fakes
