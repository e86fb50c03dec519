// What was asked of a fake capture driver, in order, as short texts that a test can search.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace glint::fakes::v4l2 {

/// "GREY" of V4L2_PIX_FMT_GREY, without the blanks at the end.
[[nodiscard]] std::string fourcc_text(uint32_t fourcc);
/// "S_FMT GREY 640x480", "REQBUFS mmap 5", "QBUF 2", "STREAMON"; for a request that no driver of
/// the kind knows its number.
[[nodiscard]] std::string request_text(unsigned long request, const void* argument);

/// A call that failed ends in its errno: "STREAMON: EPIPE".
class Log {
  public:
    /// `result`: negative errno value, else success.
    void add(std::string text, int result);
    void clear() { entries_.clear(); }
    [[nodiscard]] const std::vector<std::string>& entries() const { return entries_; }
    /// Entries that are `text`, or `text` and more words: "QBUF" counts every "QBUF 2". Failures
    /// count under their own text ("QBUF 2: EINVAL") only.
    [[nodiscard]] size_t times(std::string_view text) const;
    /// Empty if the texts occur one after the other, others between them; else the first that does
    /// not, with the whole log.
    [[nodiscard]] std::string missing_in_order(std::initializer_list<std::string_view> texts) const;

    std::function<void(const std::string&)> on_event;  ///< called with each entry

  private:
    std::vector<std::string> entries_;
};

}  // namespace glint::fakes::v4l2
