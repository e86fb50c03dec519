#include "tests/layer/compiler/tokens.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace glint::layer::compiler {
namespace {

bool starts_word(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool in_word(char c) {
    return starts_word(c) || is_digit(c);
}

class Tokenizer {
  public:
    explicit Tokenizer(std::string_view text) : text_(text) {}

    std::vector<Token> run() {
        while (at_ < text_.size()) step();
        return std::move(tokens_);
    }

  private:
    void step() {
        const char c = text_[at_];
        if (c == '\n') {
            ++line_;
            ++at_;
            line_start_ = true;
        } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            ++at_;
        } else if (c == '#' && line_start_) {
            directive();
        } else {
            line_start_ = false;
            token(c);
        }
    }

    void token(char c) {
        if (starts_word(c)) {
            take(Token::Kind::word, end_of_word());
        } else if (is_digit(c) || (c == '.' && is_digit(peek(at_ + 1)))) {
            take(Token::Kind::number, end_of_number());
        } else if (c == '"' || c == '\'') {
            take(Token::Kind::text, end_of_text(c));
        } else {
            take(Token::Kind::sign, at_ + 1);
        }
    }

    /// `# 12 "file"` numbers the line after it; other directives that are left say nothing.
    void directive() {
        const size_t end = std::min(text_.find('\n', at_), text_.size());
        const size_t number = text_.find_first_not_of(" \t", at_ + 1);
        uint32_t line = 0;
        if (number < end &&
            std::from_chars(text_.data() + number, text_.data() + end, line).ec == std::errc()) {
            line_ = line - 1;
        }
        at_ = end;
    }

    [[nodiscard]] size_t end_of_word() const {
        size_t end = at_;
        while (in_word(peek(end))) ++end;
        return end;
    }

    /// A preprocessing number: letters, digits, dots, and a sign after an exponent's letter.
    [[nodiscard]] size_t end_of_number() const {
        size_t end = at_ + 1;
        for (;; ++end) {
            const char c = peek(end);
            if (in_word(c) || c == '.') continue;
            const bool exponent = std::string_view("eEpP").find(text_[end - 1]) < 4;
            if ((c == '+' || c == '-') && exponent && !hexadecimal_integer(end)) continue;
            return end;
        }
    }

    /// 0xe+1 is a sum for our purpose, though a strict preprocessor would glue it together.
    [[nodiscard]] bool hexadecimal_integer(size_t end) const {
        const char last = text_[end - 1];
        return text_[at_] == '0' && (peek(at_ + 1) | 0x20) == 'x' && (last == 'e' || last == 'E');
    }

    [[nodiscard]] size_t end_of_text(char quote) const {
        size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
            end += text_[end] == '\\' ? 2 : 1;
        }
        if (end >= text_.size()) return text_.size();
        return text_[end] == quote ? end + 1 : end;
    }

    [[nodiscard]] char peek(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

    void take(Token::Kind kind, size_t end) {
        tokens_.push_back({kind, std::string(text_.substr(at_, end - at_)), line_});
        at_ = end;
    }

    std::string_view text_;
    size_t at_ = 0;
    uint32_t line_ = 1;
    bool line_start_ = true;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view preprocessed) {
    return Tokenizer(preprocessed).run();
}

}  // namespace glint::layer::compiler
