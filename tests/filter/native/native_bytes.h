// Native files as bytes, for tests that look at them, change them, or put them together wrongly.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "filter/native/native_header.h"

namespace bloomery {

// Bytes of a file, aligned as the filters' view() asks for.
class FileBytes {
 public:
  explicit FileBytes(const std::string& bytes) : words_(bytes.size() / 8 + 1), size_(bytes.size()) {
    std::memcpy(words_.data(), bytes.data(), bytes.size());
  }
  std::span<const std::byte> span() const { return std::as_bytes(std::span(words_)).first(size_); }
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words_)).first(size_); }

  // Writes a field under a right checksum, as a wrong writer would.
  template <typename T>
  void set_header_field(std::size_t offset, T value) {
    store_little(bytes().data() + offset, value);
    store_little(bytes().data() + 188, crc32c(bytes().first(188)));
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

// The file that `filter`, of any type but AnyFilter, would write.
template <typename Filter>
std::string serialized(const Filter& filter) {
  std::string bytes;
  filter.serialize(bytes);
  return bytes;
}

// A file taken apart, to be put together again under right checksums of whatever is in it then.
struct FileParts {
  NativeHeader header;
  std::string payload;
  std::string column;
  std::string table;
  std::string metadata;

  static FileParts of(const std::string& file) {
    const auto parsed = parse_native_header(std::as_bytes(std::span(file)), file.size());
    EXPECT_TRUE(parsed) << parsed.error().to_string();
    return {.header = *parsed,
            .payload = file.substr(parsed->payload_offset(), parsed->payload_bytes),
            .column = file.substr(parsed->column_offset(), parsed->column_bytes),
            .table = file.substr(parsed->exception_offset(), parsed->exception_bytes),
            .metadata = file.substr(parsed->metadata_offset())};
  }

  std::string joined() const {
    NativeHeader written = header;
    written.payload_bytes = payload.size();
    written.column_bytes = column.size();
    written.exception_bytes = table.size();
    written.metadata_bytes = metadata.size();
    const auto payload_bytes = std::as_bytes(std::span(payload));
    written.payload_checksum = crc32c(payload_bytes.first(written.checksummed_payload_bytes()));
    written.exception_checksum = crc32c(std::as_bytes(std::span(table)));
    written.metadata_checksum = crc32c(std::as_bytes(std::span(metadata)));
    const auto front = encode(written);
    return std::string(reinterpret_cast<const char*>(front.data()), front.size()) + payload + column + table +
           metadata;
  }
};

// Every cut of `whole` and every flipped bit in it is an error. What gets past the checksums is given to
// `open_and_use` (bytes, options): files whose checksums are not looked at, and payloads changed or cut under
// right ones, which a wrong writer could write.
template <typename Filter, typename OpenAndUse>
void expect_damage_is_an_error_or_safe(const std::string& whole, OpenAndUse open_and_use) {
  const auto is_refused = [](const std::string& file) {
    return !Filter::view(FileBytes(file).span(), {.access = Access::kCopy});
  };
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(is_refused(whole.substr(0, size))) << size;
  }
  const FileParts parts = FileParts::of(whole);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_TRUE(is_refused(damaged)) << at;
      open_and_use(FileBytes(damaged).span(), {.access = Access::kCopy, .verify = Verify::kHeaderOnly});
      if (at >= kNativeHeaderBytes) {
        FileParts changed = parts;
        changed.payload = damaged.substr(kNativeHeaderBytes, changed.payload.size());
        open_and_use(FileBytes(changed.joined()).span(), {.access = Access::kCopy});
      }
    }
  }
  for (std::size_t size = 0; size < parts.payload.size(); ++size) {
    FileParts changed = parts;
    changed.payload.resize(size);
    EXPECT_TRUE(is_refused(changed.joined())) << size;
  }
}

}  // namespace bloomery
