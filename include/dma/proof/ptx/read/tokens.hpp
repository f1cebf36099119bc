#pragma once

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

/// PTX as text becomes a `Module`, whose entries an emulated thread runs.
namespace dma::inline v0_1::proof::ptx::detail {

/// A place in the text of a module, counted from 1.
struct Position {
  int line = 1;
  int column = 1;
};

/// A text that is no PTX, or PTX that this reader does not take. The message has the line and the column.
class SyntaxError : public std::runtime_error {
 public:
  SyntaxError(const std::string& what, Position at)
      : std::runtime_error("line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ": " + what),
        message_(what),
        position_(at) {}
  [[nodiscard]] Position position() const noexcept { return position_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }  ///< without the position

 private:
  std::string message_;
  Position position_;
};

/// The value of a number: the bits of an integer, of a single (`0f`) or of a double.
struct Number {
  std::uint64_t bits = 0;
  bool is_single = false;
  bool is_double = false;
};

/// A word, a number, a text in quotes or a sign.
struct Token {
  enum class Kind : unsigned char { end, word, number, text, sign };

  Kind kind = Kind::end;
  std::string_view text = {};
  Position position = {};
  Number number = {};

  [[nodiscard]] bool is(std::string_view expected) const noexcept {
    return (kind == Kind::word || kind == Kind::sign) && text == expected;
  }
};

/// The words, numbers and signs of a text. A word has its dots: `ld.global.v4.f32`, `%tid.x`, `.reg`.
class Tokens {
 public:
  enum class Of : unsigned char { ptx, launches };

  /// @param text  exists as long as the tokens
  explicit Tokens(std::string_view text, Of of = Of::ptx) : text_(text) {
    text_ = text_.substr(0, text_.find_last_not_of('\0') + 1);  // NVRTC's size of a text counts its end
    remedy_ = of == Of::launches ? "; write a launch as dma-prove --help has it" : "; give PTX as a compiler writes it";
    now_ = read();
    next_ = read();
  }

  [[nodiscard]] const Token& now() const noexcept { return now_; }
  [[nodiscard]] const Token& next() const noexcept { return next_; }
  Token take() {
    Token taken = now_;
    now_ = next_;
    next_ = read();
    return taken;
  }
  [[nodiscard]] bool takes(std::string_view expected) {
    const bool is_it = now_.is(expected);
    if (is_it) {
      take();
    }
    return is_it;
  }
  void expect(std::string_view expected) {
    if (!takes(expected)) {
      reject("'" + std::string(expected) + "' is missing before " + name_of(now_) + remedy_);
    }
  }
  [[nodiscard]] Token take_word(const char* what) {
    if (now_.kind != Token::Kind::word) {
      reject(std::string(what) + " is missing before " + name_of(now_) + remedy_);
    }
    return take();
  }
  /// A number of at most `most`, where the text has one.
  [[nodiscard]] std::uint64_t take_count(const char* what, std::uint64_t most) {
    if (now_.kind != Token::Kind::number || now_.number.is_double || now_.number.is_single) {
      reject(std::string(what) + " is missing before " + name_of(now_) + remedy_);
    }
    if (now_.number.bits > most) {
      reject(std::string(what) + " is " + std::string(now_.text) + ", and at most " + std::to_string(most) +
             " are possible; write a smaller number");
    }
    return take().number.bits;
  }
  [[noreturn]] void reject(const std::string& what) const { throw SyntaxError(what, now_.position); }
  [[nodiscard]] static std::string name_of(const Token& token) {
    constexpr std::size_t most = 40;
    return token.kind == Token::Kind::end ? "the end of the text" : "'" + std::string(token.text.substr(0, most)) + "'";
  }

 private:
  static constexpr std::size_t most_characters = 1 << 16;  ///< of a word, which messages may have

