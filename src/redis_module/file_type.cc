#include "redis_module/file_type.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/crc32c.h"
#include "hash/secret_text.h"
#include "redis_module/loaded_string.h"
#include "redis_module/memory_limit.h"

namespace bloomery::redis_module {
namespace {

constexpr const char* kFileTypeName = "bloomeryF";
constexpr int kFileEncoding = 1;

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): set once, when the module is loaded
DataType* the_file_type = nullptr;

const FileValue& file_value_of(const void* value) {
  return *static_cast<const FileValue*>(value);
}

const char* chars_of(std::span<const std::byte> bytes) {
  return reinterpret_cast<const char*>(bytes.data());
}

// Calls use(offset, bytes) for consecutive chunks of the loaded bytes.
template <typename Use>
void for_each_file_piece(const FileValue& value, Use use) {
  for (std::uint64_t at = 0; at < value.taken(); at += kMostChunkBytes) {
    use(at, value.read(at, std::min(kMostChunkBytes, value.taken() - at)));
  }
}

// NOLINTNEXTLINE(bugprone-exception-escape): throws only if memory is lacking, which ends the server as its
// own does
void file_save(RdbStream* stream, void* value) noexcept {
  const std::string front = file_value_of(value).front();
  server.SaveStringBuffer(stream, front.data(), front.size());
  std::uint32_t crc = crc32c(std::as_bytes(std::span(front)));
  for_each_file_piece(file_value_of(value), [&](std::uint64_t /*offset*/, std::span<const std::byte> bytes) {
    crc = crc32c(bytes, crc);
    server.SaveStringBuffer(stream, chars_of(bytes), bytes.size());
    server.SaveUnsigned(stream, crc);
  });
}

Result<std::unique_ptr<FileValue>> file_load_value(RdbStream* stream, int encoding) {
  if (encoding != kFileEncoding) {
    return Error(ErrorCode::kUnsupported, "filter file",
                 "expected encoding 1, found " + std::to_string(encoding) + " of a newer module");
  }
  const LoadedString front(stream);
  BLOOMERY_ASSIGN_OR_RETURN(FileValue::Front read, FileValue::of_front(front.bytes()));
  if (const std::uint64_t most = most_bytes_of_read(stream); read.value->size() > most) {
    return Error::capacity("filter file", "has " + std::to_string(read.value->size()) +
                                              " bytes, and bloomery.memory-limit is " + std::to_string(most));
  }
  std::uint32_t crc = crc32c(front.bytes());
  while (read.value->taken() < read.taken) {
    const std::uint64_t at = read.value->taken();
    const LoadedString piece(stream);
    const std::uint64_t expected = server.LoadUnsigned(stream);
    crc = crc32c(piece.bytes(), crc);
    if (server.IsIOError(stream) != 0 || expected != crc ||
        piece.bytes().size() != std::min(kMostChunkBytes, read.taken - at)) {
      return Error::corruption("filter file", at, "expected a piece of the file with its checksum");
    }
    BLOOMERY_RETURN_IF_ERROR(read.value->take(at, crc32c(piece.bytes()), piece.bytes()));
  }
  if (read.is_finished) {
    BLOOMERY_RETURN_IF_ERROR(read.value->finish());
  }
  return std::move(read.value);
}

void* file_load(RdbStream* stream, int encoding) {
  return loaded_or_logged(stream, [&] { return file_load_value(stream, encoding); });
}

// NOLINTNEXTLINE(bugprone-exception-escape): throws only if memory is lacking, which ends the server as its
// own does
void file_rewrite(RdbStream* stream, String* key, void* value) noexcept {
  const FileValue& from = file_value_of(value);
  const auto header = from.header_bytes();
  const std::string secret(from.secret() ? secret_text(*from.secret()) : "");
  if (secret.empty()) {
    server.EmitAOF(stream, "BLOOM.LOAD", "scbl", key, "BEGIN", chars_of(header), header.size(),
                   static_cast<long long>(from.file_crc()));
  } else {
    server.EmitAOF(stream, "BLOOM.LOAD", "scblcc", key, "BEGIN", chars_of(header), header.size(),
                   static_cast<long long>(from.file_crc()), "SECRET", secret.c_str());
  }
  for_each_file_piece(from, [&](std::uint64_t offset, std::span<const std::byte> bytes) {
    server.EmitAOF(stream, "BLOOM.LOAD", "scllb", key, "CHUNK", static_cast<long long>(offset),
                   static_cast<long long>(crc32c(bytes)), chars_of(bytes), bytes.size());
  });
  if (from.is_finished()) {
    server.EmitAOF(stream, "BLOOM.LOADEND", "ss", key, key);
  }
}

std::size_t file_memory(const void* value) {
  return file_value_of(value).memory_bytes();
}

// NOLINTNEXTLINE(bugprone-exception-escape): throws only if memory is lacking, which ends the server as its
// own does
void file_digest(Digest* digest, void* value) noexcept {
  const std::string front = file_value_of(value).front();
  server.DigestAddStringBuffer(digest, front.data(), front.size());
  for_each_file_piece(file_value_of(value), [&](std::uint64_t /*offset*/, std::span<const std::byte> bytes) {
    server.DigestAddStringBuffer(digest, chars_of(bytes), bytes.size());
  });
  server.DigestEndSequence(digest);
}

void file_release(void* value) {
  delete static_cast<FileValue*>(value);
}

// Returns 0, which makes the server free in the background, or 1, which makes it free at once.
std::size_t file_free_effort(String* /*key*/, const void* value) {
  return file_value_of(value).size() > (64U << 10U) ? 0 : 1;
}

// An unfinished load is not copied, because both loads would write to the same bytes.
void* file_copy(String* /*from*/, String* /*to*/, const void* value) {
  try {
    return file_value_of(value).is_finished() ? file_value_of(value).copy().release() : nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

TypeMethods file_type_methods() {
  TypeMethods methods;
  methods.rdb_load = file_load;
  methods.rdb_save = file_save;
  methods.aof_rewrite = file_rewrite;
  methods.mem_usage = file_memory;
  methods.digest = file_digest;
  methods.free = file_release;
  methods.free_effort = file_free_effort;
  methods.copy = file_copy;
  return methods;
}

bool register_file_type(Context* context) {
  TypeMethods methods = file_type_methods();
  the_file_type = server.CreateDataType(context, kFileTypeName, kFileEncoding, &methods);
  return the_file_type != nullptr;
}

DataType* file_type() {
  return the_file_type;
}

}  // namespace bloomery::redis_module
