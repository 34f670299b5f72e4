#include "table/filter/java_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <array>
#include <cctype>
#include <optional>
#include <pcre2.h>

#include "base/byte_text.h"
#include "base/message.h"
#include "hash/ascii_text.h"

namespace bloomery::table {
namespace {

constexpr const char* kPatternSubject = "regexstring comparator";

// The end of the text, or the position before a final line terminator, as Java defines line terminators.
constexpr std::string_view kJavaEnd =
    "(?:(?=\\r\\n\\z)|(?=[\\r\\x{85}\\x{2028}\\x{2029}]\\z)|(?<!\\r)(?=\\n\\z)|\\z)";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Parses a Java pattern from left to right and writes it for PCRE2.
class Translation {
 public:
  explicit Translation(std::string_view java) : java_(java) {}

  Result<std::string> run();

 private:
  bool at_end() const { return at_ == java_.size(); }
  bool next_is(std::string_view text) const { return java_.substr(at_).starts_with(text); }
  void copy(std::size_t count) {
    out_.append(java_.substr(at_, count));
    at_ += count;
  }
  Error unsupported(const std::string& what) const {
    return Error::unsupported(
        kPatternSubject, at_,
        message("expected a construct that means the same in Java and PCRE2, found ", what));
  }
  Error invalid(const std::string& what) const {
    return Error::invalid_argument(kPatternSubject, message("at byte ", at_, " of the pattern: ", what));
  }
  Status read_one();
  Status read_escape(bool in_class);
  Status read_hex();
  Status read_quoted();
  Status read_group();
  Status read_class();
  Status read_count();

  std::string_view java_;
  std::size_t at_ = 0;
  std::string out_;
};

Result<std::string> Translation::run() {
  while (!at_end()) {
    BLOOMERY_RETURN_IF_ERROR(read_one());
  }
  return out_;
}

Status Translation::read_one() {
  switch (java_[at_]) {
    case '\\':
      return read_escape(false);
    case '[':
      return read_class();
    case '(':
      return read_group();
    case '{':
      return invalid("a number of repetitions without anything before it");
    case '$':
      out_ += kJavaEnd;
      ++at_;
      return {};
    default:
      copy(1);
  }
  return next_is("{") ? read_count() : Status();
}

// Reads {n}, {n,} or {n,m}. PCRE2 treats other forms as literal text, and Java refuses them.
Status Translation::read_count() {
  const std::size_t begin = at_;
  std::size_t end = begin + 1;
  const auto skip_digits = [&] {
    const std::size_t from = end;
    while (end < java_.size() && is_ascii_digit(java_[end])) {
      ++end;
    }
    return end - from;
  };
  bool is_valid = skip_digits() > 0;
  if (is_valid && end < java_.size() && java_[end] == ',') {
    ++end;
    skip_digits();
  }
  is_valid = is_valid && end < java_.size() && java_[end] == '}';
  if (!is_valid) {
    return invalid("expected {n}, {n,} or {n,m}, found another brace");
  }
  copy(end + 1 - begin);
  return {};
}

Status Translation::read_hex() {
  std::size_t digits = 2;
  if (java_.substr(at_).starts_with("\\x{")) {
    const std::size_t end = java_.find('}', at_);
    digits = end == std::string_view::npos ? 0 : end - at_ - 3;
    for (std::size_t i = 0; i < digits; ++i) {
      if (std::isxdigit(static_cast<unsigned char>(java_[at_ + 3 + i])) == 0) {
        return invalid("expected hex digits in \\x{...}");
      }
    }
    if (digits == 0 || digits > 6) {
      return invalid("expected one to six hex digits in \\x{...}");
    }
    copy(digits + 4);
    return {};
  }
  for (std::size_t i = 0; i < digits; ++i) {
    if (at_ + 2 + i >= java_.size() || std::isxdigit(static_cast<unsigned char>(java_[at_ + 2 + i])) == 0) {
      return invalid("expected two hex digits behind \\x");
    }
  }
  copy(4);
  return {};
}

// Reads \Q...\E, and writes each byte as a literal.
Status Translation::read_quoted() {
  at_ += 2;
  while (!at_end() && !next_is("\\E")) {
    const char c = java_[at_];
    if (static_cast<unsigned char>(c) < 0x80 && !is_letter(c) && !is_ascii_digit(c)) {
      out_ += '\\';
    }
    copy(1);
  }
  at_ += at_end() ? 0U : 2U;
  return {};
}

Status Translation::read_escape(bool in_class) {
  if (at_ + 1 == java_.size()) {
    return invalid("expected a sign behind the last backslash");
  }
  const char c = java_[at_ + 1];
  const auto is_one_of = [&](std::string_view signs) { return signs.find(c) != std::string_view::npos; };
  const auto is_counted = [&] { return !in_class && next_is("{") ? read_count() : Status(); };
  if (c == 'x') {
    BLOOMERY_RETURN_IF_ERROR(read_hex());
    return is_counted();
  }
  if (!in_class && c == 'Q') {
    return read_quoted();
  }
  if (!in_class && c == 'Z') {
    out_ += kJavaEnd;
    at_ += 2;
    return {};
  }
  if (!in_class && c == 'k' && java_.substr(at_ + 2).starts_with("<")) {
    const std::size_t end = java_.find('>', at_);
    if (end == std::string_view::npos) {
      return invalid("expected > behind the name of a group");
    }
    copy(end + 1 - at_);
    return is_counted();
  }
  const bool is_reference =
      !in_class && c >= '1' && c <= '9' && (at_ + 2 == java_.size() || !is_ascii_digit(java_[at_ + 2]));
  const bool is_sign = static_cast<unsigned char>(c) < 0x80 && !is_letter(c) && !is_ascii_digit(c);
  if (!is_one_of("dDwWsStnrfae") && !(!in_class && is_one_of("Az")) && !is_reference && !is_sign) {
    return unsupported(message("\\", escape_bytes(std::string_view(&c, 1))));
  }
  copy(2);
  return is_counted();
}

Status Translation::read_group() {
  static constexpr std::array<std::string_view, 6> kKinds = {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>"};
  for (const std::string_view kind : kKinds) {
    if (next_is(kind)) {
      copy(kind.size());
      return {};
    }
  }
  if (next_is("(?<") && at_ + 3 < java_.size() && is_letter(java_[at_ + 3])) {
    copy(3);
    return {};
  }
  if (next_is("(?") || next_is("(*")) {
    return unsupported(escape_bytes(java_.substr(at_, 3)));
  }
  copy(1);
  return {};
}

Status Translation::read_class() {
  copy(1);
  if (next_is("^")) {
    copy(1);
  }
  if (next_is("]")) {
    return unsupported("] as the first sign of a class");
  }
  while (!at_end() && !next_is("]")) {
    if (next_is("[")) {
      return unsupported("a class inside a class");
    }
    if (next_is("&&")) {
      return unsupported("&& inside a class");
    }
    if (next_is("\\")) {
      const bool is_set =
          at_ + 1 < java_.size() && std::string_view("dDwWsS").find(java_[at_ + 1]) != std::string_view::npos;
      BLOOMERY_RETURN_IF_ERROR(read_escape(true));
      if (is_set && next_is("-") && !next_is("-]")) {
        return unsupported("a range that begins with a set");
      }
    } else {
      copy(1);
    }
  }
  if (at_end()) {
    return invalid("expected ] behind the class");
  }
  copy(1);
  return next_is("{") ? read_count() : Status();
}

// The size of the first character of `bytes`, and whether it is complete. A truncated or invalid sequence is
// as long as the longest valid start of a character.
struct Character {
  std::size_t size;
  bool is_whole;
};

Character first_character(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    return {1, true};
  }
  const std::size_t size = first >= 0xc2 && first < 0xe0   ? 2
                           : first >= 0xe0 && first < 0xf0 ? 3
                           : first >= 0xf0 && first < 0xf5 ? 4
                                                           : 0;
  if (size == 0) {
    return {1, false};
  }
  // The second byte is narrowed: no overlong forms, no surrogates, nothing above U+10FFFF.
  const unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  for (std::size_t i = 1; i < size; ++i) {
    const unsigned char low = i == 1 ? least : 0x80;
    const unsigned char high = i == 1 ? most : 0xbf;
    if (i == bytes.size() || byte(i) < low || byte(i) > high) {
      return {i, false};
    }
  }
  return {size, true};
}

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const Character character = first_character(bytes);
    text.append(character.is_whole ? bytes.substr(0, character.size) : std::string_view("\xef\xbf\xbd"));
    bytes.remove_prefix(character.size);
  }
  return text;
}

