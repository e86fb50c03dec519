#include "tools/png_writer.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace glint::tools {

PngWriter::PngWriter()
    : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning)) {
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
        png_destroy_write_struct(&png_, nullptr);
        throw std::runtime_error("no memory for libpng");
    }
}

PngWriter::~PngWriter() {
    png_destroy_write_struct(&png_, &info_);
}

void PngWriter::begin(std::FILE* stream, PngSamples samples, std::uint32_t width,
                      std::uint32_t height) {
    const int depth = samples == PngSamples::grey16 ? 16 : 8;
    const int type = samples == PngSamples::rgb8 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY;
    if (setjmp(png_jmpbuf(png_)) != 0) give_up();
    png_init_io(png_, stream);
    // Small boards wait for zlib, and noise does not compress anyway.
    png_set_compression_level(png_, 3);
    png_set_IHDR(png_, info_, width, height, depth, type, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
}

void PngWriter::row(const std::uint8_t* bytes) {
    if (setjmp(png_jmpbuf(png_)) != 0) give_up();
    errno = 0;
    png_write_row(png_, bytes);
}

void PngWriter::end() {
    if (setjmp(png_jmpbuf(png_)) != 0) give_up();
    errno = 0;
    png_write_end(png_, nullptr);
}

void PngWriter::on_error(png_structp png, png_const_charp text) {
    auto* self = static_cast<PngWriter*>(png_get_error_ptr(png));
    self->errno_ = errno;
    std::snprintf(self->text_, sizeof self->text_, "%s", text);
    png_longjmp(png, 1);
}

void PngWriter::give_up() const {
    throw std::runtime_error(fmt::format("the PNG cannot be written: {} ({})", text_,
                                         errno_ != 0 ? std::strerror(errno_) : "no system error"));
}

}  // namespace glint::tools
