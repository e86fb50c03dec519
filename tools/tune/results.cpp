// What the jobs have shown, as rankings.
#include <fmt/format.h>

#include <algorithm>

#include "tools/tune/tuner.hpp"

namespace glint::tune {
namespace {

std::string cpu_sentence(const Job& job) {
    const gpu::TunedVariant& result = *job.result;
    const kernels::Variant& variant = *kernels::find(job.key.op, job.key.variant);
    const char* consequence = is_served(variant) ? ": clearly faster, it will serve" : "";
    return fmt::format(
        "with both ways of the frame {:.3f} ms; the cpu variant, one thread, "
        "{:.3f} ms{}",
        result.wall_ms, result.cpu_ms, cpu_is_faster(result) ? consequence : "");
}

/// Compilers' logs have lines; a table's row is one.
std::string one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

std::string decision(const Job& job, const kernels::Variant& variant) {
    const gpu::TunedVariant& result = *job.result;
    if (result.tunables == job.defaults) {
        return fmt::format("the default is kept, nothing is clearly better: {:.4f} ms", result.ms);
    }
    const std::string others = others_text(variant, result.tunables);
    return fmt::format("chosen {}{}{}: {:.4f} ms against {:.4f} ms of the default, {:.0f} % less",
                       work_group_text(result.tunables), others.empty() ? "" : " ", others,
                       result.ms, result.default_ms, 100 * (1 - result.ms / result.default_ms));
}

/// Without rows.
Ranking empty_ranking(const Job& job) {
    const kernels::Variant& variant = *kernels::find(job.key.op, job.key.variant);
    const tools::Task& task = *tools::hardest_task(variant, job.filter_size);
    const tools::Cost cost = cost_of(task, tools::lane_for(task, job.key.size));
    return {.title = title_of(job),
            .bytes = cost.bytes(),
            .operations = 2 * cost.multiply_adds,
            .operations_unit = tools::is_of_floats(task) ? "GFLOP/s" : "Gop/s",
            .rows = {},
            .verdict = {}};
}

std::string winners_title(Job job) {
    job.key.variant = "variants";
    return title_of(job);
}

}  // namespace

Ranking ranking_of(const Job& job) {
    const kernels::Variant& variant = *kernels::find(job.key.op, job.key.variant);
    Ranking ranking = empty_ranking(job);
    // Each group of candidates met the machine in another mood; beside the default of their own
    // group all of them compare.
    const double default_ms = job.result           ? job.result->default_ms
                              : job.trials.empty() ? 0
                                                   : job.trials.front().default_ms;
    for (const Trial& trial : job.trials) {
        const double relative = trial.wrong.empty() ? trial.relative() : 0;
        Row row{.work_group = work_group_text(trial.values),
                .others = others_text(variant, trial.values),
                .ms = relative * default_ms,
                .relative = relative,
                .note = one_line(trial.wrong)};
        if (trial.values == job.defaults) row.note = "default";
        if (job.result && trial.values == job.result->tunables)
            row.note += row.note.empty() ? "chosen" : ", chosen";
        ranking.rows.push_back(std::move(row));
    }
    sort_by_time(ranking);
    if (job.result) ranking.verdict = {decision(job, variant), cpu_sentence(job)};
    if (!job.refused.empty())
        ranking.verdict = {"cannot be used on this device: " + one_line(job.refused)};
    return ranking;
}

std::vector<Ranking> winners_of(const std::vector<Job>& jobs) {
    std::vector<Ranking> result;
    for (const Job& job : jobs) {
        if (!job.result) continue;
        Ranking own = empty_ranking(job);
        own.title = winners_title(job);
        own.head = "variant";
        auto ranking = std::ranges::find(result, own.title, &Ranking::title);
        if (ranking == result.end()) {
            result.push_back(std::move(own));
            ranking = std::prev(result.end());
        } else if (ranking->operations != own.operations || ranking->bytes != own.bytes) {
            // Not the same task: a binomial needs less than any filter.
            ranking->operations = 0;
        }
        ranking->rows.push_back({.work_group = job.key.variant,
                                 .others = {},
                                 .ms = job.result->ms,
                                 .relative = job.result->ms,
                                 .note = cpu_is_faster(*job.result) ? "cpu is faster" : ""});
    }
    for (Ranking& ranking : result) {
        sort_by_time(ranking);
        const double fastest = ranking.rows.front().ms;
        for (Row& row : ranking.rows) row.relative = row.ms / fastest;
    }
    return result;
}

}  // namespace glint::tune
