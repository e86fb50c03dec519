// `glintctl watch`: results as they come, as a live picture or as lines.
#include <fmt/format.h>
#include <systemd/sd-event.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>

#include "tools/ctl/client.hpp"
#include "tools/ctl/commands.hpp"
#include "tools/ctl/output.hpp"
#include "tools/ctl/signals.hpp"

namespace glint::ctl {
namespace {

using std::chrono::microseconds;
using namespace std::chrono_literals;

// More pictures than this no eye sees and no serial console carries.
constexpr microseconds shortest_redraw = 40ms;
// State and counters are looked at this often even when nothing is measured.
constexpr microseconds longest_silence = 1s;
constexpr microseconds call_timeout = 5s;

struct Unref {
    void operator()(sd_event* event) const { sd_event_unref(event); }
    void operator()(sd_event_source* source) const { sd_event_source_disable_unref(source); }
    void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
};
using Source = std::unique_ptr<sd_event_source, Unref>;
using Slot = std::unique_ptr<sd_bus_slot, Unref>;

void check(int result) {
    if (result < 0) throw Failure(fmt::format("watching cannot start: {}", std::strerror(-result)));
}

class Watch {
  public:
    Watch(Bus& bus, const WatchOptions& options);
    ~Watch() { sd_bus_detach_event(bus_.get()); }
    void run();

  private:
    void subscribe();
    void take_signals();
    void on_measured(sd_bus_message* message);
    void on_failed(sd_bus_message* message);
    void on_owner(sd_bus_message* message);
    void on_signal(int signal);
    void on_time();
    void finish() { sd_event_exit(event_.get(), EXIT_SUCCESS); }

    void flush_by(std::uint64_t usec);
    void flush();
    void look_at_camera();
    void look_at_histogram();
    void require_measured(const Measured& measured) const;
    void print_lines();
    void redraw();
    std::uint64_t now() const;

    // Handlers are called by C: what they throw waits until the loop has ended.
    template <class Work>
    int guard(Work work) noexcept;
    template <void (Watch::*Handler)(sd_bus_message*)>
    static int on_message(sd_bus_message* message, void* self, sd_bus_error*) {
        auto* watch = static_cast<Watch*>(self);
        return watch->guard([&] { (watch->*Handler)(message); });
    }
    template <void (Watch::*Handler)()>
    static int on_timer(sd_event_source*, std::uint64_t, void* self) {
        auto* watch = static_cast<Watch*>(self);
        return watch->guard([&] { (watch->*Handler)(); });
    }

    // sd-event takes signals only while they are blocked.
    const SignalsBlocked blocked_{SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP};
    Bus& bus_;
    const WatchOptions& options_;
    const Camera camera_;
    std::unique_ptr<sd_event, Unref> event_;
    std::vector<Slot> slots_;
    std::vector<Source> sources_;
    Source timer_;
    std::uint64_t timer_usec_ = 0;
    std::uint64_t drawn_usec_ = 0;

    std::vector<Measured> pending_;
    std::uint64_t taken_ = 0;
    Scene scene_;
    RateMeter rate_;
    std::optional<Screen> screen_;
    std::exception_ptr failure_;
};

Watch::Watch(Bus& bus, const WatchOptions& options)
    : bus_(bus), options_(options), camera_(bus, options.camera) {
    bus_.set_timeout(call_timeout);
    scene_.region = options.region;
    scene_.scale = options.scale;
    sd_event* event = nullptr;
    check(sd_event_new(&event));
    event_.reset(event);
    // Matches come first, so that no result is missed after the first look.
    subscribe();
    look_at_camera();
    check(sd_bus_attach_event(bus_.get(), event, SD_EVENT_PRIORITY_NORMAL));
    sd_bus_set_exit_on_disconnect(bus_.get(), 1);
    take_signals();

    sd_event_source* timer = nullptr;
    timer_usec_ = now();
    check(sd_event_add_time(event, &timer, CLOCK_MONOTONIC, timer_usec_, 1, on_timer<&Watch::flush>,
                            this));
    timer_.reset(timer);
    // After the messages: all results that wait are taken before anything is drawn.
    check(sd_event_source_set_priority(timer, SD_EVENT_PRIORITY_IDLE));
    if (options.seconds) {
        check(sd_event_add_time(event, &timer, CLOCK_MONOTONIC,
                                now() + static_cast<std::uint64_t>(*options.seconds * 1e6), 1,
                                on_timer<&Watch::on_time>, this));
        sources_.emplace_back(timer);
    }
}

void Watch::subscribe() {
    sd_bus_slot* slot = nullptr;
    const char* path = camera_.path().c_str();
    check(sd_bus_match_signal(bus_.get(), &slot, names::bus_name, path, names::camera_interface,
                              "Measured", on_message<&Watch::on_measured>, this));
    slots_.emplace_back(slot);
    check(sd_bus_match_signal(bus_.get(), &slot, names::bus_name, path, names::camera_interface,
                              "Failed", on_message<&Watch::on_failed>, this));
    slots_.emplace_back(slot);
    const std::string owner = fmt::format(
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='{}'",
        names::bus_name);
    check(sd_bus_add_match(bus_.get(), &slot, owner.c_str(), on_message<&Watch::on_owner>, this));
    slots_.emplace_back(slot);
}

void Watch::take_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP}) {
        sd_event_source* source = nullptr;
        check(sd_event_add_signal(
            event_.get(), &source, signal,
            [](sd_event_source*, const signalfd_siginfo* info, void* self) {
                auto* watch = static_cast<Watch*>(self);
                return watch->guard([&] { watch->on_signal(static_cast<int>(info->ssi_signo)); });
            },
            this));
        sources_.emplace_back(source);
    }
}

