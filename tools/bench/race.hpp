// Ways of doing the same work, one row each, run in turn.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/bench/registry.hpp"

namespace glint::bench {

/// One way.
struct Entrant {
    Contender run;        ///< empty: it takes no part, because of
    std::string skipped;  ///< this
    double bytes = 0;     ///< moved by one run; 0: no GB/s is shown
    std::string label;
};

struct EntrantName {
    std::string name;
    bool reference = false;  ///< every row shows how many times this one's time it took
};

/// One Entrant for each name, in the same order; called when the first row's turn comes, and the
/// result let go once all have run.
using SetUp = std::function<std::vector<Entrant>()>;

/// Adds the rows PREFIX/NAME. All entrants run when the first row is asked for, the other rows
/// report from the same rounds; a row asked for twice (repetitions) begins new rounds.
void add_race(const std::string& prefix, std::vector<EntrantName> names, SetUp set_up,
              const Budget& budget = {});

}  // namespace glint::bench
