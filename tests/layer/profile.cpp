#include "tests/layer/profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/layer/foreign_table.hpp"
#include "tests/layer/profiles_text.hpp"

namespace glint::layer {
namespace {

/// Keys of [PROFILE.beyond] that exist for the reader alone.
constexpr std::string_view constants_key = "constants";

toml::table parse(std::string_view text, const std::string& origin) try {
    return toml::parse(text, origin);
} catch (const toml::parse_error& error) {
    throw ProfileError(fmt::format("{}:{}:{}: {}", origin, error.source().begin.line,
                                   error.source().begin.column, error.description()));
}

/// Tables that stand for a device, not only for what others inherit.
std::vector<std::string> names_in(const toml::table& tables) {
    std::vector<std::string> names;
    for (const auto& [key, value] : tables) {
        const toml::table* table = value.as_table();
        if (table != nullptr && (table->contains("name") || table->contains("inherits"))) {
            names.emplace_back(key.str());
        }
    }
    return names;
}

/// The table with everything it inherits; its own values win.
toml::table resolved(const toml::table& tables, const std::string& name, int depth = 0) {
    const toml::table* own = tables[name].as_table();
    if (own == nullptr || depth > 8) {
        throw ProfileError(fmt::format("there is no profile \"{}\"; there are {}", name,
                                       fmt::join(names_in(tables), ", ")));
    }
    toml::table result;
    const auto base = (*own)["inherits"].value<std::string>();
    if (own->contains("inherits") && !base) {
        throw ProfileError(fmt::format("profile {}: inherits must be a text", name));
    }
    if (base) {
        result = resolved(tables, *base, depth + 1);
    }
    for (const auto& [key, value] : *own) {
        if (key.str() == "inherits") continue;
        if (value.is_table() && result[key.str()].is_table()) {
            for (const auto& [inner, inner_value] : *value.as_table()) {
                result[key.str()].as_table()->insert_or_assign(inner, inner_value);
            }
        } else {
            result.insert_or_assign(key, value);
        }
    }
    return result;
}

class Reader {
  public:
    Reader(const toml::table& table, const std::string& origin) : table_(table), origin_(origin) {}

    void read(std::span<const Parameter> parameters, std::map<cl_uint, Bytes>& answers) {
        for (const Parameter& parameter : parameters) {
            const std::string key = key_of(parameter);
            known_.insert(key);
            const toml::node_view<const toml::node> node = table_[key];
            if (node && key != "name") answers[parameter.number] = value_of(parameter.type, key);
        }
    }

    [[nodiscard]] std::vector<std::string> texts(const std::string& key) {
        known_.insert(key);
        const auto node = table_[key];
        if (const auto one = node.value<std::string>()) return {*one};
        std::vector<std::string> result;
        if (const toml::array* list = node.as_array()) {
            for (const toml::node& entry : *list) {
                const auto text = entry.value<std::string>();
                if (!text) refuse(key, "a list of texts");
                result.push_back(*text);
            }
        }
        return result;
    }

    [[nodiscard]] std::vector<uint64_t> numbers(const std::string& key) {
        known_.insert(key);
        const auto node = table_[key];
        std::vector<uint64_t> result;
        if (!node) return result;
        const toml::array* list = node.as_array();
        if (list == nullptr) refuse(key, "a list of numbers");
        for (const toml::node& entry : *list) {
            const auto number = entry.value<int64_t>();
            if (!number || *number <= 0) refuse(key, "a list of positive numbers");
            result.push_back(static_cast<uint64_t>(*number));
        }
        return result;
    }

    [[nodiscard]] uint64_t number(const std::string& key, uint64_t otherwise) {
        known_.insert(key);
        if (!table_[key]) return otherwise;
        const auto number = table_[key].value_exact<int64_t>();
        if (!number || *number < 0) refuse(key, "a number of at least 0");
        return static_cast<uint64_t>(*number);
    }

