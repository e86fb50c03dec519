// glintd --probe: what this machine offers, for a person or as JSON.
#pragma once

namespace glint {

/// Needs no bus and no configuration. Returns the exit code: 0 if a GPU or a stand-in serves, 1 if
/// only the CPU can.
int run_probe(bool json);

}  // namespace glint
