// A file that appears under its name whole or not at all.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace glint::tools {

/// Written beside its target and renamed over it. Everything throws std::runtime_error with the
/// path and the system's reason.
class NewFile {
  public:
    /// Throws too when the target is there and no regular file.
    explicit NewFile(std::string target);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    [[nodiscard]] std::FILE* stream() const { return stream_.get(); }
    void commit();

  private:
    struct Close {
        void operator()(std::FILE* stream) const { std::fclose(stream); }
    };
    std::string target_;
    std::string temporary_;
    std::unique_ptr<std::FILE, Close> stream_;
};

/// All of `text` as a new file.
void write_new_file(const std::string& target, std::string_view text);

}  // namespace glint::tools