    [[nodiscard]] bool boolean(const std::string& key) {
        known_.insert(key);
        if (table_[key] && !table_[key].is_boolean()) refuse(key, "true or false");
        return table_[key].value_or(false);
    }

    /// A key that nobody read is a mistake: the figure would not be in force.
    void refuse_unknown() const {
        for (const auto& [key, value] : table_) {
            if (known_.contains(key.str()) || value.is_table()) continue;
            throw ProfileError(fmt::format("{}: nothing is called \"{}\"", origin_, key.str()));
        }
    }
    void allow(std::string_view key) { known_.emplace(key); }

  private:
    [[noreturn]] void refuse(const std::string& key, std::string_view expected) const {
        throw ProfileError(fmt::format("{}: {} must be {}", origin_, key, expected));
    }

    Bytes value_of(Type type, const std::string& key) {
        switch (type) {
            case Type::text: {
                const auto text = table_[key].value<std::string>();
                if (!text) refuse(key, "a text");
                return to_bytes(*text);
            }
            case Type::sizes:
                return to_bytes(numbers(key));
            case Type::boolean:
                return to_bytes(type, boolean(key) ? 1 : 0);
            default:
                break;
        }
        if (const auto names = table_[key].value<std::string>()) {
            const auto bits = parse_bits(*names);
            if (!bits) refuse(key, "names of OpenCL constants, joined by |");
            return to_bytes(type, *bits);
        }
        return to_bytes(type, number(key, 0));
    }

    const toml::table& table_;
    const std::string& origin_;
    std::set<std::string, std::less<>> known_;
};

Beyond read_beyond(const toml::table& table, const std::string& origin) {
    Reader reader(table, origin);
    Beyond beyond;
    beyond.global_size_limit = reader.number("global_size_limit", 0);
    beyond.work_group_limits = reader.numbers("work_group_limits");
    beyond.instructions = static_cast<uint32_t>(reader.number("instructions", 0));
    beyond.registers = static_cast<uint32_t>(reader.number("registers", 0));
    beyond.old_front_end = reader.boolean("old_front_end");
    beyond.scalar_int = reader.boolean("scalar_int");
    beyond.float_width = static_cast<uint32_t>(reader.number("float_width", 4));
    reader.allow(constants_key);
    reader.refuse_unknown();
    return beyond;
}

Profile to_profile(const toml::table& table, const std::string& origin, const std::string& name) {
    Profile profile;
    profile.name = name;
    Reader reader(table, origin);
    reader.read(device_parameters(), profile.device);
    reader.read(platform_parameters(), profile.platform);
    profile.devices = reader.texts("name");
    if (profile.devices.empty()) {
        throw ProfileError(fmt::format("{}: profile {} has no name", origin, name));
    }
    profile.preferred_work_group_size_multiple =
        reader.number("preferred_work_group_size_multiple", 1);
    if (const toml::table* beyond = table["beyond"].as_table()) {
        profile.beyond = read_beyond(*beyond, origin);
    }
    reader.refuse_unknown();
    if (profile.version() == 0) {
        throw ProfileError(fmt::format("{}: version is \"{}\", \"OpenCL 1.1 ...\" is expected",
                                       origin, profile.text(CL_DEVICE_VERSION)));
    }
    return profile;
}

std::string read_file(const std::string& path) {
    const std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) {
        throw ProfileError(
            fmt::format("there is no profile and no readable file \"{}\"; profiles are {}", path,
                        fmt::join(profile_names(), ", ")));
    }
    return std::move(text).str();
}

}  // namespace

std::string Profile::text(cl_device_info parameter) const {
    const auto found = device.find(parameter);
    if (found == device.end() || found->second.empty()) return {};
    return {found->second.begin(), found->second.end() - 1};
}

uint64_t Profile::number(cl_device_info parameter) const {
    uint64_t number = 0;
    const auto found = device.find(parameter);
    if (found != device.end()) {
        std::memcpy(&number, found->second.data(), std::min(found->second.size(), sizeof number));
    }
    return number;
}