  [[nodiscard]] static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  [[nodiscard]] static bool begins_word(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' || c == '.';
  }
  [[nodiscard]] char at(std::size_t ahead = 0) const noexcept {
    return ahead < text_.size() - place_ ? text_[place_ + ahead] : '\0';
  }
  void advance() noexcept {
    if (text_[place_] == '\n') {
      ++here_.line;
      here_.column = 0;
    }
    ++here_.column;
    ++place_;
  }
  void skip_blanks() {
    while (place_ < text_.size()) {
      const char c = at();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
        advance();
      } else if (c == '/' && at(1) == '/') {
        while (place_ < text_.size() && at() != '\n') {
          advance();
        }
      } else if (c == '/' && at(1) == '*') {
        const Position began = here_;
        const std::size_t end = text_.find("*/", place_ + 2);
        if (end == std::string_view::npos) {
          throw SyntaxError("a comment has no end; write */ behind it", began);
        }
        while (place_ < end + 2) {
          advance();
        }
      } else {
        return;
      }
    }
  }
  [[nodiscard]] Token read() {
    skip_blanks();
    Token token{.position = here_};
    const std::size_t first = place_;
    if (place_ == text_.size()) {
      return token;
    }
    const char c = at();
    if (is_digit(c)) {
      token.kind = Token::Kind::number;
      read_number(first, token);
    } else if (begins_word(c)) {
      token.kind = Token::Kind::word;
      while (begins_word(at()) || is_digit(at()) ||
             (at() == ':' && at(1) == ':' && (begins_word(at(2)) || is_digit(at(2))))) {
        if (at() == ':') {
          advance();
        }
        advance();
      }
    } else if (c == '"') {
      token.kind = Token::Kind::text;
      read_text(token.position);
    } else {
      token.kind = Token::Kind::sign;
      advance();
    }
    token.text = text_.substr(first, place_ - first);
    if (token.text.size() > most_characters) {
      throw SyntaxError("'" + std::string(token.text.substr(0, 40)) + "...' has more than " +
                            std::to_string(most_characters) + " characters; write a shorter one",
                        token.position);
    }
    return token;
  }
  void read_text(Position began) {
    do {
      if (at() == '\\' && at(1) != '\0') {
        advance();
      }
      advance();
      if (place_ == text_.size() || at() == '\n') {
        throw SyntaxError("a text in quotes has no end; write \" behind it", began);
      }
    } while (at() != '"');
    advance();
  }
  void read_number(std::size_t first, Token& token) {
    const auto is_part = [&](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    bool has_point = false;
    while (is_part(at()) || (at() == '.' && is_digit(at(1))) ||
           ((at() == '-' || at() == '+') && has_point && (text_[place_ - 1] == 'e' || text_[place_ - 1] == 'E'))) {
      has_point = has_point || at() == '.';
      advance();
    }
    std::string digits(text_.substr(first, place_ - first));
    const char kind = digits.size() > 1 && digits[0] == '0' ? digits[1] : ' ';
    char* end = nullptr;
    errno = 0;
    if (kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D') {
      token.number.is_single = kind == 'f' || kind == 'F';
      token.number.is_double = !token.number.is_single;
      token.number.bits = std::strtoull(digits.c_str() + 2, &end, 16);
      if (digits.size() != (token.number.is_single ? 10U : 18U)) {
        throw SyntaxError(
            "the number " + digits + " has another number of digits; write 8 of them behind 0f, or 16 behind 0d",
            token.position);
      }
    } else if (has_point && kind != 'x' && kind != 'X') {
      token.number.is_double = true;
      if (digits.back() == 'f' || digits.back() == 'F') {
        digits.pop_back();  // As C++ writes a single: in a launch.
      }
      token.number.bits = std::bit_cast<std::uint64_t>(std::strtod(digits.c_str(), &end));
    } else {
      if (digits.back() == 'U' || digits.back() == 'u') {
        digits.pop_back();
      }
      const bool is_binary = kind == 'b' || kind == 'B';
      const int base = is_binary ? 2 : kind == 'x' || kind == 'X' ? 16 : kind >= '0' && kind <= '9' ? 8 : 10;
      token.number.bits = std::strtoull(digits.c_str() + (is_binary ? 2 : 0), &end, base);
      if (errno == ERANGE) {
        throw SyntaxError("'" + digits.substr(0, 40) + "' has more than 64 bits; write a smaller number",
                          token.position);
      }
    }
    if (end == nullptr || *end != '\0') {
      throw SyntaxError("'" + digits.substr(0, 40) + "' is no number; write 8, 0x1f, 1.5 or 0f3f800000",
                        token.position);
    }
  }

  std::string_view text_;
  const char* remedy_;  ///< where something is missing
  std::size_t place_ = 0;
  Position here_;
  Token now_, next_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