Result<std::string> pcre2_pattern_of(std::string_view java) {
  return Translation(java).run();
}

Result<JavaPattern> JavaPattern::compile(std::string_view pattern) {
  const std::string java = valid_utf8(pattern);
  BLOOMERY_ASSIGN_OR_RETURN(const std::string translated, pcre2_pattern_of(java));
  int code = 0;
  PCRE2_SIZE place = 0;
  pcre2_code* const compiled =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                    PCRE2_UTF | PCRE2_DOTALL | PCRE2_NO_UTF_CHECK, &code, &place, nullptr);
  if (compiled == nullptr) {
    std::array<PCRE2_UCHAR, 256> text = {};
    (void)pcre2_get_error_message(code, text.data(), text.size());
    return Error::invalid_argument(kPatternSubject,
                                   message("expected a pattern, found '", escape_bytes(java),
                                           "': ", reinterpret_cast<const char*>(text.data())));
  }
  return JavaPattern(java, std::shared_ptr<const void>(compiled, [](const void* owned) {
                       pcre2_code_free(static_cast<pcre2_code*>(const_cast<void*>(owned)));
                     }));
}

Result<bool> JavaPattern::is_found_in(std::string_view bytes) const {
  const std::string text = valid_utf8(bytes);
  const auto* const code = static_cast<const pcre2_code*>(code_.get());
  pcre2_match_data* const found = pcre2_match_data_create_from_pattern(code, nullptr);
  const int outcome = found == nullptr ? PCRE2_ERROR_NOMEMORY
                                       : pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()),
                                                     text.size(), 0, PCRE2_NO_UTF_CHECK, found, nullptr);
  pcre2_match_data_free(found);
  if (outcome >= 0) {
    return true;
  }
  if (outcome == PCRE2_ERROR_NOMATCH) {
    return false;
  }
  std::array<PCRE2_UCHAR, 256> reason = {};
  (void)pcre2_get_error_message(outcome, reason.data(), reason.size());
  return Error::capacity(kPatternSubject, message("the search for '", escape_bytes(text_), "' gave up: ",
                                                  reinterpret_cast<const char*>(reason.data())));
}

}  // namespace bloomery::table
