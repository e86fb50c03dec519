// glint-tune: measures kernel variants and their tunables on the device at hand, and writes the
// tuning file that glintd reads. Needs neither D-Bus nor systemd, so that it can be carried to
// another machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "daemon/names.hpp"
#include "tools/tune/catalogue_table.hpp"
#include "tools/tune/session.hpp"
#include "tools/tune/stop.hpp"

namespace glint::tune {
namespace {

constexpr int usage = 2;
constexpr char all_kernels[] = "kernels";
constexpr char saxpy[] = "saxpy";

constexpr char footer[] =
    "Examples:\n"
    "  glint-tune --list\n"
    "  glint-tune --size 1920x1080\n"
    "  glint-tune --resume\n"
    "  glint-tune --operator histogram --output ./tuning.toml --plot tuning.png\n"
    "  glint-tune --work sobel --size 1920x1080\n"
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

std::string operator_names() {
    std::vector<std::string_view> names;
    for (const kernels::Variant& variant : kernels::catalogue()) {
        const std::string_view name = kernels::name_of(variant.op);
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string refuse_unless_operator(const std::string& text) {
    if (gpu::operator_named(text)) return "";
    return fmt::format("there is no operator '{}'; there are {}", text, operator_names());
}

std::string refuse_unless_work(const std::string& text) {
    if (text == all_kernels || text == saxpy || gpu::operator_named(text)) return "";
    return fmt::format("there is no work '{}'; there are {}, {} and the operators {}", text,
                       all_kernels, saxpy, operator_names());
}

std::string refuse_several_any_sizes(const std::vector<uint32_t>& sizes) {
    const auto is_any = [](uint32_t size) {
        return std::ranges::find(any_filter_sizes, size) != any_filter_sizes.end();
    };
    if (std::ranges::count_if(sizes, is_any) <= 1) return "";
    return fmt::format(
        "variants of any size are built once for all sizes: give one --filter-size of {}",
        fmt::join(any_filter_sizes, ", "));
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
    std::string work = all_kernels;
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
                   "Only filters of N x N: 3 and 5, and one of 7, 15 (default) and 31 for variants "
                   "that take any size")
        ->type_name("N")
        ->check(CLI::IsMember({3, 5, 7, 15, 31}));
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
    CLI::Option* resume =
        app.add_flag("--resume", options.resume, "Go on where an interrupted run stopped");
    app.add_flag(
           "--if-missing", options.if_missing,
           "Nothing if this device and driver have been measured; goes on with a run that was "
           "stopped")
        ->excludes(resume);
    app.add_flag("--list", words.list, "Show devices and what would be measured, and end");
    app.add_flag("--catalogue", words.catalogue,
                 "Print every variant that there is as a Markdown table, and end");
    app.add_option("--work", words.work,
                   "kernels: tune those that glintd uses; an operator: tune its variants; saxpy: "
                   "y = a x + y over work-group sizes")
        ->type_name("WORK")
        ->check(refuse_unless_work)
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
    if (const auto why = refuse_several_any_sizes(options.wanted.filter_sizes); !why.empty()) {
        fmt::print(stderr, "glint-tune: {}; see 'glint-tune --help'\n", why);
        return usage;
    }
    for (const std::string& name : words.operators)
        options.wanted.operators.push_back(*gpu::operator_named(name));
    if (const auto op = gpu::operator_named(words.work)) options.wanted.operators.push_back(*op);
    if (words.sizes.empty()) words.sizes = {"640x480", "1280x720", "1920x1080"};
    for (const std::string& size : words.sizes)
        options.wanted.sizes.push_back(*gpu::parse_frame_size(size));
    if (words.catalogue) {
        fmt::print("{}", catalogue_table());
    } else if (words.list) {
        list(options);
    } else if (words.work == saxpy) {
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
