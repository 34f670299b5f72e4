#include "c_api/call.h"

#include <cstdint>
#include <limits>

namespace bloomery::c_api {
namespace {

// No struct of the interface comes near this size; a larger value means that the size was never set.
constexpr std::size_t kMostStructBytes = 4096;

std::size_t size_field(const void* given) {
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof(size));
  return size;
}

Status check_size(std::size_t size, const char* name) {
  if (size >= sizeof(std::size_t) && size <= kMostStructBytes) {
    return {};
  }
  return Error::invalid_argument(
      name, "size: expected sizeof of the struct, found " + std::to_string(size) + " (start from its INIT)");
}

}  // namespace

int number_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCorruption:
      return BLOOMERY_CORRUPTION;
    case ErrorCode::kUnsupported:
      return BLOOMERY_UNSUPPORTED;
    case ErrorCode::kInvalidArgument:
      return BLOOMERY_INVALID_ARGUMENT;
    case ErrorCode::kNotFound:
      return BLOOMERY_NOT_FOUND;
    case ErrorCode::kIo:
      return BLOOMERY_IO;
    case ErrorCode::kCapacity:
      return BLOOMERY_CAPACITY;
  }
  return BLOOMERY_INTERNAL;
}

int failed(const Error& error) {
  return bloomery_set_error(number_of(error.code()), error.to_string().c_str(), error.subject().c_str(),
                            error.offset().value_or(BLOOMERY_NO_OFFSET), error.errno_value());
}

int failed(int code, std::string_view subject, std::string_view detail) {
  const std::string file(subject);
  const std::string message = file + ": " + std::string(detail) + " (" + bloomery_error_name(code) + ")";
  return bloomery_set_error(code, message.c_str(), file.c_str(), BLOOMERY_NO_OFFSET, 0);
}

int failed_handle(std::string_view type) {
  return failed(BLOOMERY_BAD_HANDLE, type,
                "expected an open handle, found none, a closed one, or another type");
}

Status read_bytes(std::span<std::byte> read, const void* given, const char* name, IfNull if_null) {
  if (given == nullptr) {
    return if_null == IfNull::kDefault
               ? Status()
               : Status(Error::invalid_argument(name, "expected a struct, found null"));
  }
  const std::size_t size = size_field(given);
  BLOOMERY_RETURN_IF_ERROR(check_size(size, name));
  const auto bytes = std::span(static_cast<const std::byte*>(given), size);
  for (const std::byte byte : bytes.subspan(std::min(size, read.size()))) {
    if (byte != std::byte{0}) {
      return Error(ErrorCode::kUnsupported, name, "an option that this library does not know is not 0");
    }
  }
  std::memcpy(read.data(), given, std::min(size, read.size()));
  return {};
}

Status write_bytes(void* out, std::span<const std::byte> facts, const char* name) {
  if (out == nullptr) {
    return Error::invalid_argument(name, "expected a struct, found null");
  }
  const std::size_t size = size_field(out);
  BLOOMERY_RETURN_IF_ERROR(check_size(size, name));
  std::memcpy(static_cast<std::byte*>(out) + sizeof(size), facts.data() + sizeof(size),
              std::min(size, facts.size()) - sizeof(size));
  return {};
}

Status give_bytes(std::string_view bytes, void** out, std::size_t* count) {
  if (out == nullptr || count == nullptr) {
    return Error::invalid_argument("bytes", "expected a place for pointer and size, found null");
  }
  void* memory = bloomery_allocate(bytes.size());
  if (memory == nullptr) {
    return Error::capacity("memory", "needs " + std::to_string(bytes.size()) + " bytes, found none");
  }
  if (!bytes.empty()) {
    std::memcpy(memory, bytes.data(), bytes.size());
  }
  *out = memory;
  *count = bytes.size();
  return {};
}

}  // namespace bloomery::c_api
