// The value of a key that was loaded from a filter file (BLOOM.LOAD): the bytes of the file, and the filter over them.
//
//   begin ──> take chunk by chunk, in order ──> finish: the filter answers. It never changes again.
//
// The bytes are one piece of memory, since filters read it as one; the kernel zeroes what no chunk has touched. Copies of a
// finished value share them. Nothing is verified in one long step: each chunk brings its checksum, and continues three others,
// that of the whole file as it was announced, and those of the payload and the exceptions in its header. Shards of a ribbon are
// verified when they are asked for the first time, and a damaged one answers maybe.
//
// Until it is finished, every query answers maybe.
//
//   front, on disk (RDB) since version 1:
//   "BLMF" | u16 version 1 | u8 finished | u8 has a secret | u64 bytes of the file | u64 taken | u32 crc of the file | u32 0 |
//   16 bytes secret, or 0 | 192 bytes, the header of the file | u32 crc of the front
//
// Files of the types bloom, blocked, ribbon, counting and scalable are taken. The others are refused: quotient and exact,
// since opening them takes a time that grows with their size; windowed, since it forgets by a clock. So are block lists, URLs
// and composite keys, which a server's client cannot ask for, parts of a ribbon, and files that an update left dirty.
//
// Source: docs/formats/native.md for the file. Not here: the commands (load_commands.h), the data type (file_type.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/hash_secret.h"
#include "filter/native/native_header.h"

namespace bloomery::redis_module {

inline constexpr std::uint64_t kMostChunkBytes = std::uint64_t{1} << 20;

class FileValue {
 public:
  // Whether memory for the whole file is taken at once, or as its bytes come, which need not be as many as the header says.
  enum class Room : std::uint8_t { kWhole, kAsItComes };

  // Judges a file by its header, before memory is taken. Errors: kUnsupported and kInvalidArgument for files that are refused;
  // kCorruption for a damaged header; kCapacity beyond `most_bytes` and if memory is lacking.
  static Result<std::unique_ptr<FileValue>> begin(std::span<const std::byte> header, std::uint32_t file_crc,
                                                  const std::optional<HashSecret>& secret,
                                                  std::uint64_t most_bytes, Room room = Room::kWhole);
  // The same of a front. The value has taken nothing yet; `taken` and `is_finished` tell what it had.
  struct Front {
    std::unique_ptr<FileValue> value;
    std::uint64_t taken = 0;
    bool is_finished = false;
  };
  static Result<Front> of_front(std::span<const std::byte> front);

  FileValue(const FileValue&) = delete;
  FileValue& operator=(const FileValue&) = delete;
  ~FileValue();
  // Returns a value that shares the bytes. Precondition: is_finished().
  std::unique_ptr<FileValue> copy() const;

  // Whether another load is of the same file.
  bool is_same(const FileValue& other) const;

  // Takes the next chunk. One that was taken already is taken again if its bytes are the same. Errors: kInvalidArgument if it
  // is neither, or longer than the file or kMostChunkBytes; kCorruption if the checksum is not its own; kCapacity.
  Status take(std::uint64_t offset, std::uint32_t crc, std::span<const std::byte> chunk);
  // Ends the load. Errors: kInvalidArgument if bytes are missing; kCorruption if they are not those that were announced, or
  // damaged. Does nothing if it has ended.
  Status finish();

  bool is_finished() const { return filter_.has_value(); }
  std::uint64_t size() const { return size_; }
  std::uint64_t taken() const { return taken_; }
  std::uint32_t file_crc() const { return file_crc_; }
  const std::optional<HashSecret>& secret() const { return secret_; }
  std::span<const std::byte> bytes() const;
  std::span<const std::byte> header_bytes() const { return header_bytes_; }
  const NativeHeader& header() const { return header_; }
  std::string type_name() const;
  std::uint64_t memory_bytes() const;
  std::string front() const;

  // Answers 64 items a word. Items are texts, of which keys are made as the file records. Errors: kInvalidArgument if an item
  // is none of that form.
  Status may_contain(std::span<const std::string_view> items, std::span<std::uint64_t> answers) const;

 private:
  struct Memory;  // of the file, shared by copies

  FileValue() = default;
  Status make_room(std::uint64_t bytes);
  Status open_filter();

  std::array<std::byte, kNativeHeaderBytes> header_bytes_ = {};
  NativeHeader header_;
  std::optional<HashSecret> secret_;
  std::uint64_t size_ = 0;
  std::uint64_t taken_ = 0;
  std::uint32_t file_crc_ = 0;       // as it was announced
  std::uint32_t taken_crc_ = 0;      // of what was taken
  std::uint32_t payload_crc_ = 0;    // of what was taken of the payload
  std::uint32_t exception_crc_ = 0;  // of what was taken of the exception table
  std::shared_ptr<Memory> memory_;
  std::optional<AnyFilter> filter_;  // over the memory
};

}  // namespace bloomery::redis_module
