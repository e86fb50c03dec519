#include "tests/layer/foreign_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "tests/layer/profile.hpp"
#include "tests/layer/profiles_text.hpp"

namespace glint::layer {
namespace {

using nlohmann::json;

int64_t integer(uint64_t value) {
    return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX));
}

/// What neither tells is as on any board of the kind.
toml::table with_defaults() {
    const toml::table tables = toml::parse(profiles_text);
    toml::table table = *tables["vivante"].as_table();
    table.as_table()->insert_or_assign("platform_version", "OpenCL 1.2 ");
    return table;
}

/// The keys of the probe that are OpenCL's under another name.
const std::map<std::string, std::string>& probe_names() {
    static const std::map<std::string, std::string> names{
        {"platform", "platform_name"},
        {"platform_version", "platform_version"},
        {"name", "name"},
        {"vendor", "vendor"},
        {"version", "version"},
        {"c_version", "opencl_c_version"},
        {"driver_version", "driver_version"},
        {"profile", "profile"},
        {"extensions", "extensions"},
        {"available", "available"},
        {"compiler", "compiler_available"},
        {"unified_memory", "host_unified_memory"},
        {"local_bytes", "local_mem_size"},
        {"global_bytes", "global_mem_size"},
        {"largest_allocation_bytes", "max_mem_alloc_size"},
        {"compute_units", "max_compute_units"},
        {"max_work_group", "max_work_group_size"},
        {"base_align_bits", "mem_base_addr_align"},
        {"timer_resolution_nsec", "profiling_timer_resolution"},
        {"images", "image_support"},
    };
    return names;
}

void insert(toml::table& table, const std::string& key, const json& value) {
    if (value.is_boolean()) table.insert_or_assign(key, value.get<bool>());
    if (value.is_number_integer()) table.insert_or_assign(key, value.get<int64_t>());
    if (value.is_string()) table.insert_or_assign(key, value.get<std::string>());
}

toml::array sizes_in(const std::string& text) {
    toml::array sizes;
    std::istringstream words(text);
    for (uint64_t size = 0; words >> size;) sizes.push_back(integer(size));
    return sizes;
}

/// Every kernel's limit on the real device, from which the layer picks.
void insert_kernel_limits(toml::table& table, const json& device) {
    toml::array limits;
    std::optional<int64_t> multiple;
    for (const json& variant : device.value("variant", json::array())) {
        const auto limit = variant.value("max_work_group", int64_t{0});
        if (limit > 0) limits.push_back(limit);
        if (variant.contains("preferred_multiple")) multiple = variant["preferred_multiple"];
    }
    if (multiple) table.insert_or_assign("preferred_work_group_size_multiple", *multiple);
    if (!limits.empty()) table["beyond"].as_table()->insert_or_assign("work_group_limits", limits);
}

struct ClinfoLine {
    std::string_view name;
    std::string_view value;
};

/// "[POCL/0]    CL_DEVICE_NAME      pthread": the first device's lines and the platform's.
std::optional<ClinfoLine> parse_clinfo_line(std::string_view line) {
    const size_t start = line.find("CL_");
    if (start == std::string_view::npos) return std::nullopt;
    const std::string_view where = line.substr(0, start);
    if (where.find('/') != std::string_view::npos && where.find("/0]") == std::string_view::npos) {
        return std::nullopt;
    }
    const size_t end = std::min(line.find(' ', start), line.size());
    const size_t value = std::min(line.find_first_not_of(' ', end), line.size());
    std::string_view text = line.substr(value);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return ClinfoLine{line.substr(start, end - start), text};
}

void insert(toml::table& table, const Parameter& parameter, std::string_view value) {
    const std::string key = key_of(parameter);
    const std::string text(value);
    switch (parameter.type) {
        case Type::text:
            table.insert_or_assign(key, text);
            return;
        case Type::boolean:
            table.insert_or_assign(key, text == "CL_TRUE");
            return;
        case Type::sizes:
            table.insert_or_assign(key, sizes_in(text));
            return;
        default:
            break;
    }
    if (text.starts_with("CL_") || text.empty()) {
        table.insert_or_assign(key, text);
    } else {
        table.insert_or_assign(key, integer(std::strtoull(text.c_str(), nullptr, 0)));
    }
}

}  // namespace

bool is_probe(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

toml::table from_probe(std::string_view text, const std::string& origin) try {
    const json probe = json::parse(text);
    const json& device = probe.at("opencl").at("device").at(0);
    toml::table table = with_defaults();
    for (const auto& [from, to] : probe_names()) {
        if (device.contains(from)) insert(table, to, device[from]);
    }
    table.insert_or_assign("platform_profile", device.at("profile").get<std::string>());
    table.insert_or_assign("type", "CL_DEVICE_TYPE_" + device.value("type", std::string("GPU")));
    table.insert_or_assign("local_mem_type", device.value("local_memory", std::string()) == "real"
                                                 ? "CL_LOCAL"
                                                 : "CL_GLOBAL");
    table.insert_or_assign("max_work_item_sizes",
                           sizes_in(device.value("max_work_item", std::string("1 1 1"))));
    insert_kernel_limits(table, device);
    return table;
} catch (const json::exception& error) {
    throw ProfileError(
        fmt::format("{} is not the output of `glintd --probe --json` on a machine with an OpenCL "
                    "device: {}",
                    origin, error.what()));
}

bool is_clinfo(std::string_view text) {
    return text.find("CL_DEVICE_VERSION") != std::string_view::npos;
}

toml::table from_clinfo(std::string_view text) {
    std::map<std::string_view, std::string_view> values;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        if (const auto line = parse_clinfo_line(text.substr(0, end))) {
            values.emplace(line->name, line->value);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    toml::table table = with_defaults();
    for (const auto parameters : {device_parameters(), platform_parameters()}) {
        for (const Parameter& parameter : parameters) {
            const auto found = values.find(parameter.name);
            if (found != values.end()) insert(table, parameter, found->second);
        }
    }
    const auto multiple = values.find("CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE");
    if (multiple != values.end()) {
        table.insert_or_assign("preferred_work_group_size_multiple",
                               integer(std::strtoull(multiple->second.data(), nullptr, 0)));
    }
    return table;
}

}  // namespace glint::layer
