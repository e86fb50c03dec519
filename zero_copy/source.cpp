#include "zero_copy/source.hpp"

#include <fmt/format.h>

#include "zero_copy/file_source.hpp"
#include "zero_copy/test_source.hpp"

namespace glint::zero_copy {
namespace {

constexpr std::string_view test_prefix = "test:";
constexpr std::string_view file_prefix = "file:";
constexpr uint32_t test_width = 640;
constexpr uint32_t test_height = 480;

std::unique_ptr<Source> open_test(const SourceRequest& request) {
    const auto pattern = parse_pattern(std::string_view(request.source).substr(test_prefix.size()));
    const PixelFormat format = request.format.value_or(PixelFormat::grey);
    const uint32_t width = request.width.value_or(test_width);
    try {
        FrameLayout layout =
            make_layout(format, width, request.height.value_or(test_height),
                        request.stride_bytes.value_or(preferred_stride(format, width)));
        layout.range = request.range.value_or(Range::full);
        return std::make_unique<TestSource>(pattern.value(), layout,
                                            request.rate.value_or(default_rate));
    } catch (const LayoutError& error) {
        throw SourceError(SourceError::Kind::format,
                          fmt::format("{}: {}", request.source, error.what()));
    }
}

}  // namespace

std::string check_source_text(std::string_view source) {
    if (source.starts_with(test_prefix)) {
        if (parse_pattern(source.substr(test_prefix.size()))) return {};
        return fmt::format("test: takes one of {}", pattern_names);
    }
    if (source.starts_with(file_prefix)) {
        return source.size() > file_prefix.size() ? "" : "file: needs a path";
    }
    return "allowed are test:PATTERN and file:PATH";
}

std::unique_ptr<Source> open_source(const SourceRequest& request) {
    if (const std::string wrong = check_source_text(request.source); !wrong.empty()) {
        throw SourceError(SourceError::Kind::format,
                          fmt::format("source \"{}\": {}", request.source, wrong));
    }
    if (request.source.starts_with(test_prefix)) return open_test(request);
    return FileSource::open(request.source.substr(file_prefix.size()), request);
}

}  // namespace glint::zero_copy
