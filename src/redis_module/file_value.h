// The value of a key that was loaded from a filter file (BLOOM.LOAD): the bytes of a file, and the filter
// over them.
//
//   begin ──> take chunk by chunk ──> finish: the filter answers, and accepts items if its type does
//
//   type                                   bytes                                       accepts items
//   bloom, blocked, counting, quotient,    in copy-on-write blocks (pieced_file.h)     yes
//   scalable
//   ribbon, exact, windowed                contiguous, as their readers need them;     no
//                                          they never change (whole_file.h)
//
// Copies of a finished value share the bytes. Verification is incremental, so no step is long. Each chunk has
// its own checksum and continues four others: the announced CRC of the file, and the CRCs of payload,
// exceptions and note in the file's header.
//
// Until the load is finished, every query answers maybe. Afterwards the bytes are always a valid filter file,
// even after items were added. So RDB saves such a value like a freshly loaded one.
//
//   front, on disk (RDB) since version 1:
//   "BLMF" | u16 version | u8 finished | u8 has a secret | u64 bytes of the file | u64 taken |
//   u32 crc of the file | u32 0 | 16 bytes secret, or 0 | 192 bytes, the header of the file |
//   u32 crc of the front
//
// The version is 2 for exact and windowed files, and 1 for others. So a module that knows only version 1
// refuses these two.
//
// Files of block lists, URLs and composite keys are refused, since a server's client cannot query them. So
// are partial ribbons, and files that an update left dirty.
//
// Source: docs/formats/native.md for the file. Not here: the commands (load_commands.cc), the data type
// (file_type.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/hash_secret.h"
#include "filter/any/pieced_file.h"
#include "filter/any/whole_file.h"
#include "filter/native/native_header.h"
#include "filter/pages/one_piece.h"

namespace bloomery::redis_module {

inline constexpr std::uint64_t kMostChunkBytes = std::uint64_t{1} << 20;

class FileValue {
 public:
  // Checks a file's header before it allocates memory. Errors: kUnsupported and kInvalidArgument for files
  // that are refused; kCorruption for a damaged header; kCapacity beyond `most_bytes` and if memory is
  // lacking.
  static Result<std::unique_ptr<FileValue>> begin(std::span<const std::byte> header, std::uint32_t file_crc,
                                                  const std::optional<HashSecret>& secret,
                                                  std::uint64_t most_bytes, Room room = Room::kWhole);
  // The value of a front, without any bytes of the file yet; `taken` and `is_finished` tell what the saved
  // value had.
  struct Front {
    std::unique_ptr<FileValue> value;
    std::uint64_t taken = 0;
    bool is_finished = false;
  };
  static Result<Front> of_front(std::span<const std::byte> front);

  FileValue(const FileValue&) = delete;
  FileValue& operator=(const FileValue&) = delete;
  ~FileValue();
  // Returns a value that shares the bytes, or null if memory is lacking. Precondition: is_finished().
  std::unique_ptr<FileValue> copy() const;
  // Moves the bytes into a new value. This value may then only be destroyed. Precondition: is_finished().
  std::unique_ptr<FileValue> moved();

  // Returns true if another load is of the same file with the same secret.
  bool is_same(const FileValue& other) const;

  // Loads the next chunk. A chunk that was loaded before is accepted if its bytes are the same. Errors:
  // kInvalidArgument for any other offset, and beyond the file or kMostChunkBytes; kCorruption if the
  // checksum differs; kCapacity.
  Status take(std::uint64_t offset, std::uint32_t crc, std::span<const std::byte> chunk);
  // Ends the load. Errors: kInvalidArgument if bytes are missing; kCorruption if they are damaged, or not
  // those that were announced. Does nothing if the load has ended.
  Status finish();

  bool is_finished() const;
  // The size of the file: during the load as its header says, afterwards as the file is now.
  std::uint64_t size() const;
  // The number of bytes loaded so far.
  std::uint64_t taken() const { return is_finished() ? size() : taken_; }
  // The CRC of the complete file: during the load as announced, afterwards as the file is now.
  std::uint32_t file_crc() const;
  const std::optional<HashSecret>& secret() const { return secret_; }
  // Copies loaded bytes. Precondition: offset + size <= taken().
  std::vector<std::byte> read(std::uint64_t offset, std::uint64_t size) const;
  // The header as it is now.
  NativeHeader header() const;
  std::array<std::byte, kNativeHeaderBytes> header_bytes() const;
  std::string type_name() const;
  std::uint64_t memory_bytes() const;
  std::string front() const;

  // Queries items, 64 answers per word. Items are texts, parsed into keys of the form that the file records.
  // Errors: kInvalidArgument if an item is not of that form.
  Status may_contain(std::span<const std::string_view> items, std::span<std::uint64_t> answers) const;

  // Returns the filter that accepts items, or null: its type accepts none, the exceptions are too many, or
  // the load has not ended.
  PiecedFile* taking_items();
  bool takes_items() const;
  const PiecedFile* pieced() const;
  // Returns the file if its type accepts no items and its load has ended, or null.
  const WholeFile* whole() const;
  // Makes keys of items. Errors: kInvalidArgument if an item is not of the form that the file records.
  Result<std::vector<Hash128>> keys_of(std::span<const std::string_view> items) const;

 private:
  // The bytes of a type that accepts items, during the load.
  struct Parts {
    PiecedFile::Payload payload;
    std::shared_ptr<OnePiece> tail;
  };

  FileValue() = default;
  // Returns a value without a body.
  std::unique_ptr<FileValue> same_load() const;
  Status make_room(Room room);
  Status open();
  bool has_taken(std::uint64_t offset, std::span<const std::byte> chunk) const;
  Status store(std::uint64_t offset, std::span<const std::byte> chunk);
  Status check_next(std::uint64_t offset, std::span<const std::byte> chunk) const;

  std::array<std::byte, kNativeHeaderBytes> header_bytes_ = {};  // as the load began
  NativeHeader header_;                                          // as the load began
  std::optional<HashSecret> secret_;
  std::uint64_t taken_ = 0;
  std::uint32_t file_crc_ = 0;       // as it was announced
  std::uint32_t taken_crc_ = 0;      // of the bytes loaded
  std::uint32_t payload_crc_ = 0;    // of the payload bytes loaded
  std::uint32_t exception_crc_ = 0;  // of the bytes of the exception table loaded
  std::uint32_t metadata_crc_ = 0;   // of the bytes of the note loaded
  std::variant<WholeFile, Parts, PiecedFile> body_;
};

}  // namespace bloomery::redis_module
