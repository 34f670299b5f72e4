// Values of filter files, made of bytes without a server, and what a server would have saved of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/crc32c.h"
#include "base/endian.h"
#include "filter/native/native_header.h"
#include "redis_module/file_type.h"
#include "redis_module/file_value.h"
#include "tests/base/test_bytes.h"
#include "tests/redis_module/rdb_in_memory.h"

namespace bloomery::redis_module {

inline NativeHeader header_of(const std::string& file) {
  return *parse_native_header(bytes_of(file).first(kNativeHeaderBytes), file.size());
}

// Loads a file in chunks, announced by the checksum of the bytes as they are.
inline Result<std::unique_ptr<FileValue>> loaded_value(const std::string& file, std::size_t chunk) {
  BLOOMERY_ASSIGN_OR_RETURN(auto value,
                            FileValue::begin(bytes_of(file).first(kNativeHeaderBytes), crc32c(bytes_of(file)),
                                             std::nullopt, kMostChunkBytes));
  for (std::size_t at = 0; at < file.size(); at += chunk) {
    const auto piece = bytes_of(file).subspan(at, std::min(chunk, file.size() - at));
    BLOOMERY_RETURN_IF_ERROR(value->take(at, crc32c(piece), piece));
  }
  BLOOMERY_RETURN_IF_ERROR(value->finish());
  return value;
}

// The file with a byte changed, and checksums that vouch for it.
inline std::string damaged(const std::string& file, std::uint64_t at) {
  std::string bytes = file;
  bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
  NativeHeader header = header_of(file);
  header.payload_checksum = crc32c(bytes_of(bytes).subspan(header.payload_offset(), header.payload_bytes));
  std::ranges::copy(encode(header), std::as_writable_bytes(std::span(bytes)).begin());
  return bytes;
}

// Returns the bytes that docs/formats/redis-module.md says a value of a file is saved as.
inline std::string saved_as(const std::string& file, std::uint16_t version) {
  std::string front(244, '\0');
  auto* const at = reinterpret_cast<std::byte*>(front.data());
  front.replace(0, 4, "BLMF");
  store_little(at + 4, version);
  store_little(at + 6, std::uint8_t{1});
  store_little(at + 8, std::uint64_t{file.size()});
  store_little(at + 16, std::uint64_t{file.size()});
  store_little(at + 24, crc32c(bytes_of(file)));
  front.replace(48, kNativeHeaderBytes, file.substr(0, kNativeHeaderBytes));
  store_little(at + 240, crc32c({at, 240}));
  RdbStream stream;
  server.SaveStringBuffer(&stream, front.data(), front.size());
  server.SaveStringBuffer(&stream, file.data(), file.size());
  server.SaveUnsigned(&stream, crc32c(bytes_of(file), crc32c(bytes_of(front))));
  return stream.bytes;
}

// Returns null for bytes that the type refuses.
inline std::unique_ptr<FileValue> from_rdb(const std::string& bytes) {
  RdbStream stream{.bytes = bytes};
  return std::unique_ptr<FileValue>(static_cast<FileValue*>(file_type_methods().rdb_load(&stream, 1)));
}

inline std::string to_rdb(FileValue& value) {
  RdbStream stream;
  file_type_methods().rdb_save(&stream, &value);
  return stream.bytes;
}

}  // namespace bloomery::redis_module
