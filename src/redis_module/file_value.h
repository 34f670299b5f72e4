// The value of a key that was loaded from a filter file (BLOOM.LOAD): the bytes of a file, and the filter over them.
//
//   begin ──> take chunk by chunk, in order ──> finish: the filter answers, and takes items if its type does
//
//   type                                   bytes                                         takes items
//   bloom, blocked, counting, scalable     in pieces that copies share (pieced_file.h)   yes
//   ribbon, quotient, exact, windowed      in one piece, since they are read so, and     no
//                                          it never changes (whole_file.h)
//
// Copies of a finished value share the bytes. Nothing is verified in one long step. Each chunk brings its checksum, and continues
// four others: that of the whole file as it was announced, and those of payload, exceptions and note in the header of the file.
//
// Until it is finished, every query answers maybe. From then on the bytes are a whole file at every moment, so an RDB file has
// a value that took items as it has any other: as a file that was loaded.
//
//   front, on disk (RDB) since version 1:
//   "BLMF" | u16 version | u8 finished | u8 has a secret | u64 bytes of the file | u64 taken | u32 crc of the file | u32 0 |
//   16 bytes secret, or 0 | 192 bytes, the header of the file | u32 crc of the front
//
// The version is 2 for exact and windowed files, and 1 for others. So a module that knows version 1 alone refuses these two.
//
// Files of block lists, URLs and composite keys are refused, since a server's client cannot ask for them. So are parts of a
// ribbon, and files that an update left dirty.
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
  // Returns a value that shares the bytes, or null if memory is lacking. Precondition: is_finished().
  std::unique_ptr<FileValue> copy() const;
  // Returns a value that takes over the bytes of this one, which has none any more and may only be released. Precondition: as
  // above.
  std::unique_ptr<FileValue> moved();

  // Whether another load is of the same file.
  bool is_same(const FileValue& other) const;

  // Takes the next chunk. One that was taken already is taken again if its bytes are the same. Errors: kInvalidArgument if it
  // is neither, or longer than the file or kMostChunkBytes; kCorruption if the checksum is not its own; kCapacity.
  Status take(std::uint64_t offset, std::uint32_t crc, std::span<const std::byte> chunk);
  // Ends the load. Errors: kInvalidArgument if bytes are missing; kCorruption if they are not those that were announced, or
  // damaged. Does nothing if it has ended.
  Status finish();

  bool is_finished() const;
  // The bytes of the file: as the header that it began with says, or, once it is finished, of the file as it is now.
  std::uint64_t size() const;
  // How many of them are here.
  std::uint64_t taken() const { return is_finished() ? size() : taken_; }
  // The CRC of the whole file: as it was announced, or as it is now.
  std::uint32_t file_crc() const;
  const std::optional<HashSecret>& secret() const { return secret_; }
  // Copies bytes of what was taken. Precondition: offset + size <= taken().
  std::vector<std::byte> read(std::uint64_t offset, std::uint64_t size) const;
  // The header as it is now.
  NativeHeader header() const;
  std::array<std::byte, kNativeHeaderBytes> header_bytes() const;
  std::string type_name() const;
  std::uint64_t memory_bytes() const;
  std::string front() const;

  // Answers 64 items a word. Items are texts, of which keys are made as the file records. Errors: kInvalidArgument if an item
  // is none of that form.
  Status may_contain(std::span<const std::string_view> items, std::span<std::uint64_t> answers) const;

  // The filter that takes items, or null: the type takes none, there are too many exceptions, or the load has not ended.
  PiecedFile* taking_items();
  bool takes_items() const;
  const PiecedFile* pieced() const;
  // The file of a type that takes no items, if its load has ended, or null.
  const WholeFile* whole() const;
  // Makes keys of items. Errors: as above.
  Result<std::vector<Hash128>> keys_of(std::span<const std::string_view> items) const;

 private:
  // The bytes of a type that takes items, while they are loaded.
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

  std::array<std::byte, kNativeHeaderBytes> header_bytes_ = {};  // that the load began with
  NativeHeader header_;                                          // likewise
  std::optional<HashSecret> secret_;
  std::uint64_t taken_ = 0;
  std::uint32_t file_crc_ = 0;       // as it was announced
  std::uint32_t taken_crc_ = 0;      // of what was taken
  std::uint32_t payload_crc_ = 0;    // of what was taken of the payload
  std::uint32_t exception_crc_ = 0;  // of what was taken of the exception table
  std::uint32_t metadata_crc_ = 0;   // of what was taken of the note
  std::variant<WholeFile, Parts, PiecedFile> body_;
};

}  // namespace bloomery::redis_module
