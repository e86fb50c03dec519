#include "tests/layer/account.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/layer/objects.hpp"

namespace glint::layer {

using nlohmann::json;

void Account::count_launch(const std::string& kernel) {
    const std::lock_guard lock(mutex_);
    ++launches_[kernel];
}

void Account::note(std::string_view place, const std::string& error, const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    Note& note = notes_[sentence];
    if (note.times++ > 0) return;
    note.place = place;
    note.error = error;
    if (quiet_) return;
    const std::string line = fmt::format("glint-layer: {}: {}{}\n", place, sentence,
                                         error.empty() ? "" : fmt::format(" ({})", error));
    std::fputs(line.c_str(), stderr);
}

std::string Account::report(const Objects& objects, const std::string& profile,
                            const std::string& memory, unsigned version) const {
    const std::lock_guard lock(mutex_);
    json report;
    report["profile"] = profile;
    report["memory"] = memory;
    report["bytes"] = {{"read", bytes_read.load()},
                       {"written", bytes_written.load()},
                       {"copied", bytes_copied.load()},
                       {"mapped", bytes_mapped.load()},
                       {"unmapped", bytes_unmapped.load()}};
    for (size_t i = 0; i < buffers.size(); ++i) {
        report["buffers"][buffer_kinds[i]] = buffers[i].load();
    }
    report["buffers"]["shadowed"] = buffers_shadowed.load();
    report["buffers"]["mapped_in_place"] = buffers_mapped_in_place.load();
    report["builds"] = {{"source", builds.load()},
                        {"refused", builds_refused.load()},
                        {"unchecked", builds_unchecked.load()},
                        {"binary", binary_loads.load()}};
    report["launches"] = launches_;
    report["live"] = {{"contexts", objects.contexts.size()}, {"queues", objects.queues.size()},
                      {"mems", objects.mems.size()},         {"samplers", objects.samplers.size()},
                      {"programs", objects.programs.size()}, {"kernels", objects.kernels.size()},
                      {"events", objects.events.size()}};
    json calls_made = json::object();
    json beyond = json::array();
    for (size_t i = 0; i < functions.size(); ++i) {
        if (calls[i] == 0) continue;
        calls_made[std::string(functions[i].name)] = calls[i].load();
        if (functions[i].version > version) beyond.push_back(std::string(functions[i].name));
    }
    report["calls"] = calls_made;
    report["calls_beyond_version"] = beyond;
    report["refusals"] = json::array();
    for (const auto& [sentence, note] : notes_) {
        report["refusals"].push_back({{"place", note.place},
                                      {"error", note.error},
                                      {"sentence", sentence},
                                      {"times", note.times}});
    }
    return report.dump(2) + "\n";
}

}  // namespace glint::layer
