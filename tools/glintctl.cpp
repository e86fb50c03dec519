// glintctl: the command line of glintd. Here is the grammar; what the words do is in ctl/.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <functional>
#include <sstream>

#include "daemon/names.hpp"
#include "tools/ctl/bus.hpp"
#include "tools/ctl/commands.hpp"
#include "tools/ctl/failure.hpp"
#include "tools/ctl/output.hpp"
#include "tools/ctl/text.hpp"

namespace glint::ctl {
namespace {

constexpr int success = 0;
constexpr int failure = 1;
constexpr int usage = 2;

// What the command line asked for; it runs once the whole line is known to be good.
using Action = std::function<void(Bus&)>;

constexpr char examples[] =
    "Examples:\n"
    "  glintctl status\n"
    "  glintctl watch front --log\n"
    "  glintctl statistics front --region left --json\n"
    "  glintctl snapshot front -o front.png\n"
    "  glintctl filter front custom --size 3 --shift 4 1 2 1 2 4 2 1 2 1\n"
    "  glintctl regions front left:0,0,320,480 right:320,0,320,480\n"
    "  glintctl metering front 3 3 1 2 1 2 8 2 1 2 1\n"
    "\n"
    "Reading is open to everybody; snapshot, stream and every command that changes something\n"
    "need membership of the group glintd, or root.\n"
    "Exit status: 0 done, 1 failed, 2 wrong command line. See glintctl(1).";

CLI::Option* add_name(CLI::App& command, std::string& name, const char* word, const char* text) {
    return command.add_option(word, name, text)->required()->type_name("");
}

void add_camera(CLI::App& command, std::string& name) {
    add_name(command, name, "CAMERA", "Name of a camera, as 'glintctl list' prints it");
}

void add_region(CLI::App& command, std::string& region) {
    region = names::whole_frame_region;
    command.add_option("--region", region, "Region to read; 'frame' is the whole picture")
        ->type_name("NAME")
        ->capture_default_str();
}

std::string refuse_unless_positive(const std::string& text) {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    const bool zero = text.find_first_not_of('0') == std::string::npos;
    return digits && !zero ? "" : fmt::format("'{}' is not a whole number above 0", text);
}

std::string refuse_unless_duration(const std::string& text) {
    // A year: what is longer needs no end, and it fits the clock.
    constexpr double longest = 31'536'000;
    double seconds = 0;
    if (CLI::detail::lexical_cast(text, seconds) && seconds > 0 && seconds <= longest) return "";
    return fmt::format("'{}' is not a time above 0 and up to {} s", text, longest);
}

// A command without arguments.
void add_plain(CLI::App& app, Action& action, const char* name, const char* text,
               void (*act)(Bus&)) {
    app.add_subcommand(name, text)->callback([&action, act] { action = act; });
}

void add_watch(CLI::App& app, Action& action) {
    auto* command = app.add_subcommand("watch", "Show results live, until Ctrl-C");
    auto options = std::make_shared<WatchOptions>();
    add_camera(*command, options->camera);
    add_region(*command, options->region);
    auto logarithmic = std::make_shared<bool>(false);
    command->add_flag("--log", *logarithmic, "Draw the bars on a logarithmic scale");
    command->add_option("--count", options->count, "End after N results")
        ->type_name("N")
        ->check(refuse_unless_positive);
    command->add_option("--seconds", options->seconds, "End after S seconds, fractions allowed")
        ->type_name("S")
        ->check(refuse_unless_duration);
    command->footer(
        "On a terminal: a histogram that is redrawn in place, with colour unless NO_COLOR is set.\n"
        "Elsewhere: one line of name=value words per result.");
    command->callback([&action, logarithmic, options] {
        if (*logarithmic) options->scale = Scale::logarithmic;
        action = [options](Bus& bus) { watch(bus, *options); };
    });
}

void add_question(CLI::App& app, Action& action, const char* name, const char* text,
                  void (*ask)(Bus&, const Question&)) {
    auto* command = app.add_subcommand(name, text);
    auto question = std::make_shared<Question>();
    add_camera(*command, question->camera);
    add_region(*command, question->region);
    command->add_flag("--json", question->json, "Print one JSON object instead of a table");
    command->callback(
        [&action, question, ask] { action = [question, ask](Bus& bus) { ask(bus, *question); }; });
}

void add_snapshot(CLI::App& app, Action& action) {
    auto* command = app.add_subcommand("snapshot", "Save the next frame as a PNG file");
    auto options = std::make_shared<SnapshotOptions>();
    options->stage = "raw";
    add_camera(*command, options->camera);
    command->add_option("--stage", options->stage, "raw: as captured; filtered: the filtered luma")
        ->type_name("STAGE")
        ->check(CLI::IsMember({"raw", "filtered"}))
        ->capture_default_str();
    command->add_option("-o,--output", options->file, "File to write or replace")
        ->type_name("FILE.png")
        ->required();
    command->callback(
        [&action, options] { action = [options](Bus& bus) { snapshot(bus, *options); }; });
}

void add_stream(CLI::App& app, Action& action) {
    auto* command = app.add_subcommand("stream", "Write pictures to a player, as they come");
    auto options = std::make_shared<StreamOptions>();
    add_camera(*command, options->camera);
    command->add_option("WHAT", options->what, "raw: as captured; filtered: the filtered luma")
        ->type_name("")
        ->check(CLI::IsMember({"raw", "filtered"}))
        ->capture_default_str();
    command->add_option("--count", options->count, "End after N pictures")
        ->type_name("N")
        ->check(refuse_unless_positive);
    command->callback(
        [&action, options] { action = [options](Bus& bus) { stream(bus, *options); }; });
}

void add_switch(CLI::App& app, Action& action, const char* name, const char* text,
                void (*change)(Bus&, const std::string&)) {
    auto* command = app.add_subcommand(name, text);
    auto camera = std::make_shared<std::string>();
    add_camera(*command, *camera);
    command->callback([&action, camera, change] {
        action = [camera, change](Bus& bus) { change(bus, *camera); };
    });
}

struct FilterWords {
    std::string camera;
    std::string name;
    std::uint32_t size = 0;
    std::uint32_t shift = 0;
    std::vector<std::string> coefficients;
};

void add_filter(CLI::App& app, Action& action) {
    auto* command =
        app.add_subcommand("filter", "Set the filter that 'snapshot --stage filtered' shows");
    auto words = std::make_shared<FilterWords>();
    add_camera(*command, words->camera);
    add_name(*command, words->name, "NAME", "Name of a filter, 'none' or 'custom'");
    command
        ->add_option("COEFFICIENTS", words->coefficients,
                     "With 'custom': 9, 25, 49 ... or 961 numbers, row by row")
        ->type_name("");
    command
        ->add_option("--size", words->size, "With 'custom': rows of the filter, 3, 5, 7 ... or 31")
        ->type_name("N");
    command
        ->add_option("--shift", words->shift,
                     "With 'custom' and whole numbers: sums are divided by 2^SHIFT")
        ->type_name("SHIFT");
    command->footer(
        "Filters: binomialN (N = 3, 5, 7 or 9), boxN, gaussianN, unsharpN (N odd, 3 to 31),\n"
        "gaussian:SIGMA (0.1 to 100), sharpen3, laplacian3, sobel_x3, sobel_y3, sobel, none\n"
        "A custom filter gives saturate(trunc(sum / 2^SHIFT)); the matrix is turned by 180 "
        "degrees\n"
        "against the picture, as in OpenVX, and sum(|coefficient|) x 255 must be below 2^31.\n"
        "If a coefficient is no whole number, all are floats and the result is the rounded sum.");
    command->callback([&action, words] {
        const Filter filter =
            parse_filter(words->name, words->size, words->shift, words->coefficients);
        action = [words, filter](Bus& bus) { set_filter(bus, words->camera, filter); };
    });
}

void add_regions(CLI::App& app, Action& action) {
    auto* command =
        app.add_subcommand("regions", "Print the regions of a camera, or replace them all");
    auto camera = std::make_shared<std::string>();
    auto texts = std::make_shared<std::vector<std::string>>();
    add_camera(*command, *camera);
    command->add_option("REGION", *texts, "NAME:X,Y,WIDTH,HEIGHT in pixels")->type_name("");
    auto clear = std::make_shared<bool>(false);
    command->add_flag("--clear", *clear, "Remove every region but 'frame'");
    command->footer(
        "Without REGION: prints those in force, in the form that this command takes.\n"
        "With: from now on the camera measures these, and the whole picture as 'frame'.\n"
        "Example: glintctl regions front left:0,0,320,480 right:320,0,320,480");
    command->callback([&action, camera, texts, clear] {
        if (*clear && !texts->empty()) throw UsageError("--clear goes without regions");
        const std::vector<Region> parsed = parse_regions(*texts);
        if (parsed.empty() && !*clear)
            action = [camera](Bus& bus) { print_regions(bus, *camera); };
        else
            action = [camera, parsed](Bus& bus) { set_regions(bus, *camera, parsed); };
    });
}

void add_bins(CLI::App& app, Action& action) {
    auto* command =
        app.add_subcommand("bins", "Print how many bins histograms have, or set their number");
    auto camera = std::make_shared<std::string>();
    auto bins = std::make_shared<std::optional<std::uint32_t>>();
    add_camera(*command, *camera);
    command->add_option("N", *bins, "A multiple of 4 from 256 to 4096")->type_name("");
    command->footer(
        "N is at most the number of values that a sample has: 256 with 8 bits, 1024 with 10.\n"
        "A running camera pauses while the kernels for another number are built.");
    command->callback([&action, camera, bins] {
        if (*bins)
            action = [camera, bins](Bus& bus) { set_bins(bus, *camera, **bins); };
        else
            action = [camera](Bus& bus) { print_bins(bus, *camera); };
    });
}

struct MeteringWords {
    std::string camera;
    std::optional<std::uint32_t> columns;
    std::optional<std::uint32_t> rows;
    std::vector<std::int64_t> weights;
    bool off = false;
};

MeteringGrid grid_of(const MeteringWords& words) {
    if (words.off && words.columns) throw UsageError("--off goes without a grid");
    if (words.off) return {};
    if (!words.columns || !words.rows)
        throw UsageError("give COLUMNS, ROWS and a WEIGHT for each cell, or --off");
    return parse_metering(*words.columns, *words.rows, words.weights);
}

void add_metering(CLI::App& app, Action& action) {
    auto* command = app.add_subcommand(
        "metering", "Weigh the cells of a grid in the region 'metering', or take it away");
    auto words = std::make_shared<MeteringWords>();
    add_camera(*command, words->camera);
    command->add_option("COLUMNS", words->columns, "Cells from left to right, 1 to 32")
        ->type_name("");
    command->add_option("ROWS", words->rows, "Cells from top to bottom, 1 to 32")->type_name("");
    command->add_option("WEIGHT", words->weights, "0 to 255 for each cell, row by row")
        ->type_name("");
    command->add_flag("--off", words->off, "Take the grid and the region away");
    command->footer(
        "The grid covers the frame; in the region 'metering' each sample counts as often as its\n"
        "cell weighs. Read it with --region metering.\n"
        "Example: glintctl metering front 3 3 1 2 1 2 8 2 1 2 1");
    command->callback([&action, words] {
        action = [words, grid = grid_of(*words)](Bus& bus) {
            set_metering(bus, words->camera, grid);
        };
    });
}

void add_mask(CLI::App& app, Action& action) {
    auto* command =
        app.add_subcommand("mask", "Leave pixels out of every region, or count them all again");
    auto camera = std::make_shared<std::string>();
    auto file = std::make_shared<std::string>();
    auto off = std::make_shared<bool>(false);
    add_camera(*command, *camera);
    command->add_option("FILE.png", *file, "Grey picture of the frame's size: pixels not 0 count")
        ->type_name("");
    command->add_flag("--off", *off, "Take the mask away");
    command->footer(
        "A mask holds until it is replaced or taken away, or the service ends.\n"
        "Example: glintctl snapshot front -o mask.png, paint black what shall not count, then\n"
        "glintctl mask front mask.png");
    command->callback([&action, camera, file, off] {
        if (*off && !file->empty()) throw UsageError("--off goes without a file");
        if (!*off && file->empty()) throw UsageError("give FILE.png or --off");
        if (*off)
            action = [camera](Bus& bus) { clear_mask(bus, *camera); };
        else
            action = [camera, file](Bus& bus) { set_mask(bus, *camera, *file); };
    });
}

void add_control(CLI::App& app, Action& action) {
    struct Words {
        std::string camera;
        std::string name;
        std::int64_t value = 0;
    };
    auto* command =
        app.add_subcommand("control", "Set a control of a camera, such as its exposure");
    auto words = std::make_shared<Words>();
    add_camera(*command, words->camera);
    add_name(*command, words->name, "NAME", "As 'glintctl controls CAMERA' prints it");
    command->add_option("VALUE", words->value, "A whole number; of a menu the item's number")
        ->required()
        ->type_name("");
    command->footer(
        "It holds until the camera is closed; [camera.NAME.controls] of the configuration is set "
        "at\n"
        "every opening. A value below 0 goes after two dashes.\n"
        "Example: glintctl control front brightness -- -10");
    command->callback([&action, words] {
        action = [words](Bus& bus) { set_control(bus, words->camera, words->name, words->value); };
    });
}

void add_lines_and_alarms(CLI::App& app, Action& action) {
    add_plain(app, action, "lines", "Print a line per GPIO line: name, role, level, edges",
              list_lines);
    auto* line = app.add_subcommand("line", "Make an output active or inactive, or pulse a strobe");
    auto name = std::make_shared<std::string>();
    auto level = std::make_shared<std::string>();
    add_name(*line, *name, "LINE", "Name of a line, as 'glintctl lines' prints it");
    add_name(*line, *level, "LEVEL", "'active' or 'inactive'")
        ->check(CLI::IsMember({"active", "inactive"}));
    line->callback([&action, name, level] {
        action = [name, level](Bus& bus) { set_line(bus, *name, *level == "active"); };
    });
    add_plain(app, action, "alarms", "Print a line per alarm: name, state, rule, value, lines",
              list_alarms);
    auto* acknowledged = app.add_subcommand("acknowledge", "End a latched alarm");
    auto alarm = std::make_shared<std::string>();
    add_name(*acknowledged, *alarm, "ALARM", "Name of an alarm, as 'glintctl alarms' prints it");
    acknowledged->callback(
        [&action, alarm] { action = [alarm](Bus& bus) { acknowledge(bus, *alarm); }; });
}

void add_commands(CLI::App& app, Action& action) {
    add_plain(app, action, "status", "Show the service, its GPU and every camera", show_status);
    add_plain(app, action, "list", "Print a line per camera: name, state, format, size, source",
              list_cameras);
    add_watch(app, action);
    add_question(app, action, "histogram", "Print the newest histogram of a region",
                 show_histogram);
    add_question(app, action, "statistics", "Print figures of the newest histogram of a region",
                 show_statistics);
    add_snapshot(app, action);
    add_stream(app, action);
    add_filter(app, action);
    add_regions(app, action);
    add_bins(app, action);
    add_metering(app, action);
    add_mask(app, action);
    add_switch(app, action, "explain",
               "Tell how a camera's frames reach the GPU, and why not better", explain);
    add_switch(app, action, "controls", "Print what a camera's driver lets people set",
               print_controls);
    add_control(app, action);
    add_switch(app, action, "start", "Start a camera", start);
    add_switch(app, action, "stop", "Stop a camera", stop);
    add_lines_and_alarms(app, action);
    add_plain(app, action, "reload", "Let the service read its configuration again", reload);
    add_plain(app, action, "retry-gpu", "Look for the GPU again and build its kernels anew",
              retry_gpu);
}

std::string name_of_command(const CLI::App& app) {
    const std::vector<CLI::App*> given = app.get_subcommands();
    return given.empty() ? "glintctl" : "glintctl " + given.front()->get_name();
}

int refuse(const CLI::App& app, const std::string& why) {
    complain(fmt::format("{}; see '{} --help'", why, name_of_command(app)));
    return usage;
}

int run(int argc, char** argv) {
    CLI::App app("Talks to glintd, which measures camera frames on the GPU.", "glintctl");
    Action action;
    app.set_version_flag("--version", "glintctl " GLINT_VERSION, "Print the version and end");
    app.set_help_flag("-h,--help", "Print this help and end");
    app.require_subcommand(1);
    app.get_formatter()->column_width(26);
    add_commands(app, action);
    // Last, for commands inherit what is there before them.
    app.footer(examples);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (app.get_subcommands().empty() && !app.remaining().empty()) {
            return refuse(app, fmt::format("'{}' is no command", app.remaining().front()));
        }
        if (error.get_exit_code() != 0) return refuse(app, error.what());
        std::ostringstream out;
        app.exit(error, out, out);
        print(out.str());
        return success;
    } catch (const UsageError& error) {
        return refuse(app, error.what());
    }
    Bus bus;
    action(bus);
    return success;
}

}  // namespace
}  // namespace glint::ctl

int main(int argc, char** argv) {
    // A reader that goes away shows as EPIPE, so that the terminal is left in order.
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return glint::ctl::run(argc, argv);
    } catch (const glint::ctl::ReaderGone&) {
        return glint::ctl::success;
    } catch (const std::exception& error) {
        glint::ctl::complain(error.what());
        return glint::ctl::failure;
    }
}
