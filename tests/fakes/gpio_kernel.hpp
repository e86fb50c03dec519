// A kernel with GPIO chips that exist in one test program only. gpio_calls.cpp puts it below
// libgpiod: the C library's functions, as far as they are about /dev/gpiochip* and what they open,
// end here.
#pragma once

#include <linux/gpio.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/fakes/temporary_folder.hpp"

namespace glint::fakes {

class GpioKernel {
  public:
    /// What kernels differ in.
    struct Traits {
        bool has_v1 = true;            ///< CONFIG_GPIO_CDEV_V1
        bool has_v2 = true;            ///< since 5.10
        bool has_bias = true;          ///< in v1, since 5.5
        bool realtime_stamps = false;  ///< in v1, before 5.7
        bool ends_reads = true;        ///< of a chip that has gone, and wakes them: since 6.5
    };
    struct Line {
        std::string name;
        std::string consumer;
        bool held = false;
        bool interrupts = true;
        int refusal = 0;    ///< the errno value with which requests fail
        bool high = false;  ///< the physical level
        /// As the last request gave them: GPIO_V2_LINE_FLAG_..., whichever interface was used.
        uint64_t flags = 0;
        uint32_t debounce_usec = 0;
        std::vector<bool> driven;  ///< every physical level that an output was set to
    };

    /// Is the kernel of this process until it is destroyed. One at a time.
    GpioKernel();
    ~GpioKernel();
    GpioKernel(const GpioKernel&) = delete;
    GpioKernel& operator=(const GpioKernel&) = delete;
    /// Null: the machine's own.
    [[nodiscard]] static GpioKernel* current() noexcept;

    Traits traits;
    /// Called after a level has been read by the interface, before it is told.
    std::function<void()> level_asked;
    /// Called when a line's name is asked for, before it is told.
    std::function<void()> name_asked;
    /// Called when a line is requested, before the request is looked at.
    std::function<void()> line_requested;

    /// "gpiochip0" and so on. An empty name: the line has none.
    std::string add_chip(const std::string& label, const std::vector<std::string>& names);
    /// Unplugs it: the node goes, and what is open says ENODEV.
    void remove_chip(const std::string& chip);
    /// Opening the chip's node fails with this errno value.
    void refuse_open(const std::string& chip, int code);
    /// Another name for the chip's node, as udev's rules make them.
    void add_link(const std::string& name, const std::string& chip);
    [[nodiscard]] Line& line(const std::string& chip, unsigned offset);
    /// Changes the level from outside; a change is an edge.
    void drive(const std::string& chip, unsigned offset, bool high);
    /// From now on events wait on their way to the queue, as behind a slow interrupt ...
    void hold_events() { held_ = true; }
    /// ... and now they arrive.
    void release_events();

    // What the system calls do: 0 or more, or -errno. None: not this kernel's matter.
    /// Where the file is really that has this path; the path itself for what is not played.
    [[nodiscard]] std::string real_path(const char* path) const;
    /// What real_path() has put before a path is taken away.
    [[nodiscard]] std::string played_path(std::string_view path) const;
    [[nodiscard]] std::optional<int> open(const char* path);
    void close(int fd);
    [[nodiscard]] std::optional<int> ioctl(int fd, unsigned long request, void* argument);
    [[nodiscard]] std::optional<ssize_t> read(int fd, void* bytes, size_t size);
    /// Makes the file of a chip look like its node.
    void mend_status(const char* path, struct stat& status) const;

  private:
    struct Event {
        uint64_t monotonic_nsec = 0;
        uint64_t realtime_nsec = 0;
        bool rising = false;
        uint32_t number = 0;
    };
    struct Chip {
        std::string name;
        std::string label;
        std::vector<Line> lines;
        bool gone = false;
        int open_code = 0;
    };
    /// An open descriptor: of a chip, or of a line that was requested.
    struct File {
        Chip* chip = nullptr;
        std::optional<unsigned> offset;  ///< of the line
        int writer = -1;  ///< the pipe's other end: a byte in it while events wait; -1: hung up
        bool numbered = false;    ///< by the v2 interface
        size_t queue_length = 0;  ///< 0: no events
        std::deque<Event> queue;
        uint32_t last_number = 0;
    };

    /// What both interfaces ask for, in the second one's words.
    struct Request {
        uint32_t offset = 0;
        uint64_t flags = 0;
        std::string_view consumer;
        std::optional<bool> start_value;  ///< logical, of an output
        uint32_t debounce_usec = 0;
        bool numbered = false;
        size_t queue_length = 0;
    };

    [[nodiscard]] Chip& chip(const std::string& name);
    [[nodiscard]] const Chip* chip_of_path(const char* path) const;
    [[nodiscard]] int add_file(File file);
    void remove_files(const Chip& chip);
    void raise(const Chip& chip, unsigned offset, bool high);
    void enqueue(File& file, const Event& event) const;
    void tell(const File& file, const Event& event, std::byte* to) const;

    [[nodiscard]] int on_chip(Chip& chip, uint32_t request, void* argument);
    [[nodiscard]] int on_line(File& file, uint32_t request, void* argument);
    [[nodiscard]] int tell_line(const Chip& chip, gpioline_info& info) const;
    [[nodiscard]] int tell_line(const Chip& chip, gpio_v2_line_info& info) const;
    [[nodiscard]] int request_handle(Chip& chip, gpiohandle_request& request);
    [[nodiscard]] int request_events(Chip& chip, gpioevent_request& request);
    [[nodiscard]] int request_lines(Chip& chip, gpio_v2_line_request& request);
    [[nodiscard]] int request_line(Chip& chip, const Request& request);
    [[nodiscard]] bool level_of(const File& file);
    [[nodiscard]] static int set_level(const File& file, bool active);

    TemporaryFolder root_;
    std::filesystem::path base_;  ///< of what stands for /dev and /sys
    std::vector<std::unique_ptr<Chip>> chips_;
    std::map<int, File> files_;
    bool held_ = false;
    std::vector<std::pair<int, Event>> late_;
};

}  // namespace glint::fakes
