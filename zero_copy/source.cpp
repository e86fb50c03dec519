#include "zero_copy/source.hpp"

#include <fmt/format.h>

#include "zero_copy/file_source.hpp"
#include "zero_copy/test_source.hpp"
#include "zero_copy/v4l2_source.hpp"

namespace glint::zero_copy {
namespace {

constexpr std::string_view test_prefix = "test:";
constexpr std::string_view file_prefix = "file:";
constexpr std::string_view v4l2_prefix = "v4l2:";
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
    if (source.starts_with(v4l2_prefix)) {
        return source.size() > v4l2_prefix.size()
                   ? ""
                   : "v4l2: needs a node, e.g. /dev/v4l/by-path/NAME, or the name of a media "
                     "entity";
    }
    return "allowed are test:PATTERN, file:PATH and v4l2:NODE";
}

std::string watched_path(std::string_view source) {
    if (source.starts_with(file_prefix)) return std::string(source.substr(file_prefix.size()));
    if (!source.starts_with(v4l2_prefix)) return {};
    const std::string_view node = source.substr(v4l2_prefix.size());
    return node.starts_with('/') ? std::string(node) : "/dev/video0";  // its folder is what counts
}

std::unique_ptr<Source> open_source(const SourceRequest& request, DeviceCalls& calls) {
    if (const std::string wrong = check_source_text(request.source); !wrong.empty()) {
        throw SourceError(SourceError::Kind::format,
                          fmt::format("source \"{}\": {}", request.source, wrong));
    }
    if (request.source.starts_with(test_prefix)) return open_test(request);
    if (request.source.starts_with(v4l2_prefix)) {
        return std::make_unique<V4l2Source>(calls, request.source.substr(v4l2_prefix.size()),
                                            request);
    }
    return FileSource::open(request.source.substr(file_prefix.size()), request);
}

}  // namespace glint::zero_copy
