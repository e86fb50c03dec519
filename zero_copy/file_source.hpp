// "file:PATH": a clip or a still played in a loop at the asked rate, as if a camera sent it.
#pragma once

#include <memory>

#include "zero_copy/paced_source.hpp"
#include "zero_copy/picture_file.hpp"

namespace glint::zero_copy {

/// Reads each frame from the file straight into the frame's memory: the read is the camera. Y4M and
/// PGM describe themselves; any other file is raw and needs width, height and format.
class FileSource final : public PacedSource {
  public:
    /// Throws SourceError.
    [[nodiscard]] static std::unique_ptr<FileSource> open(const std::string& path,
                                                          const SourceRequest& request);
    [[nodiscard]] bool read(const Captured& frame) noexcept override;

  private:
    FileSource(UniqueFd file, const PictureHeader& header, double rate);
    [[nodiscard]] bool read_once(uint8_t* pixels) noexcept;

    UniqueFd file_;
    PictureHeader header_;
    uint64_t next_offset_;  ///< touched by read() only
};

}  // namespace glint::zero_copy
