#include "tools/ctl/mask_png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "tools/ctl/failure.hpp"

namespace glint::ctl {
namespace {

struct Close {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
};
using Stream = std::unique_ptr<std::FILE, Close>;

Stream open(const std::string& file) {
    Stream stream(std::fopen(file.c_str(), "rbe"));
    if (!stream) throw Failure(fmt::format("{} cannot be opened: {}", file, std::strerror(errno)));
    return stream;
}

std::string_view colours_of(int type) {
    switch (type) {
        case PNG_COLOR_TYPE_GRAY_ALPHA:
            return "grey with alpha";
        case PNG_COLOR_TYPE_PALETTE:
            return "a palette of colours";
        case PNG_COLOR_TYPE_RGB:
            return "RGB colours";
        case PNG_COLOR_TYPE_RGB_ALPHA:
            return "RGB colours with alpha";
        default:
            return "unknown colours";
    }
}

// libpng reports errors by longjmp. Each step sets its own landing place and holds no object that
// a jump would leave undestroyed; what went wrong waits in text_.
class GreyPngReader {
  public:
    GreyPngReader(const std::string& file, std::FILE* stream)
        : file_(file),
          stream_(stream),
          png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning)) {
        if (png_ != nullptr) info_ = png_create_info_struct(png_);
        if (info_ == nullptr) {
            png_destroy_read_struct(&png_, nullptr, nullptr);
            throw Failure("no memory for libpng");
        }
    }
    ~GreyPngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
    GreyPngReader(const GreyPngReader&) = delete;
    GreyPngReader& operator=(const GreyPngReader&) = delete;

    // Throws unless the file is a picture in grey of this size.
    void read_header(std::uint32_t width, std::uint32_t height) {
        check_signature();
        read_info();
        const int type = png_get_color_type(png_, info_);
        if (type != PNG_COLOR_TYPE_GRAY)
            throw Failure(
                fmt::format("{} holds {}: a mask is a PNG in grey without alpha, save it as that",
                            file_, colours_of(type)));
        const std::uint32_t columns = png_get_image_width(png_, info_);
        const std::uint32_t rows = png_get_image_height(png_, info_);
        if (columns != width || rows != height)
            throw Failure(fmt::format("{} has {}x{} pixels, the frames {}x{}: a mask has as many",
                                      file_, columns, rows, width, height));
        expand();
    }

    std::size_t row_bytes() const { return png_get_rowbytes(png_, info_); }

    void read_rows(png_bytepp rows) {
        if (setjmp(png_jmpbuf(png_)) != 0) give_up();
        errno = 0;
        png_read_image(png_, rows);
        png_read_end(png_, nullptr);
    }

  private:
    void check_signature() {
        std::array<png_byte, 8> signature{};
        errno = 0;
        const std::size_t got = std::fread(signature.data(), 1, signature.size(), stream_);
        if (std::ferror(stream_) != 0)
            throw Failure(fmt::format("{} cannot be read: {}", file_, std::strerror(errno)));
        if (png_sig_cmp(signature.data(), 0, signature.size()) != 0 || got < signature.size())
            throw Failure(fmt::format("{} is no PNG file", file_));
    }

    void read_info() {
        if (setjmp(png_jmpbuf(png_)) != 0) give_up();
        errno = 0;
        png_init_io(png_, stream_);
        png_set_sig_bytes(png_, 8);
        png_read_info(png_, info_);
    }

    // To a byte a pixel. Depth 16 keeps both bytes: the smallest sample is not 0.
    void expand() {
        if (setjmp(png_jmpbuf(png_)) != 0) give_up();
        png_set_expand_gray_1_2_4_to_8(png_);
        png_set_interlace_handling(png_);
        png_read_update_info(png_, info_);
    }

    [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
        auto* self = static_cast<GreyPngReader*>(png_get_error_ptr(png));
        self->errno_ = errno;
        std::snprintf(self->text_, sizeof self->text_, "%s", text);
        png_longjmp(png, 1);
    }
    static void on_warning(png_structp, png_const_charp) {}

    [[noreturn]] void give_up() const {
        if (errno_ != 0)
            throw Failure(fmt::format("{} cannot be read: {}", file_, std::strerror(errno_)));
        throw Failure(fmt::format("{} is a damaged PNG file: {}", file_, text_));
    }

    const std::string& file_;
    std::FILE* stream_;
    png_structp png_;
    png_infop info_ = nullptr;
    char text_[128] = "";
    int errno_ = 0;
};

}  // namespace

std::vector<std::uint8_t> read_mask_png(const std::string& file, std::uint32_t width,
                                        std::uint32_t height) {
    const Stream stream = open(file);
    GreyPngReader reader(file, stream.get());
    reader.read_header(width, height);
    const std::size_t stride = reader.row_bytes();
    std::vector<std::uint8_t> samples(stride * height);
    std::vector<png_bytep> rows;
    for (std::uint32_t y = 0; y < height; ++y) rows.push_back(samples.data() + y * stride);
    reader.read_rows(rows.data());
    if (stride == width) return samples;
    // Two bytes a pixel.
    std::vector<std::uint8_t> mask(samples.size() / 2);
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = samples[2 * i] | samples[2 * i + 1];
    return mask;
}

}  // namespace glint::ctl
