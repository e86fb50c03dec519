#include "tools/tune/ranking.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

namespace glint::tune {
namespace {

bool is_out(const Row& row) {
    return row.ms <= 0;
}

std::string head_text(const Ranking& ranking, size_t label_width) {
    std::string text = fmt::format("  {:<{}}{:>10}{:>8}", ranking.head, label_width, "ms", "GB/s");
    if (ranking.operations != 0) text += fmt::format("{:>9}", ranking.operations_unit);
    return text + fmt::format("{:>10}\n", "relative");
}

std::string row_text(const Ranking& ranking, const Row& row, size_t label_width) {
    if (is_out(row)) return fmt::format("  {:<{}}  {}\n", row.label(), label_width, row.note);
    std::string rates = fmt::format("{:>8.2f}", ranking.gigabytes_per_second(row));
    if (ranking.operations != 0)
        rates += fmt::format("{:>9.2f}", ranking.gigaoperations_per_second(row));
    return fmt::format("  {:<{}}{:>10.4f}{}{:>10.2f}  {}\n", row.label(), label_width, row.ms,
                       rates, row.relative, row.note);
}

toml::table row_table(const Ranking& ranking, const Row& row) {
    toml::table table{{"work_group", row.work_group}, {"tunables", row.others}, {"note", row.note}};
    if (is_out(row)) return table;
    table.insert("ms", row.ms);
    table.insert("relative", row.relative);
    table.insert("gb_per_s", ranking.gigabytes_per_second(row));
    if (ranking.operations != 0) table.insert("gop_per_s", ranking.gigaoperations_per_second(row));
    return table;
}

}  // namespace

void sort_by_time(Ranking& ranking) {
    std::ranges::stable_sort(ranking.rows, [](const Row& a, const Row& b) {
        return is_out(a) != is_out(b) ? is_out(b) : a.relative < b.relative;
    });
}

std::string table_text(const Ranking& ranking) {
    size_t width = std::string_view(ranking.head).size();
    for (const Row& row : ranking.rows) width = std::max(width, row.label().size());
    std::string text = ranking.title + "\n";
    if (!ranking.rows.empty()) text += head_text(ranking, width);
    for (const Row& row : ranking.rows) text += row_text(ranking, row, width);
    for (const std::string& sentence : ranking.verdict) text += fmt::format("  {}\n", sentence);
    return text + "\n";
}

std::string json_text(const Machine& machine, const std::vector<Ranking>& rankings) {
    toml::array list;
    for (const Ranking& ranking : rankings) {
        toml::array rows;
        for (const Row& row : ranking.rows) rows.push_back(row_table(ranking, row));
        toml::array verdict;
        for (const std::string& sentence : ranking.verdict) verdict.push_back(sentence);
        list.push_back(toml::table{{"title", ranking.title},
                                   {"operations_unit", ranking.operations_unit},
                                   {"rows", std::move(rows)},
                                   {"verdict", std::move(verdict)}});
    }
    const toml::table report{{"device", machine.device},
                             {"driver", machine.driver},
                             {"platform", machine.platform},
                             {"rankings", std::move(list)}};
    std::ostringstream text;
    text << toml::json_formatter{report} << '\n';
    return text.str();
}

}  // namespace glint::tune
