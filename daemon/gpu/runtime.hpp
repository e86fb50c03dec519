// The GPU as the service uses it: a device, and for each operator the variants that passed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/gpu/built_variant.hpp"
#include "daemon/gpu/operators.hpp"
#include "daemon/gpu/refusal.hpp"

namespace glint::gpu {

/// What the configuration says about the choice.
struct RuntimeRequest {
    std::string device_pattern = "*";
    std::optional<kernels::Set> only;             ///< kernels = "ep" or "fp"
    std::map<std::string, std::string> pinned;    ///< operator -> variant, or "cpu"
    std::set<std::string, std::less<>> excluded;  ///< "operator/variant": failed while in service
    std::string cache_folder;
};

/// A built and proven variant with the reason it was chosen.
struct Choice {
    std::shared_ptr<const BuiltVariant> built;  ///< null: the cpu variant serves
    std::string source;                         ///< "default" or "fallback"
    std::string reason;
};

/// Immutable after bring_up(); shared by the loop and the builder.
struct Runtime {
    Context context;
    QueueHandle queue;  ///< for frames; the loop thread's
    Choice histogram;
    /// In order of preference; the first that accepts a filter serves it.
    std::vector<Choice> convolutions;
    std::vector<Refusal> refused;
    std::string cache_problem;  ///< empty unless the program cache cannot be written
    std::shared_ptr<const BuiltProgram> pattern;

    std::string cache_folder;

    explicit Runtime(Device device) : context(std::move(device)), queue(context.make_queue()) {}
    /// The histogram variant for `bins` bins: built and put to its known-answer test if they are
    /// not the usual 256. Blocks; for the builder. Throws BuildError or ClError.
    [[nodiscard]] std::shared_ptr<const BuiltVariant> histogram_build(uint32_t bins) const;
    [[nodiscard]] const Choice* convolution_for(const Filter& filter) const;
};

/// Chooses a device, builds what its profile allows down to the first variant of each operator that
/// serves everything, and puts each to its known-answer test. Blocks for seconds to minutes. Null
/// when no device matches the pattern. Throws ClError or BuildError when the device does not work.
[[nodiscard]] std::shared_ptr<const Runtime> bring_up(const RuntimeRequest& request);

/// Puts every chosen build of a variant to its known-answer test once more. Returns what differed,
/// or an empty text.
[[nodiscard]] std::string recheck(const Runtime& runtime, const std::string& op,
                                  const std::string& variant);
[[nodiscard]] std::string recheck(const Context& context,
                                  const std::shared_ptr<const BuiltVariant>& built);

}  // namespace glint::gpu
