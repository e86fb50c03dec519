// Rows of a picture into a PNG file.
#pragma once

#include <png.h>

#include <cstdint>
#include <cstdio>

namespace glint::tools {

enum class PngSamples { grey8, grey16, rgb8 };

/// libpng reports errors by longjmp. Each step sets its own landing place and holds no object that
/// a jump would leave undestroyed; what went wrong waits in text_. Throws std::runtime_error.
class PngWriter {
  public:
    PngWriter();
    ~PngWriter();
    PngWriter(const PngWriter&) = delete;
    PngWriter& operator=(const PngWriter&) = delete;

    void begin(std::FILE* stream, PngSamples samples, std::uint32_t width, std::uint32_t height);
    /// 16-bit samples have their most significant byte first.
    void row(const std::uint8_t* bytes);
    void end();

  private:
    [[noreturn]] static void on_error(png_structp png, png_const_charp text);
    static void on_warning(png_structp, png_const_charp) {}
    [[noreturn]] void give_up() const;

    png_structp png_;
    png_infop info_ = nullptr;
    char text_[128] = "";
    int errno_ = 0;
};

}  // namespace glint::tools
