// Ctrl-C and SIGTERM: asked for between two measurements, so that nothing is cut in two.
#pragma once

namespace glint::tune {

/// From now on the first SIGINT or SIGTERM only sets stop_signal(); a second one of the same kind
/// ends the process as usual, for compilers that hang.
void catch_stop_signals();

/// The signal that came, or 0.
[[nodiscard]] int stop_signal();

}  // namespace glint::tune
