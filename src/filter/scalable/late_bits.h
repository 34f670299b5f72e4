// A layer that starts as small quotient tables of fingerprints and turns into Bloom bits, page by page, when
// the tables would be larger.
//
//   pieces    piece 0 | piece 1 | ...         each holds the keys of an equal part of all hashes
//   piece     nothing                         state 0: it has no keys
//             a quotient table of level v     state v, from 1 to the last level
//             windows of a Bloom filter       state 255
//
// A piece is made larger by itself, one level after the other, whenever its table is full. After the last
// level its fingerprints are poured into bits, for which no key is needed (late_shape.h). So the memory of a
// layer is in proportion to its keys until it is that of its bits, and every step is small: it rebuilds one
// piece of at most 16 KiB. Hashes are even, so all tables would be full at nearly one moment. Therefore each
// piece in eight calls its tables full at another number of keys.
//
// Invariants: the state of a piece never falls. State and bytes of a piece depend on its keys alone, not on
// their order. A fingerprint is in a table at most once. Pieces without memory are zeros.
//
// In a file, each piece is followed by zeros up to a multiple of 64 bytes.
//
// Threads: one thread changes a filter, and others may release copies of it. Calls for two pieces touch
// nothing that both change, so contains() of one piece may run during insert() into another one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/base/uint128.h"
#include "bloomery/hash/hash128.h"
#include "filter/blocked/blocked_kernel.h"
#include "filter/pages/shared_page.h"
#include "filter/scalable/late_shape.h"

namespace bloomery {

// Calls use(i) for each bit i of `asked`.
template <typename Use>
void for_each_bit(std::uint64_t asked, Use use) {
  for (; asked != 0; asked &= asked - 1) {
    use(static_cast<std::size_t>(std::countr_zero(asked)));
  }
}

// The content of a layer, measured in its bits and tables.
struct LayerContent {
  double fpp = 0;
  double keys = 0;             // estimated
  std::uint64_t set_bits = 0;  // of those that are there
  std::uint64_t bits = 0;      // that are there
};

// Measures a layer, or a piece of one, that has its bits. Reads all words.
LayerContent content_of_bits(const BlockedTable& table, const BlockedShape& shape);

class LateBits {
 public:
  static constexpr std::uint8_t kAsBits = 255;  // in files and in values of keys; never renumber

  // A key's piece and the rest of its hash.
  struct Place {
    std::size_t piece;
    std::uint64_t rest;
  };

  explicit LateBits(const LateShape& shape);
  // Makes pieces that have these states and no keys. Errors: kCorruption for a state that no piece has, or
  // another number of pieces.
  static Result<LateBits> of_states(const LateShape& shape, std::span<const std::byte> states);
  // Opens the pieces that a file has at the beginning of `bytes`, which outlive them; file_bytes() of the
  // bytes are theirs. A piece is copied when it is written. Reads all tables. Errors: kCorruption for a state
  // that no piece has, a damaged table, or too few bytes.
  static Result<LateBits> of_file(const LateShape& shape, std::span<const std::byte> states,
                                  std::span<const std::byte> bytes);

  const LateShape& shape() const { return shape_; }

  Place place_of(std::uint64_t hash) const {
    const Uint128 product = Uint128{hash} * shape_.pieces;
    return {.piece = static_cast<std::size_t>(product >> 64), .rest = static_cast<std::uint64_t>(product)};
  }
  // Prefetches what a call with this place will most likely need.
  void prefetch(const Place& place) const;
  bool contains(const Place& place) const;
  // Returns false if memory is lacking; then no answer has changed. Precondition: !contains(place).
  [[nodiscard]] bool insert(const Place& place);
  // Answers at most 64 hashes. Bits of `asked` say which ones are asked; the others are 0 in the answer.
  std::uint64_t ask(std::span<const Hash128> hashes, std::uint64_t asked) const;
  // Inserts all keys of pieces that have the same shape. Returns false if memory is lacking; then some may be
  // in.
  [[nodiscard]] bool unite(const LateBits& other);

  // The share of keys that are not in and yet are found, if `keys` are in. `fpp_as_bits` is the fpp of a
  // layer that is all bits.
  double fpp(std::uint64_t keys, double fpp_as_bits) const;
  // Measures tables and bits as they are, and reads all of them.
  LayerContent content() const;
  bool is_all_bits() const { return pieces_as_bits_ == pages_.size(); }

