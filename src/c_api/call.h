// The boundary of the C interface: the handling of errors, exceptions, and structs that state their size.
//
//   failed()        keeps an error as the last one of this thread, and returns its code
//   guarded()       runs a call, and converts exceptions to errors
//   read_struct()   copies a struct from the caller, whose header may be older or newer than ours
//   write_struct()  fills a struct of the caller
//
// Both libraries of the interface keep errors in one place, bloomery_set_error() of the library bloomery.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery.h"
#include "bloomery/base/error.h"
#include "bloomery/base/result.h"

namespace bloomery::c_api {

// Returns the number of a code in the C header.
int number_of(ErrorCode code);

int failed(const Error& error);
int failed(int code, std::string_view subject, std::string_view detail);
inline int failed_argument(std::string_view subject, std::string_view detail) {
  return failed(BLOOMERY_INVALID_ARGUMENT, subject, detail);
}
int failed_handle(std::string_view type);

// Returns the status as the return value of a call.
inline int result_of(const Status& status) {
  return status ? static_cast<int>(BLOOMERY_OK) : failed(status.error());
}

// Runs `call`, which returns an int. Precondition: an exception from it leaves nothing half changed.
template <typename Call>
int guarded(const Call& call) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return bloomery_set_error(BLOOMERY_CAPACITY, "memory: the machine lacks the memory (capacity)", "memory",
                              BLOOMERY_NO_OFFSET, 0);
  } catch (const std::length_error&) {
    return bloomery_set_error(BLOOMERY_CAPACITY, "memory: expected a size that memory can have (capacity)",
                              "memory", BLOOMERY_NO_OFFSET, 0);
  } catch (const std::exception& exception) {
    return bloomery_set_error(BLOOMERY_INTERNAL, exception.what(), "bloomery", BLOOMERY_NO_OFFSET, 0);
  } catch (...) {
    return bloomery_set_error(BLOOMERY_INTERNAL, "unknown exception", "bloomery", BLOOMERY_NO_OFFSET, 0);
  }
}

// Copies `given` to `read`, whose other fields stay unchanged. A shorter struct comes from an older header. A
// longer struct comes from a newer header, and its further fields must be 0, since this library would ignore
// them. Null means the defaults with IfNull::kDefault. Errors: kInvalidArgument, kUnsupported.
enum class IfNull { kDefault, kRefuse };
Status read_bytes(std::span<std::byte> read, const void* given, const char* name, IfNull if_null);
template <typename Struct>
Status read_struct(Struct& read, const Struct* given, const char* name, IfNull if_null = IfNull::kRefuse) {
  return read_bytes(std::as_writable_bytes(std::span(&read, 1)), given, name, if_null);
}

// Copies as much of `facts` as fits to the caller's struct. Its size stays unchanged.
Status write_bytes(void* out, std::span<const std::byte> facts, const char* name);
template <typename Struct>
Status write_struct(Struct* out, const Struct& facts, const char* name) {
  return write_bytes(out, std::as_bytes(std::span(&facts, 1)), name);
}

// Copies bytes to memory that bloomery_free() frees. Errors: kCapacity.
Status give_bytes(std::string_view bytes, void** out, std::size_t* count);

inline bool is_key(const void* key, std::size_t length) {
  return key != nullptr || length == 0;
}
inline Status check_bytes(const bloomery_bytes& bytes, const char* name) {
  return is_key(bytes.data, bytes.length)
             ? Status()
             : Status(Error::invalid_argument(name, "expected bytes, found null"));
}
// Returns a view of the caller's key. Precondition: is_key(bytes, length).
inline std::string_view view_of(const void* bytes, std::size_t length) {
  return length == 0 ? std::string_view() : std::string_view(static_cast<const char*>(bytes), length);
}
// Returns views of the caller's texts, the parts of a key. Errors: kInvalidArgument for null.
inline Result<std::vector<std::string_view>> views_of_texts(const char* const* texts,
                                                            const std::size_t* lengths, std::size_t parts) {
  std::vector<std::string_view> views(parts);
  for (std::size_t i = 0; i < parts; ++i) {
    if (!is_key(texts[i], lengths[i])) {
      return Error::invalid_argument("texts", "expected a text, found null");
    }
    views[i] = view_of(texts[i], lengths[i]);
  }
  return views;
}

}  // namespace bloomery::c_api
