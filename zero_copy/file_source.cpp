#include "zero_copy/file_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace glint::zero_copy {
namespace {

/// Reads until `size` bytes, the end of the file or an error; returns the bytes read.
size_t read_fully(int fd, uint8_t* to, size_t size, uint64_t offset) noexcept {
    size_t done = 0;
    while (done < size) {
        const ssize_t got = ::pread(fd, to + done, size - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += static_cast<size_t>(got);
    }
    return done;
}

std::string read_start(int fd, uint64_t offset, size_t size) {
    std::string start(size, '\0');
    start.resize(read_fully(fd, reinterpret_cast<uint8_t*>(start.data()), size, offset));
    return start;
}

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
    throw SourceError(SourceError::Kind::format, fmt::format("{}: {}", path, why));
}

UniqueFd open_file(const std::string& path, uint64_t& size) {
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!file.valid()) {
        throw SourceError(SourceError::Kind::absent,
                          fmt::format("cannot open {}: {}", path, std::strerror(errno)));
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
        refuse(path, "not a regular file");
    }
    size = static_cast<uint64_t>(status.st_size);
    if (size == 0) refuse(path, "the file is empty");
    return file;
}

PictureHeader raw_header(const std::string& path, const SourceRequest& request) {
    if (!request.width || !request.height || !request.format) {
        refuse(path, "neither Y4M nor binary PGM; a raw file needs width, height and format");
    }
    try {
        return {.layout = make_layout(*request.format, *request.width, *request.height,
                                      request.stride_bytes.value_or(0))};
    } catch (const LayoutError& error) {
        refuse(path, error.what());
    }
}

PictureHeader read_header(int file, const std::string& path, const SourceRequest& request) {
    const std::string start = read_start(file, 0, max_header_bytes);
    try {
        if (looks_like_y4m(start)) return parse_y4m(start);
        if (looks_like_pgm(start)) return parse_pgm(start);
    } catch (const PictureFileError& error) {
        refuse(path, error.what());
    }
    return raw_header(path, request);
}

/// A header that describes itself wins over the configuration, which must then agree.
void check_agreement(const std::string& path, const FrameLayout& layout,
                     const SourceRequest& request) {
    if ((request.width && *request.width != layout.width) ||
        (request.height && *request.height != layout.height)) {
        refuse(path,
               fmt::format("the configuration asks for {}x{}, the file offers {}x{}",
                           request.width.value_or(layout.width),
                           request.height.value_or(layout.height), layout.width, layout.height));
    }
    if (request.format && *request.format != layout.format) {
        refuse(path, fmt::format("the configuration asks for {}, the file offers {}",
                                 info(*request.format).fourcc, info(layout.format).fourcc));
    }
}

void check_first_frame(int file, const std::string& path, const PictureHeader& header,
                       uint64_t file_bytes) {
    uint64_t pixels_at = header.header_bytes;
    if (header.frame_headers) {
        const size_t frame_header =
            y4m_frame_header_bytes(read_start(file, header.header_bytes, max_header_bytes));
        if (frame_header == 0) refuse(path, "no FRAME line after the header");
        pixels_at += frame_header;
    }
    const FrameLayout& layout = header.layout;
    if (pixels_at + layout.size_bytes > file_bytes) {
        refuse(path, fmt::format("{}x{} {} takes {} bytes a frame, but only {} follow the header",
                                 layout.width, layout.height, info(layout.format).fourcc,
                                 layout.size_bytes, file_bytes - std::min(file_bytes, pixels_at)));
    }
}

}  // namespace

std::unique_ptr<FileSource> FileSource::open(const std::string& path,
                                             const SourceRequest& request) {
    uint64_t file_bytes = 0;
    UniqueFd file = open_file(path, file_bytes);
    PictureHeader header = read_header(file.get(), path, request);
    check_agreement(path, header.layout, request);
    check_first_frame(file.get(), path, header, file_bytes);
    if (request.range) header.layout.range = *request.range;
    const double file_rate = header.rate > 0 ? header.rate : default_rate;
    return std::unique_ptr<FileSource>(
        new FileSource(std::move(file), header, request.rate.value_or(file_rate)));
}

FileSource::FileSource(UniqueFd file, const PictureHeader& header, double rate)
    : PacedSource(header.layout, rate),
      file_(std::move(file)),
      header_(header),
      next_offset_(header.header_bytes) {}

bool FileSource::read(const Captured& frame) noexcept {
    if (read_once(pixels(frame.slot))) return true;
    // The end of the file, or a last frame that was cut short: start over, once.
    const bool was_at_start = next_offset_ == header_.header_bytes;
    next_offset_ = header_.header_bytes;
    return !was_at_start && read_once(pixels(frame.slot));
}

bool FileSource::read_once(uint8_t* pixels) noexcept {
    uint64_t at = next_offset_;
    if (header_.frame_headers) {
        std::array<char, max_header_bytes> line{};
        const size_t got =
            read_fully(file_.get(), reinterpret_cast<uint8_t*>(line.data()), line.size(), at);
        const size_t frame_header = y4m_frame_header_bytes({line.data(), got});
        if (frame_header == 0) return false;
        at += frame_header;
    }
    const size_t size = header_.layout.size_bytes;
    if (read_fully(file_.get(), pixels, size, at) != size) return false;
    next_offset_ = at + size;
    return true;
}

}  // namespace glint::zero_copy
