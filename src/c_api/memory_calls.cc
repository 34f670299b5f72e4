// Memory for callers, secrets, and the bytes of keys.
//
// A header with the source of the memory precedes each buffer for a caller:
//
//   | source, or null | bytes of header and buffer | the buffer |
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <forward_list>
#include <limits>
#include <memory>
#include <mutex>
#include <string>

#include "base/memory.h"
#include "bloomery/hash/hash_secret.h"
#include "bloomery/hash/key_form.h"
#include "c_api/call.h"

namespace bloomery::c_api {
namespace {

struct alignas(16) BufferHeader {
  const MemorySource* source;
  std::size_t bytes;
};

constexpr std::size_t kBufferAlignment = alignof(std::max_align_t);
static_assert(sizeof(BufferHeader) % kBufferAlignment == 0);

void copy_secret(const HashSecret& from, std::uint8_t* to) {
  std::ranges::copy(from.bytes, to);
}

int give_secret(const Result<HashSecret>& secret, std::uint8_t* out) {
  if (!secret) {
    return failed(secret.error());
  }
  copy_secret(*secret, out);
  return BLOOMERY_OK;
}

// A source is never freed, since its last buffer may be released at any time. There are few sources.
const MemorySource* kept_for_ever(const MemorySource& source) {
  static std::mutex mutex;
  static auto* const sources = new std::forward_list<MemorySource>();
  const std::lock_guard lock(mutex);
  return &sources->emplace_front(source);
}

}  // namespace
}  // namespace bloomery::c_api

using namespace bloomery;         // NOLINT(google-build-using-namespace): C names have no namespace
using namespace bloomery::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

int bloomery_set_allocator(const bloomery_allocator* allocator) {
  return guarded([&] {
    if (allocator == nullptr) {
      take_memory_from(nullptr);
      return static_cast<int>(BLOOMERY_OK);
    }
    bloomery_allocator read = {};
    if (const Status status = read_struct(read, allocator, "bloomery_allocator"); !status) {
      return failed(status.error());
    }
    if (read.allocate == nullptr || read.release == nullptr) {
      return failed_argument("bloomery_allocator", "expected two functions, found null");
    }
    take_memory_from(kept_for_ever({read.allocate, read.release, read.context}));
    return static_cast<int>(BLOOMERY_OK);
  });
}

void* bloomery_allocate(size_t bytes) {
  if (bytes > std::numeric_limits<std::ptrdiff_t>::max() - sizeof(BufferHeader)) {
    return nullptr;
  }
  const std::size_t all = bytes + sizeof(BufferHeader);
  const MemorySource* source = memory_source();
  void* memory =
      source == nullptr ? std::malloc(all) : source->allocate(all, kBufferAlignment, source->context);
  if (memory == nullptr) {
    return nullptr;
  }
  return new (memory) BufferHeader{source, all} + 1;
}

void bloomery_free(void* memory) {
  if (memory == nullptr) {
    return;
  }
  BufferHeader* header = static_cast<BufferHeader*>(memory) - 1;
  if (header->source == nullptr) {
    std::free(header);
  } else {
    header->source->release(header, header->bytes, header->source->context);
  }
}

int bloomery_secret_generate(uint8_t secret[BLOOMERY_SECRET_BYTES]) {
  return secret == nullptr ? failed_argument("secret", "expected a place for it, found null")
                           : guarded([&] { return give_secret(HashSecret::generate(), secret); });
}

int bloomery_secret_load(const char* path, uint8_t secret[BLOOMERY_SECRET_BYTES]) {
  return secret == nullptr || path == nullptr
             ? failed_argument("secret", "expected a path and a place for the secret, found null")
             : guarded([&] { return give_secret(HashSecret::load(path), secret); });
}

int bloomery_secret_save_new(const char* path, const uint8_t secret[BLOOMERY_SECRET_BYTES]) {
  if (secret == nullptr || path == nullptr) {
    return failed_argument("secret", "expected a path and a secret, found null");
  }
  return guarded([&] {
    HashSecret kept;
    std::copy_n(secret, kept.bytes.size(), kept.bytes.begin());
    return result_of(kept.save_new(path));
  });
}

int bloomery_key_of_text(int form, const char* text, size_t length, void** bytes, size_t* bytes_count) {
  if (form < 0 || form > static_cast<int>(kLastKeyForm) || !is_key(text, length)) {
    return failed_argument("text", "expected a form BLOOMERY_KEYS_... and a text, found another");
  }
  return guarded([&] {
    KeyWriter writer;
    const KeyTreatment treatment = {.form = static_cast<KeyForm>(form)};
    const Status made = append_formed(writer, view_of(text, length), treatment);
    if (!made) {
      return failed(made.error());
    }
    const auto key = writer.bytes();
    return result_of(give_bytes({reinterpret_cast<const char*>(key.data()), key.size()}, bytes, bytes_count));
  });
}

}  // extern "C"
