// Picture files: headers as text, then the file as a source whose frames are read and read again.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "tests/fuzz/input.hpp"
#include "zero_copy/file_source.hpp"
#include "zero_copy/picture_file.hpp"

using namespace glint::zero_copy;
using glint::fuzz::Input;
using glint::fuzz::require;

namespace {

void check_layout(const FrameLayout& layout) {
    require(layout.width >= 1 && layout.width <= max_dimension && layout.height >= 1 &&
                layout.height <= max_dimension,
            "a size is in its limits");
    for (uint32_t i = 0; i < layout.plane_count; ++i) {
        const PlaneLayout& plane = layout.planes[i];
        require(plane.row_bytes <= plane.stride_bytes, "a row fits into its stride");
        require(plane.offset_bytes + uint64_t{plane.stride_bytes} * plane.rows <= layout.size_bytes,
                "a plane lies in its frame");
    }
}

void check_header(std::string_view text, PictureHeader (*parse)(std::string_view)) {
    try {
        const PictureHeader header = parse(text);
        check_layout(header.layout);
        require(header.header_bytes <= std::min(text.size(), max_header_bytes),
                "a header ends in the file");
        require(header.rate >= 0 && header.rate <= 1e9, "a rate is a number");
    } catch (const PictureFileError&) {
    }
}

/// What the configuration says of the file; a raw one needs all of it.
SourceRequest take_request(Input& input) {
    enum Said : uint8_t { size = 1, format = 2, stride = 4, rate = 8, range = 16 };
    SourceRequest request;
    const auto said = input.take<uint8_t>();
    if ((said & size) != 0) {
        request.width = input.take<uint16_t>();
        request.height = input.take<uint16_t>();
    }
    if ((said & format) != 0) {
        request.format = all_formats()[input.below(all_formats().size())].format;
    }
    if ((said & stride) != 0) request.stride_bytes = input.take<uint16_t>();
    if ((said & rate) != 0) request.rate = 1 + static_cast<double>(input.take<uint8_t>());
    if ((said & range) != 0) request.range = Range::limited;
    return request;
}

UniqueFd file_of(std::string_view bytes) {
    UniqueFd file(::memfd_create("fuzz-picture", MFD_CLOEXEC));
    require(file.valid(), "there is a file");
    require(::write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "the file has its bytes");
    return file;
}

void read_frames(Source& source, size_t file_bytes) {
    const FrameLayout& layout = source.layout();
    check_layout(layout);
    require(layout.size_bytes <= file_bytes, "a frame lies in the file");
    const std::vector<FrameMemory> buffers = source.allocate(Transport::host_pages, min_buffers);
    source.start(buffers);
    for (uint32_t i = 0; i < 2 * min_buffers; ++i) {
        const uint32_t slot = i % min_buffers;
        (void)source.read({.slot = slot});
        const auto behind = buffers[slot].bytes().subspan(layout.size_bytes);
        require(std::ranges::all_of(behind, [](uint8_t byte) { return byte == 0; }),
                "nothing is written behind the frame");
    }
    source.stop();
}

void play(std::string_view bytes, SourceRequest request) {
    const UniqueFd file = file_of(bytes);
    request.source = fmt::format("file:/proc/self/fd/{}", file.get());
    try {
        read_frames(*open_source(request), bytes.size());
    } catch (const SourceError&) {
    } catch (const std::system_error&) {
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Input input(data, size);
    const SourceRequest request = take_request(input);
    check_header(input.rest_text(), parse_y4m);
    check_header(input.rest_text(), parse_pgm);
    require(y4m_frame_header_bytes(input.rest_text()) <= input.rest().size(),
            "a frame's header ends in the text");
    play(input.rest_text(), request);
    return 0;
}