std::vector<uint64_t> Profile::sizes(cl_device_info parameter) const {
    const auto found = device.find(parameter);
    if (found == device.end()) return {};
    std::vector<uint64_t> result(found->second.size() / sizeof(size_t));
    std::memcpy(result.data(), found->second.data(), result.size() * sizeof(size_t));
    return result;
}

unsigned Profile::version() const {
    unsigned major = 0;
    unsigned minor = 0;
    if (std::sscanf(text(CL_DEVICE_VERSION).c_str(), "OpenCL %u.%u", &major, &minor) != 2) return 0;
    return major * 100 + minor * 10;
}

bool Profile::has_extension(std::string_view extension) const {
    const std::string padded = ' ' + text(CL_DEVICE_EXTENSIONS) + ' ';
    return padded.find(fmt::format(" {} ", extension)) != std::string::npos;
}

CompilerLimits Profile::compiler() const {
    unsigned major = 0;
    unsigned minor = 0;
    const std::string c_version = text(CL_DEVICE_OPENCL_C_VERSION);
    const bool known = std::sscanf(c_version.c_str(), "OpenCL C %u.%u", &major, &minor) == 2;
    std::istringstream words(text(CL_DEVICE_EXTENSIONS));
    CompilerLimits limits;
    limits.device = devices.front();
    limits.c_version = known ? major * 100 + minor * 10 : 110;
    for (std::string word; words >> word;) limits.extensions.insert(word);
    limits.embedded_profile = text(CL_DEVICE_PROFILE) == "EMBEDDED_PROFILE";
    limits.int64 = limits.extensions.contains("cles_khr_int64");
    limits.fp16 = limits.extensions.contains("cl_khr_fp16");
    limits.fp64 = limits.extensions.contains("cl_khr_fp64");
    limits.images = number(CL_DEVICE_IMAGE_SUPPORT) != 0;
    limits.image_writes = limits.images && number(CL_DEVICE_MAX_WRITE_IMAGE_ARGS) != 0;
    limits.old_front_end = beyond.old_front_end;
    limits.max_instructions = beyond.instructions;
    limits.max_registers = beyond.registers;
    limits.scalar_int = beyond.scalar_int;
    limits.float_width = beyond.float_width;
    return limits;
}

std::vector<std::string> profile_names() {
    return names_in(parse(profiles_text, "profiles.toml"));
}

Profile parse_profile(std::string_view text, const std::string& origin, const std::string& wanted) {
    if (is_probe(text)) return to_profile(from_probe(text, origin), origin, origin);
    if (is_clinfo(text)) return to_profile(from_clinfo(text), origin, origin);
    toml::table tables = parse(text, origin);
    // A table of one's own may inherit from those that are built in.
    const toml::table built_in = parse(profiles_text, "profiles.toml");
    const std::vector<std::string> own = names_in(tables);
    for (const auto& [key, value] : built_in) tables.insert(key, value);
    if (wanted.empty() && own.size() != 1) {
        throw ProfileError(fmt::format("{} holds {} profiles ({}); say which: {}:PROFILE", origin,
                                       own.size(), fmt::join(own, ", "), origin));
    }
    const std::string& name = wanted.empty() ? own.front() : wanted;
    return to_profile(resolved(tables, name), origin, name);
}

Profile load_profile(const std::string& name) {
    const std::vector<std::string> built_in = profile_names();
    if (std::ranges::find(built_in, name) != built_in.end()) {
        return parse_profile(profiles_text, "profiles.toml", name);
    }
    const size_t colon = name.rfind(':');
    const bool with_profile =
        colon != std::string::npos && name.find('/', colon) == std::string::npos;
    const std::string path = with_profile ? name.substr(0, colon) : name;
    return parse_profile(read_file(path), path, with_profile ? name.substr(colon + 1) : "");
}

}  // namespace glint::layer
