// glint-tune: measures kernel variants and their tunables on the device at hand, and writes the
// tuning file that glintd reads. Needs neither D-Bus nor systemd, so that it can be carried to
// another machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "daemon/names.hpp"
#include "tools/tune/catalogue_table.hpp"
#include "tools/tune/session.hpp"
#include "tools/tune/stop.hpp"
#include "tools/workload.hpp"

namespace glint::tune {
namespace {

constexpr int usage = 2;

constexpr char footer[] =
    "Examples:\n"
    "  glint-tune --list\n"
    "  glint-tune --size 1920x1080\n"
    "  glint-tune --resume\n"
    "  glint-tune --operator histogram --output ./tuning.toml --plot tuning.png\n"
    "  glint-tune --work saxpy\n"
    "\n"
    "Stop glintd first: two programs on one GPU measure each other. See glint-tune(1).";

std::string refuse_unless_size(const std::string& text) {
    return gpu::parse_frame_size(text) ? ""
                                       : fmt::format(
                                             "'{}' is no frame size; one looks like "
                                             "1920x1080, each side 1 to 65535",
                                             text);
}

std::string refuse_unless_operator(const std::string& text) {
    const auto op = gpu::operator_named(text);
    if (op && tools::has_workload(*op)) return "";
    return fmt::format("operator '{}' cannot be tuned; histogram and convolution can", text);
}

std::string refuse_unless_variant(const std::string& text) {
    for (const kernels::Variant& variant : kernels::catalogue()) {
        if (variant.name == text) return "";
    }
    return fmt::format("there is no variant '{}'; --list shows them", text);
}

struct Words {
    std::vector<std::string> operators;
    std::vector<std::string> sizes;
    std::string work = "kernels";
    bool list = false;
    bool catalogue = false;
};

void add_options(CLI::App& app, Words& words, Options& options) {
    app.add_option("--device", options.device, "Shell pattern over PLATFORM/DEVICE names")
        ->type_name("PATTERN")
        ->capture_default_str();
    app.add_option("--operator", words.operators, "Only this operator (repeatable)")
        ->type_name("NAME")
        ->check(refuse_unless_operator);
    app.add_option("--variant", options.wanted.variants, "Only this variant (repeatable)")
        ->type_name("NAME")
        ->check(refuse_unless_variant);
    app.add_option("--filter-size", options.wanted.filter_sizes,
                   "Only filters of N x N (repeatable)")
        ->type_name("N")
        ->check(CLI::IsMember({3, 5}));
    app.add_option("--size", words.sizes,
                   "Frame size (repeatable); by default 640x480, 1280x720 and 1920x1080")
        ->type_name("WxH")
        ->check(refuse_unless_size);
    app.add_option("--runs", options.runs, "Runs of each candidate")
        ->type_name("N")
        ->check(CLI::Range(size_t{5}, size_t{10'000}))
        ->capture_default_str();
    app.add_option("-o,--output", options.output, "Tuning file to write or to add to")
        ->type_name("FILE")
        ->capture_default_str();
    app.add_option("--json", options.json, "Save the tables as JSON too")->type_name("FILE");
    app.add_option("--plot", options.plot, "Save the tables as a picture too")
        ->type_name("FILE.png");
    app.add_flag("--resume", options.resume, "Go on where an interrupted run stopped");
    app.add_flag("--list", words.list, "Show devices and what would be measured, and end");
    app.add_flag("--catalogue", words.catalogue,
                 "Print every variant that there is as a Markdown table, and end");
    app.add_option("--work", words.work,
                   "kernels: tune them; saxpy: y = a x + y over work-group sizes")
        ->type_name("WORK")
        ->check(CLI::IsMember({"kernels", "saxpy"}))
        ->capture_default_str();
    app.add_option("--elements", options.elements, "With --work saxpy: elements of x and y")
        ->type_name("N")
        ->check(CLI::Range(size_t{1}, size_t{1} << 28))
        ->capture_default_str();
}

int run(int argc, char** argv) {
    CLI::App app("Measures kernels on this machine's GPU and writes what glintd is to use.",
                 "glint-tune");
    Words words;
    Options options;
    options.output = std::string(names::default_state_folder) + "/" + names::tuning_file_name;
    app.set_version_flag("--version", "glint-tune " GLINT_VERSION, "Print the version and end");
    app.set_help_flag("-h,--help", "Print this help and end");
    app.footer(footer);
    add_options(app, words, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        fmt::print(stderr, "glint-tune: {}; see 'glint-tune --help'\n", error.what());
        return usage;
    }
    for (const std::string& name : words.operators)
        options.wanted.operators.push_back(*gpu::operator_named(name));
    if (words.sizes.empty()) words.sizes = {"640x480", "1280x720", "1920x1080"};
    for (const std::string& size : words.sizes)
        options.wanted.sizes.push_back(*gpu::parse_frame_size(size));
    if (words.catalogue) {
        fmt::print("{}", catalogue_table());
    } else if (words.list) {
        list(options);
    } else if (words.work == "saxpy") {
        run_saxpy(options);
    } else {
        run_tuning(options);
    }
    constexpr int by_signal = 128;
    return stop_signal() == 0 ? EXIT_SUCCESS : by_signal + stop_signal();
}

}  // namespace
}  // namespace glint::tune

int main(int argc, char** argv) {
    glint::tune::catch_stop_signals();
    try {
        return glint::tune::run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "glint-tune: {}\n", error.what());
        return EXIT_FAILURE;
    }
}
