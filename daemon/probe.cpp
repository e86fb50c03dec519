#include "daemon/probe.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

#include "daemon/probe_opencl.hpp"
#include "daemon/probe_system.hpp"
#include "zero_copy/unique_fd.hpp"

namespace glint {
namespace {

using zero_copy::UniqueFd;

std::string read_all(int fd) {
    std::string text;
    char buffer[4096];
    while (true) {
        const ssize_t got = ::read(fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return text;
        text.append(buffer, static_cast<size_t>(got));
    }
}

void write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t put = ::write(fd, text.data(), text.size());
        if (put < 0 && errno != EINTR) return;
        if (put > 0) text.remove_prefix(static_cast<size_t>(put));
    }
}

toml::table problem(const std::string& what, const std::string& next_step) {
    return toml::table{{"problem", what}, {"next_step", next_step}};
}

/// A broken vendor library can crash whoever loads it: ask in a child, and tell how it ended.
toml::table probe_opencl_in_child() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) return problem(std::strerror(errno), "close other programs");
    UniqueFd reading(ends[0]);
    UniqueFd writing(ends[1]);
    const pid_t child = ::fork();
    if (child < 0) return problem(std::strerror(errno), "close other programs");
    if (child == 0) {
        reading.reset();
        std::ostringstream text;
        text << probe_opencl();
        write_all(writing.get(), text.str());
        ::_exit(EXIT_SUCCESS);  // without the driver's own exit handlers
    }
    writing.reset();
    const std::string text = read_all(reading.get());
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        return problem(fmt::format("the OpenCL driver crashed: {}", ::strsignal(WTERMSIG(status))),
                       "check that the vendor's library and the kernel driver are of the same BSP "
                       "release");
    }
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        return problem(fmt::format("the OpenCL report is damaged: {}", error.description()),
                       "run it again; report this if it stays");
    }
}

bool is_plain(const toml::node& node) {
    return !node.is_table() && !node.is_array();
}

void print_text(const toml::table& table, size_t depth);

void print_value(std::string_view key, const toml::node& value, size_t depth) {
    const std::string indent(depth * 2, ' ');
    if (const toml::table* table = value.as_table()) {
        fmt::print("{}{}:\n", indent, key);
        print_text(*table, depth + 1);
    } else if (const toml::array* list = value.as_array()) {
        if (list->empty()) fmt::print("{}{}: none\n", indent, key);
        for (const toml::node& entry : *list) {
            if (const toml::table* entry_table = entry.as_table()) {
                fmt::print("{}{}:\n", indent, key);
                print_text(*entry_table, depth + 1);
            } else {
                fmt::print("{}{}: {}\n", indent, key, *entry.value<std::string>());
            }
        }
    } else if (const auto* text = value.as_string()) {
        fmt::print("{}{}: {}\n", indent, key, text->get());
    } else {
        std::ostringstream shown;
        value.visit([&](const auto& plain) { shown << plain; });
        fmt::print("{}{}: {}\n", indent, key, shown.str());
    }
}

/// What is one line first, a problem last of it, then what is many.
void print_text(const toml::table& table, size_t depth) {
    const auto is_remark = [](const toml::key& key) {
        return key.str() == "problem" || key.str() == "next_step";
    };
    for (const auto& [key, value] : table) {
        if (is_plain(value) && !is_remark(key)) print_value(key.str(), value, depth);
    }
    const std::string indent(depth * 2, ' ');
    if (const auto problem = table["problem"].value<std::string>()) {
        fmt::print("{}! {}\n{}  -> {}\n", indent, *problem, indent,
                   table["next_step"].value_or(std::string("report this")));
    }
    for (const auto& [key, value] : table) {
        if (!is_plain(value)) print_value(key.str(), value, depth);
    }
}

}  // namespace

int run_probe(bool json) {
    toml::table report = probe_system();
    toml::table opencl = probe_opencl_in_child();
    const bool serves = opencl.contains("device");
    report.insert("glintd_version", GLINT_VERSION);
    report.insert("opencl", std::move(opencl));
    if (json) {
        std::cout << toml::json_formatter{report} << '\n';
    } else {
        print_text(report, 0);
    }
    return serves ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace glint