  // ---- as bytes: the pieces one after the other, each as large as its state demands

  std::span<const std::uint8_t> states() const { return states_; }
  std::uint64_t size_bytes() const { return size_bytes_; }
  std::uint64_t memory_bytes() const;
  // Returns the bytes from `offset` to the end of its piece, and of the pieces after it as far as all of
  // them are at most `most` bytes. Precondition of this and of read(): offset < size_bytes().
  std::uint64_t step(std::uint64_t offset, std::uint64_t most) const;
  void read(std::uint64_t offset, std::span<std::byte> out) const;
  // Gives complete pieces their bytes. Some pieces may have theirs when another is refused. Errors:
  //   kInvalidArgument   the bytes end within a piece
  //   kCorruption        a table is damaged, or has a fingerprint that no key has
  //   kCapacity          memory is lacking
  Status write(std::uint64_t offset, std::span<const std::byte> bytes);

  // The bytes of all pieces in a file, and of one.
  std::uint64_t file_bytes() const { return file_bytes_; }
  std::uint64_t file_bytes_of(std::size_t piece) const { return padded(bytes_of(piece)); }
  // Calls use(bytes) for the bytes of a piece in a file.
  template <typename Use>
  void for_piece_in_file(std::size_t piece, Use use) const {
    const std::uint64_t size = bytes_of(piece);
    const std::byte* const bytes = pages_[piece].read();
    use(bytes == nullptr ? zeros(size) : std::span(bytes, size));
    use(zeros(padded(size) - size));
  }
  // Gives a piece the bytes that a file has of it. Errors: kInvalidArgument for another number of bytes;
  // kCorruption for a damaged table; kCapacity if memory is lacking.
  Status set_piece(std::size_t piece, std::span<const std::byte> in_file);

  std::size_t piece_count() const { return pages_.size(); }
  // Moves a piece that nobody shares, as SharedPage::move_bytes().
  template <typename Move>
  void move_piece(std::size_t piece, Move move) {
    pages_[piece].move_bytes(move);
  }

 private:
  struct PieceAt {
    std::size_t piece;
    std::uint64_t begin;
  };

  std::uint64_t fingerprint_of(const Place& place) const {
    return place.rest >> (64 - shape_.fingerprint_bits);
  }
  // Precondition: the piece has a table.
  const LateLevel& level_of(std::size_t piece) const { return levels_[states_[piece] - 1U]; }
  // Returns how many keys the table of a piece accepts. Precondition: the piece has a table.
  std::uint64_t most_keys_of(std::size_t piece) const;
  std::uint64_t bytes_of(std::size_t piece) const;
  static std::uint64_t padded(std::uint64_t bytes) {
    return (bytes + kWindowBytes - 1) / kWindowBytes * kWindowBytes;
  }
  // Returns so many zeros, at most those of a piece.
  static std::span<const std::byte> zeros(std::uint64_t size);
  PieceAt piece_at(std::uint64_t offset) const;
  std::uint64_t window_offset(std::uint64_t fingerprint) const {
    return ((fingerprint * shape_.windows) >> shape_.fingerprint_bits) * kWindowBytes;
  }
  // Makes a piece larger, as bits if there is no level left. Returns false if memory is lacking.
  bool raise(std::size_t piece);
  bool pour(std::size_t piece);
  void replace(std::size_t piece, SharedPage page, std::uint8_t state);
  // Gives back what only tables need if there are none.
  void forget_tables();
  Status write_piece(std::size_t piece, std::span<const std::byte> bytes);
  // The fingerprints of a piece's table in `other`, inserted here. Returns false if memory is lacking.
  bool insert_table(std::size_t piece, const LateBits& other);
  // The windows of a piece that is bits, as a blocked filter.
  BlockedTable windows_of(const std::byte* bytes) const;
  // Proves that a table is intact and has only fingerprints that keys have. Returns how many.
  Result<std::uint16_t> check_table(const LateLevel& level, std::byte* words) const;

  LateShape shape_;
  std::vector<LateLevel> levels_;      // empty if all pieces are bits
  std::vector<SharedPage> pages_;      // of each piece
  std::vector<std::uint8_t> states_;   // of each piece
  std::vector<std::uint16_t> counts_;  // fingerprints in each piece's table; empty if all pieces are bits
  std::uint64_t size_bytes_ = 0;
  std::uint64_t file_bytes_ = 0;
  std::size_t pieces_as_bits_ = 0;
};

}  // namespace bloomery
