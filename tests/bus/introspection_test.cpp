// What the service says of itself is what systemd/*.xml says, and the policy knows every member.
#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

const std::string folder = std::string(GLINT_SOURCE_DIR) + "/systemd/";
const std::string script = std::string(GLINT_SOURCE_DIR) + "/tests/bus/compare_introspection.py";

std::string introspect(Bench& bench, const std::string& path) {
    const Message reply =
        bench.client->call(path, "org.freedesktop.DBus.Introspectable", "Introspect");
    const char* text = nullptr;
    reply.read("s", &text);
    return text;
}

void check_same(Bench& bench, const std::string& path, const std::string& interface) {
    const std::filesystem::path live = bench.folder / (interface + ".xml");
    write_file(live, introspect(bench, path));
    const RunResult result = run_program(
        {GLINT_PYTHON, script, "compare", interface, live.string(), folder + interface + ".xml"});
    STRCMP_EQUAL("", result.output.c_str());
    STRCMP_EQUAL("", result.errors.c_str());
    LONGS_EQUAL(0, result.code);
}

}  // namespace

TEST_GROUP(Introspection){};

BUS_TEST(Introspection, interfaces_are_those_of_the_xml) {
    Bench bench({.config = camera_table({}) +
                           "[line.siren]\nrole = \"alarm\"\nline = \"SIREN\"\n"
                           "[alarm.dark]\ncamera = \"front\"\nstatistic = \"mean\"\nbelow = 5\n",
                 .gpu = on_cpu});
    check_same(bench, bench.camera().path(), camera_interface);
    check_same(bench, "/org/glintd1/line/siren", "org.glintd1.Line");
    check_same(bench, "/org/glintd1/alarm/dark", "org.glintd1.Alarm");
    check_same(bench, manager_path, manager_interface);
    bench.daemon.stop();
}

BUS_TEST(Introspection, the_policy_names_every_method_and_no_other) {
    const RunResult result =
        run_program({GLINT_PYTHON, script, "policy", folder + "org.glintd1.conf",
                     folder + "org.glintd1.Manager.xml", folder + "org.glintd1.Camera.xml",
                     folder + "org.glintd1.Line.xml", folder + "org.glintd1.Alarm.xml"});
    STRCMP_EQUAL("", result.output.c_str());
    STRCMP_EQUAL("", result.errors.c_str());
    LONGS_EQUAL(0, result.code);
}

BUS_TEST(Introspection, objects_are_found_from_the_root) {
    Bench bench({.config = camera_table({.name = "left"}) + camera_table({.name = "right"}),
                 .gpu = on_cpu});
    CHECK(contains(introspect(bench, manager_path), "<node name=\"camera"));
    const Message reply =
        bench.client->call(manager_path, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects");
    std::map<std::string, std::string> interfaces;
    reply.enter(SD_BUS_TYPE_ARRAY, "{oa{sa{sv}}}");
    while (reply.enter(SD_BUS_TYPE_DICT_ENTRY, "oa{sa{sv}}")) {
        const char* path = nullptr;
        reply.read("o", &path);
        reply.enter(SD_BUS_TYPE_ARRAY, "{sa{sv}}");
        while (reply.enter(SD_BUS_TYPE_DICT_ENTRY, "sa{sv}")) {
            const char* interface = nullptr;
            reply.read("s", &interface);
            interfaces[path] += std::string(interface) + " ";
            check(sd_bus_message_skip(reply.get(), "a{sv}"), "properties");
            reply.exit();
        }
        reply.exit();
        reply.exit();
    }
    for (const char* path : {"/org/glintd1/camera/left", "/org/glintd1/camera/right"}) {
        CHECK_TEXT(contains(interfaces[path], camera_interface), path);
    }
    bench.daemon.stop();
}
