// Every variant that the device may run, on every kind of frame. Names:
//   histogram/SET/VARIANT/PICTURE/FORMAT/WxH[/STRIDE][/TUNABLE:VALUE]
//   FILTER/SET/VARIANT/FORMAT/WxH[/STRIDE][/TUNABLE:VALUE...]
#include <fmt/format.h>

#include "tools/bench/suite.hpp"

namespace glint::bench {
namespace {

using kernels::Operator;
using kernels::Variant;

/// A frame that rows are about, not made yet.
struct FrameKind {
    NamedFormat format;
    Size size;
    Stride stride;

    [[nodiscard]] std::string text() const {
        std::string result = fmt::format("{}/{}", format.name, text_of(size));
        if (stride != Stride::tight) result += fmt::format("/{}", name_of(stride));
        return result;
    }
};

std::string text_of(const gpu::TunableValues& tunables) {
    std::string result;
    for (const auto& [name, value] : tunables) result += fmt::format("/{}:{}", name, value);
    return result;
}

void add_histogram(Suite& suite, const Variant& variant, const FrameKind& kind,
                   const gpu::TunableValues& tunables) {
    for (const Picture picture : {Picture::noise, Picture::smooth}) {
        add_row(fmt::format("histogram/{}/{}/{}/{}{}", kernels::name_of(variant.set), variant.name,
                            name_of(picture), kind.text(), text_of(tunables)),
                [&suite, &variant, kind, picture, tunables] {
                    const Frame frame =
                        make_frame(kind.format.format, kind.size, kind.stride, picture);
                    return measure(suite.device, suite.ceilings,
                                   suite.variants.histogram(variant, frame, tunables));
                });
    }
}

void add_convolution(Suite& suite, const Variant& variant, const FrameKind& kind,
                     const gpu::TunableValues& tunables) {
    for (const NamedFilter& entry : filters()) {
        if (!takes(variant, entry.filter)) continue;
        add_row(fmt::format("{}/{}/{}/{}{}", entry.name, kernels::name_of(variant.set),
                            variant.name, kind.text(), text_of(tunables)),
                [&suite, &variant, kind, &entry, tunables] {
                    const Frame frame =
                        make_frame(kind.format.format, kind.size, kind.stride, Picture::noise);
                    return measure(
                        suite.device, suite.ceilings,
                        suite.variants.convolution(variant, frame, entry.filter, tunables));
                });
    }
}

void add_variant(Suite& suite, const Variant& variant, const FrameKind& kind,
                 const gpu::TunableValues& tunables = {}) {
    if (variant.op == Operator::histogram) add_histogram(suite, variant, kind, tunables);
    if (variant.op == Operator::convolution) add_convolution(suite, variant, kind, tunables);
}

/// By default tight grey frames; with --all each format and, of grey, each stride.
std::vector<FrameKind> kinds(bool all) {
    std::vector<FrameKind> result;
    for (const Size size : sizes) {
        for (const NamedFormat& format : formats) {
            for (const Stride stride : strides) {
                const bool grey = format.format == zero_copy::PixelFormat::grey;
                const bool plain = grey && stride == Stride::tight;
                if (plain || (all && (grey || stride == Stride::tight)))
                    result.push_back({format, size, stride});
            }
        }
    }
    return result;
}

/// Every value of one tunable that shapes the work-group, the others at their defaults.
void add_blocks(Suite& suite, const Variant& variant) {
    const FrameKind kind{formats[0], middle_size, Stride::tight};
    for (const kernels::Tunable& tunable : variant.tunables) {
        if (!tunable.name.starts_with("LOCAL")) continue;
        for (const int32_t value : tunable.candidates) {
            add_variant(suite, variant, kind, {{std::string(tunable.name), value}});
        }
    }
}

}  // namespace

void add_matrix(Suite& suite) {
    std::vector<const Variant*> legal;
    for (const Variant& variant : kernels::catalogue()) {
        if (gpu::why_illegal(variant.needs, suite.device.traits()).empty())
            legal.push_back(&variant);
    }
    for (const FrameKind& kind : kinds(suite.all)) {
        for (const Variant* variant : legal) add_variant(suite, *variant, kind);
    }
    if (!suite.all) return;
    for (const Variant* variant : legal) add_blocks(suite, *variant);
}

}  // namespace glint::bench
