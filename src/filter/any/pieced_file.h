// A filter file in a server's key that accepts items: its payload in pages, its exceptions, its note, and the
// counts of its header.
//
//   header (made on reading) | payload in pages | exceptions | note (metadata)
//
// These are always the bytes of a complete file with valid checksums: the file that `bloomery add` would have
// made of the first file and the same items. The same rules apply:
//
//   - `inserted` counts every accepted item, including known ones; in a quotient filter it is the sum of all
//     counts,
//   - a filter beyond its capacity accepts further items, and only its fpp rises,
//   - an inserted item is no longer an exception,
//   - a scalable filter grows by layers, and segments of a quotient filter split,
//   - in these two, each batch removes withdrawn entries from the exception table.
//
// Copies share payload, exceptions and note until one of them writes. All exceptions are copied at once, so a
// file with more than kMostChangedExceptions of them accepts no items.
//
// Not here: the load chunk by chunk (src/redis_module/file_value.h). Threads: one thread changes and copies a
// file; others may release copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "filter/blocked/pieced_windows.h"
#include "filter/bloom/pieced_cells.h"
#include "filter/native/exception_table.h"
#include "filter/native/growing_plan.h"
#include "filter/native/native_header.h"
#include "filter/pages/one_piece.h"
#include "filter/quotient/segments_load.h"
#include "filter/scalable/layers_load.h"

namespace bloomery {

inline constexpr std::uint64_t kMostChangedExceptions = std::uint64_t{1} << 16;

class PiecedFile {
 public:
  static bool takes(FilterType type);
  // The payload of a file while it is loaded.
  class Payload {
   public:
    // Errors: kCapacity.
    static Result<Payload> begin(const NativeHeader& header);
    // Appends the next bytes. Errors: kCapacity if memory is lacking; kCorruption for bytes that no such
    // filter has.
    Status append(std::span<const std::byte> bytes);
    // Copies bytes that were appended. Precondition: offset + out.size() is at most their number.
    void read(std::uint64_t offset, std::span<std::byte> out) const;
    std::uint64_t memory_bytes() const;

   private:
    friend class PiecedFile;
    using Load = std::variant<PagedWords, LayersLoad, SegmentsLoad>;
    explicit Payload(Load load) : load_(std::move(load)) {}

    Load load_;
    std::uint64_t size_ = 0;  // bytes that were appended to PagedWords
  };
  // `header` has the secret of its hash. `tail` has the bytes after the payload. Precondition:
  // takes(header.type), and the checksums in the header hold. Errors: kCorruption for bytes that no such
  // filter has.
  static Result<PiecedFile> open(const NativeHeader& header, Payload payload,
                                 std::shared_ptr<const OnePiece> tail);

  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Begins a command. A command copies or allocates only a few pages, and defers its other writes to shared
  // pages (paged_words.h).
  void begin_step();
  // Inserts keys in order, and writes an outcome for each: kNew, kKnown, kOverLimit, kNoMemory,
  // and kFull if a segment of a quotient filter cannot split. Stops after
  // the first error, and returns how many outcomes it wrote. The file does not grow beyond `most_bytes`.
  // Precondition: takes_items().
  std::size_t insert(std::span<const Hash128> hashes, std::uint64_t most_bytes, std::span<Added> outcomes);
  // Returns true if there are no more exceptions than an insert may copy.
  bool takes_items() const;
  // Returns true if the filter removes and counts keys.
  bool counts() const;
  // Returns how often the key is in, or nothing if it is that often or more often: 15 times, in a counting
  // filter. Precondition: counts().
  std::optional<std::uint64_t> count_at_most(const Hash128& hash) const;
  // The layers of a scalable filter, or null.
  const PiecedLayers* layers() const { return std::get_if<PiecedLayers>(&filter_); }
  // Takes one insertion of the key out. Precondition: counts() and takes_items().
  Removed remove(const Hash128& hash);
  bool is_exception(const Hash128& hash) const;

  // Returns the present header.
  NativeHeader header() const;
  std::uint32_t file_crc() const;
  std::uint64_t file_bytes() const;
  std::uint64_t memory_bytes() const;
  // Copies bytes of the file. Precondition: offset + out.size() <= file_bytes().
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  using Filter = std::variant<PiecedBloom, PiecedBlocked, PiecedCounting, PiecedLayers, PiecedSegments>;
  // The table of exceptions. It refers to the file's entries until the first of them is withdrawn.
  struct Exceptions {
    std::vector<Hash128> own;
    ExceptionTable table;
  };

  PiecedFile(const NativeHeader& header, Filter filter) : header_(header), filter_(std::move(filter)) {}
  static Result<Filter> open_filter(const NativeHeader& header, Payload payload);
  Added insert_one(const Hash128& hash, std::uint64_t most_bytes);
  bool withdraw(const Hash128& hash);
  void own_exceptions(std::vector<Hash128> entries, std::uint64_t live);
  void drop_room_of_exceptions();
  bool grows() const;
  void note_inserted();
  std::uint64_t payload_bytes() const;
  std::span<const std::byte> exception_bytes() const;
  std::span<const std::byte> metadata() const;

  NativeHeader header_;  // `inserted` is current; sizes and checksums are those of the opened file
  Filter filter_;
  std::shared_ptr<Exceptions> exceptions_;  // null if there are none
  std::shared_ptr<const OnePiece> tail_;
};

}  // namespace bloomery
