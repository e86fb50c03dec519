// Alarms and lines on the bus. There is no GPIO chip here: what lines do is tried in tests/gpio.
#include <limits>

#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

constexpr const char* alarm_interface = "org.glintd1.Alarm";
constexpr const char* alarm_path = "/org/glintd1/alarm/bright";
constexpr const char* line_interface = "org.glintd1.Line";
constexpr const char* line_path = "/org/glintd1/line/siren";

std::string alarm_table(const std::string& rule) {
    return camera_table({.source = "test:flat:200", .more = "publish_interval_ms = 0\n"}) +
           "[line.siren]\nrole = \"alarm\"\nchip = \"gpiochip-none\"\nline = \"SIREN\"\n"
           "[alarm.bright]\ncamera = \"front\"\nstatistic = \"mean\"\nlines = [\"siren\"]\n" +
           rule;
}

class AlarmBench : public Bench {
  public:
    explicit AlarmBench(const std::string& rule)
        : Bench({.config = alarm_table(rule), .gpu = on_cpu}),
          subscription_(client->on_signal(alarm_path, properties_interface, "PropertiesChanged",
                                          [this](const Message&) { ++changes; })) {}

    [[nodiscard]] std::string state() const {
        return client->text(alarm_path, alarm_interface, "State");
    }
    void wait_for_state(const std::string& wanted) const {
        client->wait_until(wanted.c_str(), [&] { return state() == wanted; });
    }
    [[nodiscard]] double number(const char* property) const {
        double value = 0;
        client->get(alarm_path, alarm_interface, property, "d").read("d", &value);
        return value;
    }
    void write(const char* property, double value) const {
        client->call(alarm_path, properties_interface, "Set", "ssv", alarm_interface, property, "d",
                     value);
    }
    void acknowledge() const { client->call(alarm_path, alarm_interface, "Acknowledge"); }

    size_t changes = 0;

  private:
    Subscription subscription_;
};

}  // namespace

TEST_GROUP(Alarm){};

BUS_TEST(Alarm, follows_the_picture_and_its_threshold) {
    AlarmBench bench("above = 100\n");
    bench.wait_for_state("raised");
    DOUBLES_EQUAL(200, bench.number("Value"), 1e-9);
    uint64_t since = 0;
    bench.client->get(alarm_path, alarm_interface, "SinceNSec", "t").read("t", &since);
    CHECK(since > 0);
    bench.write("Threshold", 250);
    bench.wait_for_state("idle");
    bench.write("Threshold", 199.5);
    bench.wait_for_state("raised");
    bench.client->wait_until("a signal for each change", [&] { return bench.changes >= 4; });
    bench.camera().stop();
    bench.wait_for_state("unknown");
    STRCMP_CONTAINS("alarm bright is raised: mean of frame in front is 200",
                    bench.daemon.log().c_str());
    STRCMP_CONTAINS("MESSAGE_ID=f1bb116f179a4a37a196d5f291b5a572", bench.daemon.log().c_str());
    bench.daemon.stop();
}

BUS_TEST(Alarm, latched_until_acknowledged) {
    AlarmBench bench("above = 100\nlatch = true\n");
    bench.wait_for_state("raised");
    bench.write("Threshold", 250);
    bench.wait_for_state("latched");
    bench.camera().stop();
    STRCMP_EQUAL("latched", bench.state().c_str());
    bench.acknowledge();
    STRCMP_EQUAL("idle", bench.state().c_str());
    bench.daemon.stop();
}

BUS_TEST(Alarm, bad_thresholds_are_refused_and_change_nothing) {
    AlarmBench bench("between = [190, 210]\n");
    bench.wait_for_state("raised");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double bad : {nan, 211.0, std::numeric_limits<double>::infinity()}) {
        expect_error("org.freedesktop.DBus.Error.InvalidArgs", "thresholds",
                     [&] { bench.write("Threshold", bad); });
    }
    expect_error("org.freedesktop.DBus.Error.InvalidArgs", "hysteresis -1",
                 [&] { bench.write("Hysteresis", -1); });
    DOUBLES_EQUAL(190, bench.number("Threshold"), 0);
    DOUBLES_EQUAL(210, bench.number("UpperThreshold"), 0);
    bench.daemon.stop();
}

BUS_TEST(Alarm, a_line_that_is_not_there_says_so_and_the_service_serves) {
    AlarmBench bench("above = 100\n");
    bench.wait_for_state("raised");
    const std::string problem = bench.client->text(line_path, line_interface, "Problem");
    STRCMP_CONTAINS("gpiochip-none", problem.c_str());
    expect_error("LineAbsent", "gpiochip-none",
                 [&] { bench.client->call(line_path, line_interface, "Set", "b", 1); });
    STRCMP_CONTAINS("line siren: ", bench.daemon.log().c_str());
    bench.daemon.stop();
}

BUS_TEST(Alarm, the_command_line_shows_and_ends_them) {
    AlarmBench bench("above = 100\nlatch = true\n");
    bench.wait_for_state("raised");
    const auto run = [&](std::vector<std::string> words) {
        words.insert(words.begin(), GLINT_GLINTCTL);
        return run_program(words, daemon_environment(bench.bus.address()));
    };
    STRCMP_EQUAL("bright raised: frame mean above 100 of front, is 200; siren\n",
                 run({"alarms"}).output.c_str());
    STRCMP_CONTAINS("siren alarm: cannot be had: ", run({"lines"}).output.c_str());
    bench.write("Threshold", 250);
    bench.wait_for_state("latched");
    LONGS_EQUAL(0, run({"acknowledge", "bright"}).code);
    STRCMP_EQUAL("idle", bench.state().c_str());
    STRCMP_CONTAINS("no alarm 'dark': there is bright",
                    run({"acknowledge", "dark"}).errors.c_str());
    LONGS_EQUAL(1, run({"line", "siren", "active"}).code);
    LONGS_EQUAL(2, run({"line", "siren", "on"}).code);
    LONGS_EQUAL(0, run({"reload"}).code);
    bench.daemon.stop();
}
