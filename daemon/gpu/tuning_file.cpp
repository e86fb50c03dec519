// The text of the tuning file.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "daemon/config_reader.hpp"
#include "daemon/gpu/tuning.hpp"

namespace glint::gpu {
namespace {

constexpr std::string_view header =
    R"(# glintd tuning file: which tunables of which kernel variant were measured fastest, for the device,
# driver version and frame size in a table's name. glintd reads it at start and on RetryGpu, and takes
# an entry only for that very device and driver. Written by glint-tune, which keeps what it does not
# measure; may be edited and joined by hand. Times are medians in milliseconds:
#   ms, default_ms  device time with these tunables, and with the default ones
#   wall_ms         from giving the frame to the device to having it and the result back
#   cpu_ms          the cpu variant on the same work, one thread
)";

/// Times are written with four digits after the point.
constexpr double shortest_ms = 0.0001;
constexpr double longest_ms = 1e7;

/// The tables of the file on the way down, and how messages call them.
class Walk {
  public:
    Walk(const std::string& path, Tuning& result) : path_(path), result_(result) {}

    void devices(const toml::table& root) {
        each_table(root, [&](const std::string& device, const toml::table& drivers) {
            key_.device = device;
            each_table(drivers, [&](const std::string& driver, const toml::table& sizes) {
                key_.driver = driver;
                each_table(sizes, [&](const std::string& size, const toml::table& operators) {
                    frame_size(size, operators);
                });
            });
        });
    }

  private:
    [[noreturn]] void refuse(const toml::node& node, const std::string& why) const {
        throw ConfigError(fmt::format("{}:{}:{}: {}", path_, node.source().begin.line,
                                      node.source().begin.column, why));
    }

    template <typename Use>
    void each_table(const toml::table& table, Use use) {
        for (const auto& [key, node] : table) {
            const std::string name(key.str());
            if (!node.is_table()) refuse(node, fmt::format("{} is expected to be a table", name));
            use(name, *node.as_table());
        }
    }

    void frame_size(const std::string& name, const toml::table& operators) {
        const auto size = parse_frame_size(name);
        if (!size)
            refuse(operators, fmt::format("{} is no frame size; one looks like 1920x1080", name));
        key_.size = *size;
        each_table(operators, [&](const std::string& op, const toml::table& variants) {
            operator_table(op, variants);
        });
    }

    void operator_table(const std::string& name, const toml::table& variants) {
        const auto op = operator_named(name);
        if (!op) refuse(variants, fmt::format("there is no operator {}", name));
        key_.op = *op;
        key_.filter_size = 0;
        each_table(variants, [&](const std::string& inner, const toml::table& table) {
            const auto filter = parse_frame_size(inner);
            if (!filter) return variant(inner, table);
            if (filter->width != filter->height)
                refuse(table, fmt::format("{} is no filter size; one looks like 3x3", inner));
            key_.filter_size = filter->width;
            each_table(table, [&](const std::string& third, const toml::table& leaf) {
                variant(third, leaf);
            });
            key_.filter_size = 0;
        });
    }

    void variant(const std::string& name, const toml::table& table) {
        const kernels::Variant* variant = kernels::find(key_.op, name);
        if (variant == nullptr) {
            refuse(table, fmt::format("there is no {} variant {}; remove its table, or the file "
                                      "and run glint-tune again",
                                      kernels::name_of(key_.op), name));
        }
        key_.variant = name;
        std::vector<std::string> unknown;
        config::Table leaf(table, name, unknown);
        const auto ms = [&](const char* key) {
            const auto value = leaf.real(key, shortest_ms, longest_ms);
            if (!value) leaf.refuse(key, "a time in milliseconds is expected");
            return *value;
        };
        TunedVariant figures{.tunables = {},
                             .ms = ms("ms"),
                             .default_ms = ms("default_ms"),
                             .wall_ms = ms("wall_ms"),
                             .cpu_ms = ms("cpu_ms"),
                             .file = path_};
        const toml::table* values = table["tunables"].as_table();
        if (values == nullptr) leaf.refuse("tunables", "a table of values is expected");
        for (const auto& [key, node] : *values)
            figures.tunables.emplace(key.str(), value_of(*variant, std::string(key.str()), node));
        result_.insert_or_assign(key_, std::move(figures));
    }

    int32_t value_of(const kernels::Variant& variant, const std::string& name,
                     const toml::node& node) const {
        for (const kernels::Tunable& tunable : variant.tunables) {
            if (tunable.name != name) continue;
            const auto value = node.value_exact<int64_t>();
            const auto found = std::ranges::find_if(
                tunable.candidates, [&](int32_t candidate) { return candidate == value; });
            if (found != tunable.candidates.end()) return *found;
            refuse(node, fmt::format("{} of {} may be {}", name, variant.name,
                                     fmt::join(tunable.candidates, ", ")));
        }
        refuse(node, fmt::format("{} has no tunable {}", variant.name, name));
    }

    const std::string& path_;
    Tuning& result_;
    TuningKey key_;
};

/// A TOML basic string.
std::string basic_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        } else {
            result += c;
        }
    }
    return result + '"';
}

/// A clock that is too coarse for a kernel says 0, which no division bears.
double written(double ms) {
    return std::max(ms, shortest_ms);
}

std::string table_name(const TuningKey& key) {
    const std::string filter = key.filter_size == 0 ? "" : fmt::format(".{0}x{0}", key.filter_size);
    return fmt::format("[{}.{}.{}.{}{}.{}]", basic_string(key.device), basic_string(key.driver),
                       to_string(key.size), kernels::name_of(key.op), filter, key.variant);
}

}  // namespace

Tuning parse_tuning(const std::string& text, const std::string& path) {
    Tuning result;
    Walk(path, result).devices(config::parse_and_merge({{path, text}}));
    return result;
}

std::string format_tuning(const Tuning& tuning) {
    std::string text(header);
    for (const auto& [key, figures] : tuning) {
        std::vector<std::string> values;
        for (const auto& [name, value] : figures.tunables)
            values.push_back(fmt::format("{} = {}", name, value));
        text += fmt::format(
            "\n{}\ntunables = {{ {} }}\nms = {:.4f}\ndefault_ms = {:.4f}\nwall_ms = {:.4f}\n"
            "cpu_ms = {:.4f}\n",
            table_name(key), fmt::join(values, ", "), written(figures.ms),
            written(figures.default_ms), written(figures.wall_ms), written(figures.cpu_ms));
    }
    return text;
}

Tuning load_tuning(const std::vector<std::filesystem::path>& files,
                   std::vector<std::string>& problems) {
    Tuning result;
    for (const std::filesystem::path& file : files) {
        std::error_code ignored;
        if (!std::filesystem::exists(file, ignored)) continue;
        try {
            const ConfigText text = read_config(file);
            for (auto& [key, figures] : parse_tuning(text.text, text.path))
                result.insert_or_assign(key, figures);
        } catch (const ConfigError& error) {
            problems.emplace_back(error.what());
        }
    }
    return result;
}

}  // namespace glint::gpu
