// Every variant that the device may run, with every task that it takes, on every kind of frame.
// Names:
//   histogram/SET/VARIANT/PICTURE/FORMAT/WxH[/STRIDE][/TUNABLE:VALUE]
//   TASK/SET/VARIANT/FORMAT/WxH[/STRIDE][/TUNABLE:VALUE...]
#include <fmt/format.h>

#include "tools/bench/suite.hpp"

namespace glint::bench {
namespace {

using kernels::Variant;

std::string text_of(const gpu::TunableValues& tunables) {
    std::string result;
    for (const auto& [name, value] : tunables) result += fmt::format("/{}:{}", name, value);
    return result;
}

void add_task(Suite& suite, const Variant& variant, const tools::Task& task, const FrameKind& kind,
              const gpu::TunableValues& tunables = {}) {
    for (const Picture picture : pictures_of(task)) {
        add_row(
            fmt::format("{}/{}/{}/{}{}{}", task.name, kernels::name_of(variant.set), variant.name,
                        picture_text(task, picture), text_of(task, kind), text_of(tunables)),
            [&suite, &variant, &task, kind, picture, tunables] {
                const Frame frame = make_frame(task, kind, picture);
                return measure(suite.device, suite.ceilings,
                               suite.variants.job(variant, task, frame, tunables));
            });
    }
}

/// Every value of one tunable that shapes the work-group, the others at their defaults.
void add_blocks(Suite& suite, const Variant& variant, const tools::Task& task,
                const FrameKind& kind) {
    for (const kernels::Tunable& tunable : variant.tunables) {
        if (!tunable.name.starts_with("LOCAL")) continue;
        for (const int32_t value : tunable.candidates) {
            add_task(suite, variant, task, kind, {{std::string(tunable.name), value}});
        }
    }
}

/// Calls use(variant, task, kind) for every row that there is with or without --all.
template <typename Use>
void for_each_row(const Suite& suite, bool all, const Use& use) {
    for (const FrameKind& kind : frame_kinds()) {
        for (const Variant& variant : kernels::catalogue()) {
            if (!gpu::why_illegal(variant.needs, suite.device.traits()).empty()) continue;
            for (const tools::Task& task : tools::tasks()) {
                if (takes(variant, task) && is_measured_on(task, kind, all)) {
                    use(variant, task, kind);
                }
            }
        }
    }
}

}  // namespace

void add_matrix(Suite& suite) {
    for_each_row(suite, suite.all,
                 [&](const Variant& variant, const tools::Task& task, const FrameKind& kind) {
                     add_task(suite, variant, task, kind);
                 });
    if (!suite.all) return;
    for_each_row(suite, false,
                 [&](const Variant& variant, const tools::Task& task, const FrameKind& kind) {
                     if (kind.size.width != middle_size.width) return;
                     add_blocks(suite, variant, task, kind);
                 });
}

}  // namespace glint::bench
