// A regular expression with Java's meaning, run by PCRE2.
//
// HBase compiles patterns with Java's flag DOTALL and looks for a match anywhere in the cell's bytes, read as
// UTF-8. Most of the language means the same in both engines. compile() parses the pattern itself and accepts
// only that common subset:
//
//   literals, dot, alternatives, classes with ranges, \d \w \s \D \W \S
//   groups: capturing, named, not capturing, atomic; lookahead and lookbehind
//   quantifiers, also lazy and possessive; \1 to \9, \k<name>
//   \t \n \r \f \a \e \xHH \x{H...}, \Q...\E, and a backslash before a character that is no letter or digit
//   ^ \A $ \Z \z
//
// `$` and `\Z` are rewritten, as Java has other line terminators than PCRE2. Everything else is an error by
// name: inline flags, \b, \p, \u, \c, octal numbers, nested classes, ...
//
// Bytes that are not UTF-8 are read as U+FFFD, one for each maximal invalid sequence, like Java's decoder.
//
// Source: java.util.regex.Pattern (Java 17) and pcre2pattern(3), release 10.42.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::table {

// Replaces invalid UTF-8 by U+FFFD.
std::string valid_utf8(std::string_view bytes);

// Returns the pattern for PCRE2. Errors: kUnsupported, kInvalidArgument, with the byte offset in the pattern.
Result<std::string> pcre2_pattern_of(std::string_view java);

class JavaPattern {
 public:
  static Result<JavaPattern> compile(std::string_view pattern);

  // Errors: kCapacity if the search needs more steps than PCRE2 allows. Thread-safe.
  Result<bool> is_found_in(std::string_view bytes) const;
  const std::string& text() const { return text_; }

 private:
  JavaPattern(std::string text, std::shared_ptr<const void> code)
      : text_(std::move(text)), code_(std::move(code)) {}

  std::string text_;
  std::shared_ptr<const void> code_;  // pcre2_code
};

}  // namespace bloomery::table
