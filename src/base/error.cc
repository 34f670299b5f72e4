#include "bloomery/base/error.h"

#include <cerrno>

#include <system_error>

namespace bloomery {

const char* error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCorruption:
      return "corruption";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kIo:
      return "I/O error";
    case ErrorCode::kCapacity:
      return "capacity";
  }
  return "unknown";
}

Error Error::corruption(std::string subject, std::uint64_t offset, std::string detail) {
  Error error(ErrorCode::kCorruption, std::move(subject), std::move(detail));
  error.offset_ = offset;
  return error;
}

Error Error::corruption(std::string subject, std::uint64_t offset, const std::string& expected,
                        const std::string& found) {
  return corruption(std::move(subject), offset, "expected " + expected + ", found " + found);
}

Error Error::corrupt_field(std::string subject, std::uint64_t offset, const std::string& field,
                           const std::string& expected, const std::string& found) {
  return corruption(std::move(subject), offset, field + ": expected " + expected + ", found " + found);
}

Error Error::unsupported(std::string subject, std::uint64_t offset, std::string detail) {
  Error error(ErrorCode::kUnsupported, std::move(subject), std::move(detail));
  error.offset_ = offset;
  return error;
}

Error Error::invalid_argument(std::string subject, std::string detail) {
  return Error(ErrorCode::kInvalidArgument, std::move(subject), std::move(detail));
}

Error Error::capacity(std::string subject, std::string detail) {
  return Error(ErrorCode::kCapacity, std::move(subject), std::move(detail));
}

Error Error::io(std::string subject, const std::string& operation, int errno_value) {
  const ErrorCode code = errno_value == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
  Error error(code, std::move(subject), operation + ": " + std::generic_category().message(errno_value));
  error.errno_value_ = errno_value;
  return error;
}

Error Error::in_use(std::string subject) {
  Error error(ErrorCode::kIo, std::move(subject), "in use: another process updates or replaces it");
  error.errno_value_ = EWOULDBLOCK;
  return error;
}

Error Error::in_file(const std::string& file) const {
  Error error = *this;
  error.subject_ = subject_.empty() ? file : file + ": " + subject_;
  return error;
}

Error Error::with_code(ErrorCode code) const {
  Error error = *this;
  error.code_ = code;
  return error;
}

Error Error::with_errno(int errno_value) const {
  Error error = *this;
  error.errno_value_ = errno_value;
  return error;
}

std::string Error::to_string() const {
  std::string text = subject_;
  if (offset_) {
    text += ": at byte " + std::to_string(*offset_);
  }
  return text + ": " + detail_ + " (" + error_code_name(code_) + ")";
}

}  // namespace bloomery
