// The GPU as the service uses it: a device, and for each operator the variants that passed.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/gpu/built_variant.hpp"
#include "daemon/gpu/operators.hpp"
#include "daemon/gpu/refusal.hpp"
#include "daemon/gpu/tuning.hpp"

namespace glint::gpu {

/// What the configuration says about the choice.
struct RuntimeRequest {
    std::string device_pattern = "*";
    std::optional<kernels::Set> only;             ///< kernels = "ep" or "fp"
    std::map<std::string, std::string> pinned;    ///< operator -> variant, or "cpu"
    std::set<std::string, std::less<>> excluded;  ///< "operator/variant": failed while in service
    std::string cache_folder;
    std::vector<std::filesystem::path> tuning_files;  ///< later ones over earlier ones
};

/// A built and proven variant with the reason it was chosen.
struct Choice {
    std::shared_ptr<const BuiltVariant> built;  ///< null: no OpenCL variant serves
    std::string source;                         ///< "tuned", "default", "fallback" or "measured"
    std::string reason;
    /// The cpu variant is measured faster and serves; `built` is what it was compared with.
    bool on_cpu = false;
};

struct Choices {
    Choice histogram;
    Choice sharpness;
    Choice sobel;
    /// In order of preference; the first that accepts a filter serves it.
    std::vector<Choice> convolutions;

    /// What serves the filter; null: the cpu variant.
    [[nodiscard]] const Choice* choice_for(const Filter& filter) const;
};

/// What serves float filters of one size; without a build, or on_cpu, the cpu variant.
struct FloatChoice {
    Choice choice;
    std::vector<Refusal> refused;  ///< of the device, those on the way to this choice among them
};

/// Shared by the loop and the builder; what is public never changes after bring_up().
struct Runtime {
    Context context;
    QueueHandle queue;  ///< for frames; the loop thread's
    RuntimeRequest request;
    Tuning tuning;
    std::vector<std::string> tuning_problems;  ///< a line for each file that cannot be used
    Choices by_default;                        ///< for frame sizes that were not measured
    std::vector<Refusal> refused;
    std::string cache_problem;  ///< empty unless the program cache cannot be written
    std::shared_ptr<const BuiltProgram> pattern;

    Runtime(Device device, RuntimeRequest asked)
        : context(std::move(device)), queue(context.make_queue()), request(std::move(asked)) {}

    /// What serves frames of one size. The builder's alone: the first call for a size builds and
    /// checks what was measured for it, and takes as long as that takes.
    [[nodiscard]] const Choices& choices_for(FrameSize size) const;
    /// The chosen histogram for `bins` bins, or the next that takes so many: built and put to its
    /// known-answer test if they are not the usual 256. Blocks; for the builder. Throws BuildError
    /// or ClError.
    [[nodiscard]] std::shared_ptr<const BuiltVariant> histogram_build(const Choice& choice,
                                                                      uint32_t bins) const;
    /// What serves float filters of `filter_size` rows in frames of one size. The builder's alone:
    /// these are built and checked when first asked for, each size for itself.
    [[nodiscard]] const FloatChoice& float_choice_for(FrameSize size, uint32_t filter_size) const;
    /// Puts every build of a variant that may be in service to its known-answer test once more; the
    /// builder's alone too. Returns what differed, or an empty text.
    [[nodiscard]] std::string recheck(const std::string& op, const std::string& variant) const;

  private:
    mutable std::map<FrameSize, Choices> by_size_;  ///< the builder's
    /// Likewise; by the filter's size too.
    mutable std::map<std::pair<FrameSize, uint32_t>, FloatChoice> of_floats_;
};

/// Chooses a device, builds what its profile allows down to the first variant of each operator that
/// serves everything, and puts each to its known-answer test; reads the tuning files. Blocks for
/// seconds to minutes. Null when no device matches the pattern. Throws ClError or BuildError when
/// the device does not work.
[[nodiscard]] std::shared_ptr<const Runtime> bring_up(const RuntimeRequest& request);

/// The known-answer test of one build. Returns what differed, or an empty text.
[[nodiscard]] std::string recheck(const Context& context,
                                  const std::shared_ptr<const BuiltVariant>& built);

}  // namespace glint::gpu