template <class Work>
int Watch::guard(Work work) noexcept {
    try {
        work();
    } catch (...) {
        failure_ = std::current_exception();
        sd_event_exit(event_.get(), EXIT_FAILURE);
    }
    return 0;
}

void Watch::run() {
    if (is_live_terminal()) screen_.emplace();
    const int result = sd_event_loop(event_.get());
    if (failure_) std::rethrow_exception(failure_);
    if (result != 0) throw Failure("the connection to the system bus is lost");
}

void Watch::on_measured(sd_bus_message* message) {
    if (options_.count && taken_ == *options_.count) return;
    Measured measured;
    wire::read_fields(message, measured);
    rate_.add(measured.sequence, measured.timestamp_nsec);
    pending_.push_back(std::move(measured));
    ++taken_;
    const bool last = options_.count && taken_ == *options_.count;
    const auto pause = static_cast<std::uint64_t>(shortest_redraw.count());
    flush_by(screen_ && !last ? std::max(now(), drawn_usec_ + pause) : now());
}

void Watch::on_failed(sd_bus_message* message) {
    std::string name;
    std::string text;
    wire::read(message, name);
    wire::read(message, text);
    scene_.notice = fmt::format("camera '{}' failed: {} ({})", camera_.name(), text, name);
    if (screen_)
        redraw();
    else
        complain(scene_.notice);
}

void Watch::on_owner(sd_bus_message* message) {
    std::string name;
    std::string before;
    std::string after;
    for (std::string* part : {&name, &before, &after}) wire::read(message, *part);
    if (after.empty()) throw Failure("glintd has stopped: see 'journalctl -u glintd'");
}

void Watch::on_signal(int signal) {
    if (signal == SIGWINCH) {
        if (screen_) screen_->resized();
    } else if (signal == SIGTSTP) {
        if (screen_) screen_->release();
        raise(SIGSTOP);
        if (screen_) screen_->resume();
    } else {
        return finish();
    }
    if (screen_) redraw();
}

void Watch::on_time() {
    if (!pending_.empty()) flush();
    finish();
}

std::uint64_t Watch::now() const {
    std::uint64_t usec = 0;
    sd_event_now(event_.get(), CLOCK_MONOTONIC, &usec);
    return usec;
}

// Brings the next flush forward; it never puts one off.
void Watch::flush_by(std::uint64_t usec) {
    if (usec >= timer_usec_) return;
    timer_usec_ = usec;
    check(sd_event_source_set_time(timer_.get(), usec));
}

void Watch::flush() {
    look_at_camera();
    if (!pending_.empty()) require_measured(pending_.back());
    if (screen_) {
        if (!pending_.empty()) {
            scene_.measured = std::move(pending_.back());
            look_at_histogram();
        }
        scene_.frames_per_second = rate_.frames_per_second();
        scene_.results_per_second = rate_.results_per_second();
        redraw();
    } else {
        print_lines();
    }
    pending_.clear();
    if (options_.count && taken_ == *options_.count) return finish();
    timer_usec_ = now() + static_cast<std::uint64_t>(longest_silence.count());
    check(sd_event_source_set_time(timer_.get(), timer_usec_));
    check(sd_event_source_set_enabled(timer_.get(), SD_EVENT_ONESHOT));
}

void Watch::look_at_camera() {
    const std::string before = scene_.camera.state;
    scene_.camera = camera_.info();
    require_region(scene_.camera, options_.region);
    const std::string& state = scene_.camera.state;
    // What the signal Failed told says more than the state.
    if (state == before || (state == "failed" && !scene_.notice.empty())) return;
    scene_.notice = waiting_text(scene_.camera);
    if (!scene_.notice.empty() && !is_live_terminal()) complain(scene_.notice);
}

void Watch::look_at_histogram() {
    try {
        scene_.histogram = camera_.histogram(options_.region);
    } catch (const BusError& error) {
        // The stream was restarted since the signal, or the region is younger than the newest
        // result: the next frame brings the next histogram.
        if (error.name() != names::error::not_streaming &&
            error.name() != names::error::region_invalid)
            throw;
    }
}

// A result of the present generation has every region, "metering" too if there is a grid.
void Watch::require_measured(const Measured& measured) const {
    if (measured.generation != scene_.camera.generation) return;
    if (std::ranges::find(measured.figures, options_.region, &Figures::region) !=
        measured.figures.end())
        return;
    throw Failure(fmt::format("camera '{}' does not measure '{}': see 'glintctl {} --help'",
                              camera_.name(), options_.region,
                              options_.region == names::metering_region ? "metering" : "regions"));
}

void Watch::print_lines() {
    std::string out;
    for (const Measured& measured : pending_)
        out += plain_line(measured, options_.region, scene_.camera) + "\n";
    print(out);
}

void Watch::redraw() {
    screen_->show(draw(scene_, screen_->columns(), screen_->rows()));
    drawn_usec_ = now();
}

}  // namespace

void watch(Bus& bus, const WatchOptions& options) {
    Watch(bus, options).run();
}

}  // namespace glint::ctl
