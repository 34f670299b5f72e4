// An Error describes a failure outside the program: damaged bytes, a failing disk, an invalid argument.
//
// Example:
//    const auto filter = AnyFilter::open("no such file");
//    if (!filter) {
//      const bool is_missing = filter.error().code() == ErrorCode::kNotFound;   // for the program
//      std::cerr << filter.error().to_string() << "\n";                         // for the person
//    }
//
// An Error is a value. Its subject is a file or a section of a format; its offset, if known, is a byte
// offset in the subject. Its detail is a sentence that says what was expected and what was found. A broken
// precondition is not an Error; it is asserted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace bloomery {

enum class ErrorCode {
  kCorruption,       // bytes that no writer of the format produces
  kUnsupported,      // well-formed, but of a version, type or hash that this build does not know
  kInvalidArgument,  // a value from outside that no call can serve
  kNotFound,         // a file that does not exist
  kIo,               // the operating system refused
  kCapacity,         // more keys or memory than allowed or available
};

// Returns the name that messages use, for example "corruption".
const char* error_code_name(ErrorCode code);

class Error {
 public:
  Error(ErrorCode code, std::string subject, std::string detail)
      : code_(code), subject_(std::move(subject)), detail_(std::move(detail)) {}

  static Error corruption(std::string subject, std::uint64_t offset, std::string detail);
  // Makes a kCorruption whose detail is "expected <expected>, found <found>".
  static Error corruption(std::string subject, std::uint64_t offset, const std::string& expected,
                          const std::string& found);
  // Makes a kCorruption whose detail is "<field>: expected <expected>, found <found>".
  static Error corrupt_field(std::string subject, std::uint64_t offset, const std::string& field,
                             const std::string& expected, const std::string& found);
  static Error unsupported(std::string subject, std::uint64_t offset, std::string detail);
  static Error invalid_argument(std::string subject, std::string detail);
  static Error capacity(std::string subject, std::string detail);
  // Converts the errno of a failed call: ENOENT becomes kNotFound, every other value kIo.
  static Error io(std::string subject, const std::string& operation, int errno_value);
  // Makes kIo with EWOULDBLOCK: the file's lock is held by another process, or elsewhere in this one.
  static Error in_use(std::string subject);

  ErrorCode code() const { return code_; }
  // Returns the file or the section of a format that the error is about.
  const std::string& subject() const { return subject_; }
  // Returns the byte offset from the start of the file, if it is known.
  std::optional<std::uint64_t> offset() const { return offset_; }
  const std::string& detail() const { return detail_; }
  // Returns the errno of the failed call. Some errors set it although no system call failed:
  //
  //   kInvalidArgument, EEXIST   the file exists and may not be replaced
  //   kIo, EWOULDBLOCK           another process updates or replaces the file (in_use())
  //   kIo, ESTALE                the file has changed since it was read; saving would undo that change
  //
  // It is 0 for all others.
  int errno_value() const { return errno_value_; }

  // These two overloads accept `found` as a number.
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

  // Returns the same error with the subject prefixed by `file`: "file: subject".
  Error in_file(const std::string& file) const;

  // Returns the same error with another code, for example when a rule of a format rejects a caller's
  // argument.
  Error with_code(ErrorCode code) const;
  // Returns the same error with an errno, so that a program can tell it from others of its code.
  Error with_errno(int errno_value) const;

  // Returns, for example, "keys.bloom: native header: at byte 12: expected ..., found ... (corruption)".
  std::string to_string() const;

 private:
  ErrorCode code_;
  std::string subject_;
  std::string detail_;
  std::optional<std::uint64_t> offset_;
  int errno_value_ = 0;
};

}  // namespace bloomery
