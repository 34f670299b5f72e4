// What went wrong with the world: damaged bytes, a failing disk, an argument from outside.
//
// An Error is a value: a code for the program, and for the person a subject (a file, a part of a format), the
// byte offset in it when there is one, and a sentence that says what was expected and what was found.
// Broken preconditions are not Errors; they are asserted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace bloomery {

enum class ErrorCode {
  kCorruption,       // bytes that no writer of the format can have left there
  kUnsupported,      // well-formed, but of a version, type or hash that this build does not know
  kInvalidArgument,  // a value from outside that no call can serve
  kNotFound,         // a file that does not exist
  kIo,               // the operating system refused
  kCapacity,         // more keys, or more memory, than was agreed or exists
};

// Returns the name that messages use, for example "corruption".
const char* error_code_name(ErrorCode code);

class Error {
 public:
  Error(ErrorCode code, std::string subject, std::string detail)
      : code_(code), subject_(std::move(subject)), detail_(std::move(detail)) {}

  static Error corruption(std::string subject, std::uint64_t offset, std::string detail);
  // Corruption whose detail is the sentence "expected <expected>, found <found>".
  static Error corruption(std::string subject, std::uint64_t offset, const std::string& expected,
                          const std::string& found);
  // The same with "<field>: " in front.
  static Error corrupt_field(std::string subject, std::uint64_t offset, const std::string& field,
                             const std::string& expected, const std::string& found);
  static Error unsupported(std::string subject, std::uint64_t offset, std::string detail);
  static Error invalid_argument(std::string subject, std::string detail);
  static Error capacity(std::string subject, std::string detail);
  // `errno_value` as the failed call left it; ENOENT becomes kNotFound, everything else kIo.
  static Error io(std::string subject, const std::string& operation, int errno_value);
  // kIo with EWOULDBLOCK: another process, or another part of this one, holds the file's lock.
  static Error in_use(std::string subject);

  ErrorCode code() const { return code_; }
  // The file or the part of a format that the error is about.
  const std::string& subject() const { return subject_; }
  // Byte offset from the start of the file, where one is known.
  std::optional<std::uint64_t> offset() const { return offset_; }
  const std::string& detail() const { return detail_; }
  // The errno of a failed call, 0 where none was involved.
  int errno_value() const { return errno_value_; }

  // As the functions of these names; `found` is a number.
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  static Error corruption(std::string subject, std::uint64_t offset, const std::string& expected,
                          Number found) {
    return corruption(std::move(subject), offset, expected, std::to_string(found));
  }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  static Error corrupt_field(std::string subject, std::uint64_t offset, const std::string& field,
                             const std::string& expected, Number found) {
    return corrupt_field(std::move(subject), offset, field, expected, std::to_string(found));
  }

  // The same error, with the subject put inside `file`: "file: subject".
  Error in_file(const std::string& file) const;

  // "keys.bloom: native header: at byte 12: expected ..., found ... (corruption)"
  std::string to_string() const;

 private:
  ErrorCode code_;
  std::string subject_;
  std::string detail_;
  std::optional<std::uint64_t> offset_;
  int errno_value_ = 0;
};

}  // namespace bloomery
