// The last error of each thread: the only state that both libraries of the interface share.
#include <array>
#include <cstring>
#include <string>

#include "bloomery.h"

namespace {

// The buffers are fixed: reporting a lack of memory allocates none.
struct LastError {
  std::array<char, 1024> message = {};
  std::array<char, 512> subject = {};
  bloomery_error error = {};
};

LastError& last_error() {
  static thread_local LastError last;
  return last;
}

// Copies as much as fits; a longer text ends with "...".
template <std::size_t N>
const char* keep(std::array<char, N>& room, const char* text) {
  const std::size_t length = text == nullptr ? 0 : std::strlen(text);
  const std::size_t kept = length < N ? length : N - 1;
  if (kept > 0) {
    std::memmove(room.data(), text, kept);  // the text may be the last error itself
  }
  if (kept < length) {
    std::memcpy(room.data() + kept - 3, "...", 3);
  }
  room[kept] = '\0';
  return room.data();
}

}  // namespace

extern "C" {

int bloomery_set_error(int code, const char* message, const char* subject, uint64_t offset, int errno_value) {
  LastError& last = last_error();
  last.error.size = sizeof(bloomery_error);
  last.error.code = code;
  last.error.errno_value = errno_value;
  last.error.message = keep(last.message, message);
  last.error.subject = keep(last.subject, subject);
  last.error.offset = offset;
  return code;
}

const bloomery_error* bloomery_last_error(void) {
  LastError& last = last_error();
  if (last.error.message == nullptr) {
    bloomery_set_error(BLOOMERY_OK, "", "", BLOOMERY_NO_OFFSET, 0);
  }
  return &last.error;
}

const char* bloomery_error_name(int code) {
  switch (code) {
    case BLOOMERY_OK:
      return "ok";
    case BLOOMERY_CORRUPTION:
      return "corruption";
    case BLOOMERY_UNSUPPORTED:
      return "unsupported";
    case BLOOMERY_INVALID_ARGUMENT:
      return "invalid argument";
    case BLOOMERY_NOT_FOUND:
      return "not found";
    case BLOOMERY_IO:
      return "i/o error";
    case BLOOMERY_CAPACITY:
      return "capacity";
    case BLOOMERY_FULL:
      return "full";
    case BLOOMERY_BAD_HANDLE:
      return "bad handle";
    case BLOOMERY_INTERNAL:
      return "internal";
    default:
      return "unknown";
  }
}

int bloomery_abi_version(void) {
  return BLOOMERY_ABI_VERSION;
}
const char* bloomery_version(void) {
  return BLOOMERY_VERSION;
}

}  // extern "C"
