#include "daemon/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "daemon/config_lines.hpp"
#include "daemon/config_reader.hpp"
#include "daemon/gpu/filters.hpp"
#include "daemon/names.hpp"
#include "kernels/catalogue.hpp"
#include "zero_copy/media_text.hpp"
#include "zero_copy/source.hpp"

namespace glint {
namespace {

using config::Choice;
using config::Table;

constexpr std::array<Choice<KernelSet>, 4> kernel_sets{{{"auto", KernelSet::automatic},
                                                        {"ep", KernelSet::ep},
                                                        {"fp", KernelSet::fp},
                                                        {"cpu", KernelSet::cpu}}};
using TransportChoice = std::optional<zero_copy::Transport>;
constexpr std::array<Choice<TransportChoice>, 6> transports{
    {{"auto", std::nullopt},
     {"dmabuf", zero_copy::Transport::dmabuf},
     {"mmap", zero_copy::Transport::mmap},
     {"userptr", zero_copy::Transport::userptr},
     {"host_pages", zero_copy::Transport::host_pages},
     {"copy", zero_copy::Transport::copy}}};
constexpr std::array<Choice<zero_copy::Range>, 2> ranges{
    {{"full", zero_copy::Range::full}, {"limited", zero_copy::Range::limited}}};

GpuConfig read_gpu(Table table) {
    GpuConfig gpu;
    gpu.device = table.text("device").value_or(gpu.device);
    gpu.kernels = table.choice("kernels", kernel_sets).value_or(gpu.kernels);
    gpu.stall_timeout_ms =
        table.number("stall_timeout_ms", 100, 600'000).value_or(gpu.stall_timeout_ms);
    gpu.cache_dir = table.text("cache_dir").value_or("");
    gpu.tuning_file = table.text("tuning_file").value_or("");
    for (Table variants : table.tables("variant")) {
        for (const auto op : {kernels::Operator::histogram, kernels::Operator::convolution,
                              kernels::Operator::convolution_float, kernels::Operator::sharpness,
                              kernels::Operator::sobel}) {
            const std::string key(kernels::name_of(op));
            const auto name = variants.text(key);
            if (!name) continue;
            const kernels::Variant* variant = kernels::find(op, *name);
            if (*name != "cpu" && (variant == nullptr || variant->float_samples)) {
                variants.refuse(
                    key, fmt::format("no such {} variant; `glintd --probe` lists them", key));
            }
            gpu.variants[key] = *name;
        }
        variants.warn_unknown();
    }
    table.warn_unknown();
    return gpu;
}

MemoryConfig read_memory(Table table) {
    MemoryConfig memory;
    memory.limit_mib = table.number("limit_mib", 1, 65'536).value_or(memory.limit_mib);
    memory.heaps = table.text_list("heaps").value_or(memory.heaps);
    table.warn_unknown();
    return memory;
}

/// The largest odd square that so many coefficients fill, so that what is left over is named.
uint32_t size_for(size_t coefficients) {
    uint32_t size = 3;
    while (size < gpu::max_filter_size && (size + 2) * (size + 2) <= coefficients) size += 2;
    return size;
}

gpu::FloatFilter read_float_matrix(Table& table) {
    const auto coefficients = table.real_list("coefficients").value();
    if (table.number("shift", 0, 31)) {
        table.refuse("shift",
                     "a filter with a coefficient that is no whole number takes no shift; divide "
                     "the coefficients instead");
    }
    const uint32_t size = size_for(coefficients.size());
    try {
        return gpu::make_float_filter(size, size, coefficients);
    } catch (const gpu::FilterError& error) {
        table.refuse("coefficients", error.what());
    }
}

gpu::AnyFilter read_matrix(Table& table) {
    const std::string kernel = table.text("kernel").value_or("custom");
    if (table.lists_reals("coefficients")) {
        if (kernel == "custom") return read_float_matrix(table);
        table.refuse("coefficients", "only kernel = \"custom\" takes coefficients");
    }
    const auto coefficients = table.int16_list("coefficients");
    const auto shift = table.number("shift", 0, 31);
    if (kernel != "custom") {
        const auto filter = gpu::named_filter(kernel);
        if (!filter) {
            table.refuse("kernel", fmt::format("allowed are {} and custom", gpu::filter_names));
        }
        if (shift) table.refuse("shift", "only kernel = \"custom\" takes a shift");
        if (coefficients)
            table.refuse("coefficients", "only kernel = \"custom\" takes coefficients");
        return *filter;
    }
    if (!coefficients) table.refuse("kernel", "kernel = \"custom\" needs coefficients");
    const uint32_t size = size_for(coefficients->size());
    try {
        return gpu::make_filter(size, size, *coefficients, shift.value_or(0));
    } catch (const gpu::FilterError& error) {
        table.refuse("coefficients", error.what());
    }
}

gpu::AnyFilter read_filter(Table table) {
    constexpr std::array borders{Choice<gpu::Border>{"replicate", gpu::Border::replicate},
                                 Choice<gpu::Border>{"constant", gpu::Border::constant},
                                 Choice<gpu::Border>{"reflect-101", gpu::Border::reflect_101}};
    gpu::AnyFilter filter = read_matrix(table);
    const gpu::Border border = table.choice("border", borders).value_or(gpu::Border::replicate);
    const auto value = table.number("border_value", 0, 255);
    if (value && border != gpu::Border::constant)
        table.refuse("border_value", "only border = \"constant\" takes a value");
    std::visit(
        [&](auto& one) {
            one.border = border;
            one.border_value = static_cast<uint8_t>(value.value_or(0));
        },
        filter);
    table.warn_unknown();
    return filter;
}

RegionConfig read_region(Table table) {
    RegionConfig region{.name = table.name()};
    if (!valid_name(region.name) || region.name == names::whole_frame_region ||
        region.name == names::metering_region) {
        table.refuse(
            "", "a region's name is [a-z][a-z0-9_]{0,31} and neither \"frame\" nor \"metering\"");
    }
    const uint32_t largest = zero_copy::max_dimension;
    region.x = table.number("x", 0, largest).value_or(0);
    region.y = table.number("y", 0, largest).value_or(0);
    region.width = table.required_number("width", 1, largest);
    region.height = table.required_number("height", 1, largest);
    table.warn_unknown();
    return region;
}

void read_format(Table& table, CameraConfig& camera) {
    const auto fourcc = table.text("format");
    if (!fourcc) return;
    camera.format = zero_copy::format_from_fourcc(*fourcc);
    if (camera.format) return;
    std::string allowed;
    for (const auto& format : zero_copy::all_formats()) {
        allowed += fmt::format("{}\"{}\"", allowed.empty() ? "" : ", ", format.fourcc);
    }
    table.refuse("format", "allowed are " + allowed);
}

uint32_t read_bins(Table& table) {
    const uint32_t bins = table.number("bins", gpu::histogram_bins, gpu::max_histogram_bins)
                              .value_or(gpu::histogram_bins);
    try {
        check_bins(bins);
    } catch (const PlanError& error) {
        table.refuse("bins", error.what());
    }
    return bins;
}

MeteringGrid read_metering(Table table) {
    MeteringGrid grid{.columns = table.required_number("columns", 1, max_metering_cells),
                      .rows = table.required_number("rows", 1, max_metering_cells)};
    if (const auto weights = table.int16_list("weights", 0, UINT8_MAX)) {
        grid.weights.assign(weights->begin(), weights->end());
    }
    try {
        check_grid_shape(grid);
    } catch (const PlanError& error) {
        table.refuse("weights", error.what());
    }
    table.warn_unknown();
    return grid;
}

/// Media texts are checked here, where a file and a line can be named.
zero_copy::MediaRequest read_media(Table table) {
    zero_copy::MediaRequest media{
        .device = table.required_text("device"),
        .links = table.text_list("links").value_or(std::vector<std::string>()),
        .pads = table.text_list("pads").value_or(std::vector<std::string>())};
    const auto check = [&](const char* key, const std::vector<std::string>& texts, auto parse) {
        for (const std::string& text : texts) {
            try {
                (void)parse(text);
            } catch (const zero_copy::MediaTextError& error) {
                table.refuse(key, fmt::format("{}: {}", text, error.what()));
            }
        }
    };
    check("links", media.links, zero_copy::parse_link);
    check("pads", media.pads, zero_copy::parse_pad);
    table.warn_unknown();
    return media;
}

/// media = "external" leaves the graph to the system, as no entry does.
std::optional<zero_copy::MediaRequest> read_media_of(Table& camera) {
    if (camera.is_text("media")) {
        if (*camera.text("media") != "external") {
            camera.refuse("media", "allowed are \"external\" and a table");
        }
        return std::nullopt;
    }
    for (Table media : camera.tables("media")) return read_media(media);
    return std::nullopt;
}

CameraConfig read_camera(Table table) {
    CameraConfig camera{.name = table.name()};
    if (!valid_name(camera.name)) {
        table.refuse("", "a camera's name is [a-z][a-z0-9_]{0,31}");
    }
    camera.source = table.required_text("source");
    if (const std::string wrong = zero_copy::check_source_text(camera.source); !wrong.empty()) {
        table.refuse("source", wrong);
    }
    camera.width = table.number("width", 1, zero_copy::max_dimension);
    camera.height = table.number("height", 1, zero_copy::max_dimension);
    read_format(table, camera);
    camera.stride_override = table.number("stride_override", 1, 1U << 20);
    camera.rate = table.real("rate", 0.01, 1000);
    camera.range = table.choice("range", ranges);
    camera.transport = table.choice("transport", transports).value_or(std::nullopt);
    camera.buffers = table.number("buffers", zero_copy::min_buffers, zero_copy::max_buffers)
                         .value_or(camera.buffers);
    constexpr std::array measured{Choice<bool>{"every", false}, Choice<bool>{"triggered", true}};
    camera.measure_triggered = table.choice("measure", measured).value_or(false);
    camera.stall_timeout_ms = table.number("stall_timeout_ms", 0, 600'000);
    camera.bins = read_bins(table);
    camera.publish_interval_ms = table.number("publish_interval_ms", 0, max_publish_interval_ms)
                                     .value_or(camera.publish_interval_ms);
    if (auto published = table.text_list("publish_histograms")) {
        if (published->size() > max_published_histograms) {
            table.refuse(
                "publish_histograms",
                fmt::format("{} names; at most {}", published->size(), max_published_histograms));
        }
        camera.publish_histograms = std::move(*published);
    }
    camera.media = read_media_of(table);
    for (Table controls : table.tables("controls")) camera.controls = controls.integers();
    for (Table filter : table.tables("filter")) camera.filter = read_filter(filter);
    for (Table metering : table.tables("metering")) camera.metering = read_metering(metering);
    for (Table regions : table.tables("region")) {
        for (Table region : regions.named_tables()) camera.regions.push_back(read_region(region));
    }
    if (camera.regions.size() > max_regions) {
        table.refuse("region",
                     fmt::format("{} regions; at most {}", camera.regions.size(), max_regions));
    }
    for (const std::string& name : camera.publish_histograms) {
        const bool known =
            name == names::whole_frame_region ||
            (camera.metering && name == names::metering_region) ||
            std::ranges::find(camera.regions, name, &RegionConfig::name) != camera.regions.end();
        if (!known) {
            table.refuse("publish_histograms", fmt::format("no region is called \"{}\"", name));
        }
    }
    table.warn_unknown();
    return camera;
}

}  // namespace

bool valid_name(std::string_view name) {
    constexpr size_t longest = 32;
    const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto rest = [&](char c) { return lower(c) || (c >= '0' && c <= '9') || c == '_'; };
    return !name.empty() && name.size() <= longest && lower(name[0]) &&
           std::ranges::all_of(name, rest);
}

ConfigResult parse_config(const std::vector<ConfigText>& texts) {
    ConfigResult result;
    const toml::table merged = config::parse_and_merge(texts);
    Table root(merged, "", result.warnings);
    for (Table gpu : root.tables("gpu")) result.config.gpu = read_gpu(gpu);
    for (Table memory : root.tables("memory")) result.config.memory = read_memory(memory);
    for (Table cameras : root.tables("camera")) {
        for (Table camera : cameras.named_tables()) {
            result.config.cameras.push_back(read_camera(camera));
        }
    }
    for (Table lines : root.tables("line")) {
        for (Table line : lines.named_tables()) {
            result.config.lines.push_back(config::read_line(line, result.config.cameras));
        }
    }
    for (Table alarms : root.tables("alarm")) {
        for (Table alarm : alarms.named_tables()) {
            result.config.alarms.push_back(
                config::read_alarm(alarm, result.config.cameras, result.config.lines));
        }
    }
    root.warn_unknown();
    return result;
}

std::vector<std::filesystem::path> config_files() {
    std::vector<std::filesystem::path> files{names::shipped_config, names::system_config};
    std::error_code ignored;
    std::vector<std::filesystem::path> drop_ins;
    for (const auto& entry : std::filesystem::directory_iterator(names::drop_in_folder, ignored)) {
        if (entry.path().extension() == ".toml") drop_ins.push_back(entry.path());
    }
    std::ranges::sort(drop_ins);
    files.insert(files.end(), drop_ins.begin(), drop_ins.end());
    std::erase_if(files, [](const auto& file) {
        std::error_code error;
        return !std::filesystem::exists(file, error);
    });
    return files;
}

}  // namespace glint
