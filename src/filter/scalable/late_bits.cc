#include "filter/scalable/late_bits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "base/bit_count.h"
#include "base/prefetch.h"
#include "base/zero_bytes.h"
#include "filter/blocked/blocked_fill.h"
#include "filter/blocked/one_window.h"
#include "filter/quotient/quotient_kernel.h"
#include "filter/quotient/quotient_table.h"

namespace bloomery {
namespace {

Error corrupt_piece(std::size_t piece, const std::string& detail) {
  return Error(ErrorCode::kCorruption, "piece " + std::to_string(piece), detail);
}

Error no_memory() {
  return Error::capacity("piece", "memory is lacking");
}

}  // namespace

// ---- making

LateBits::LateBits(const LateShape& shape)
    : shape_(shape),
      levels_(late_levels(shape)),
      pages_(shape.pieces),
      states_(shape.pieces),
      counts_(shape.pieces) {}

Result<LateBits> LateBits::of_states(const LateShape& shape, std::span<const std::byte> states) {
  if (states.size() != shape.pieces) {
    return corrupt_piece(states.size(), "expected states of " + std::to_string(shape.pieces) + " pieces");
  }
  LateBits made(shape);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto state = std::to_integer<std::uint8_t>(states[i]);
    if (state > made.levels_.size() && state != kAsBits) {
      return corrupt_piece(i, "expected a state of at most " + std::to_string(made.levels_.size()) +
                                  ", or 255, found " + std::to_string(state));
    }
    made.states_[i] = state;
    made.size_bytes_ += made.bytes_of(i);
    made.file_bytes_ += padded(made.bytes_of(i));
    made.pieces_as_bits_ += state == kAsBits ? 1 : 0;
  }
  made.forget_tables();
  return made;
}

std::uint64_t LateBits::bytes_of(std::size_t piece) const {
  switch (states_[piece]) {
    case 0:
      return 0;
    case kAsBits:
      return shape_.piece_bytes();
    default:
      return level_of(piece).bytes;
  }
}

std::uint64_t LateBits::most_keys_of(std::size_t piece) const {
  constexpr std::size_t kMoments = 8;
  const std::uint64_t most = level_of(piece).most_keys;
  const std::uint64_t of_level_before = states_[piece] > 1 ? levels_[states_[piece] - 2U].most_keys : 0;
  return most - (most - of_level_before) * (piece % kMoments) / kMoments;
}

std::uint64_t LateBits::memory_bytes() const {
  std::uint64_t total = sizeof(LateBits) + levels_.capacity() * sizeof(LateLevel) +
                        counts_.capacity() * sizeof(counts_[0]) +
                        pages_.size() * (sizeof(SharedPage) + sizeof(states_[0]));
  for (const SharedPage& page : pages_) {
    total += page.memory_bytes();
  }
  return total;
}

double LateBits::fpp(std::uint64_t keys, double fpp_as_bits) const {
  const auto pieces = static_cast<double>(pages_.size());
  const double fingerprints = std::ldexp(pieces, static_cast<int>(shape_.fingerprint_bits));
  return static_cast<double>(keys) / fingerprints +
         static_cast<double>(pieces_as_bits_) / pieces * fpp_as_bits;
}

Result<LateBits> LateBits::of_file(const LateShape& shape, std::span<const std::byte> states,
                                   std::span<const std::byte> bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(LateBits made, of_states(shape, states));
  for (std::size_t piece = 0; piece < made.pages_.size(); ++piece) {
    const std::uint64_t size = made.bytes_of(piece);
    if (padded(size) > bytes.size()) {
      return corrupt_piece(
          piece, "expected " + std::to_string(size) + " bytes, found " + std::to_string(bytes.size()));
    }
    if (!all_zeros(bytes.subspan(size, padded(size) - size))) {
      return corrupt_piece(piece, "expected zeros after its bytes");
    }
    if (size > 0) {
      made.pages_[piece] = SharedPage::lent(bytes.data());
    }
    if (size > 0 && made.states_[piece] != kAsBits) {
      // Tables are checked through a type that could write them.
      auto* const words = const_cast<std::byte*>(bytes.data());
      BLOOMERY_ASSIGN_OR_RETURN(made.counts_[piece], made.check_table(made.level_of(piece), words));
    }
    bytes = bytes.subspan(padded(size));
  }
  return made;
}

Status LateBits::set_piece(std::size_t piece, std::span<const std::byte> in_file) {
  const std::uint64_t size = bytes_of(piece);
  if (in_file.size() != padded(size)) {
    return Error::invalid_argument("piece", "expected " + std::to_string(padded(size)) + " bytes, found " +
                                                std::to_string(in_file.size()));
  }
  if (!all_zeros(in_file.subspan(size))) {
    return corrupt_piece(piece, "expected zeros after its bytes");
  }
  return size == 0 ? Status() : write_piece(piece, in_file.first(size));
}

// ---- what is in

BlockedTable LateBits::windows_of(const std::byte* bytes) const {
  auto* const words = const_cast<std::byte*>(bytes);  // a table is of one type for readers and writers
  return {.words = reinterpret_cast<std::uint64_t*>(words),
          .windows = shape_.windows,
          .stride_shift = 3,
          .hash_count = shape_.hash_count};
}

LayerContent content_of_bits(const BlockedTable& table, const BlockedShape& shape) {
  const std::uint64_t set = count_set_bits({table.words, shape.words});
  return {.fpp = fpp_of_bits(table),
          .keys = estimated_key_count(shape, set),
          .set_bits = set,
          .bits = shape.bits()};
}

LayerContent LateBits::content() const {
  const BlockedShape shape{.words = shape_.windows * kWindowWords, .hash_count = shape_.hash_count};
  LayerContent all;
  for (std::size_t piece = 0; piece < pages_.size(); ++piece) {
    const std::byte* const bytes = pages_[piece].read();
    if (states_[piece] != kAsBits) {
      all.fpp += std::ldexp(counts_[piece], -static_cast<int>(shape_.fingerprint_bits));
      all.keys += counts_[piece];
      continue;
    }
    const LayerContent one =
        bytes == nullptr ? LayerContent{.bits = shape.bits()} : content_of_bits(windows_of(bytes), shape);
    all.fpp += one.fpp;
    all.keys += one.keys;
    all.set_bits += one.set_bits;
    all.bits += one.bits;
  }
  all.fpp /= static_cast<double>(pages_.size());
  return all;
}

// ---- keys

void LateBits::prefetch(const Place& place) const {
  const std::byte* const bytes = pages_[place.piece].read();
  if (bytes == nullptr) {
    return;
  }
  if (states_[place.piece] == kAsBits) {
    prefetch_to_read(bytes + window_offset(fingerprint_of(place)));
    return;
  }
  const LateLevel& level = level_of(place.piece);
  const QuotientFingerprint in_table =
      place_in_table(level.plan(), shape_.fingerprint_bits, fingerprint_of(place));
  const std::uint64_t* const block = quotient_slots_over(level.plan(), bytes).block(in_table.quotient / 64);
  prefetch_to_read(block);
  prefetch_to_read(block + 2 + in_table.quotient % 64 * level.remainder_bits / 64);
}

bool LateBits::contains(const Place& place) const {
  const std::byte* const bytes = pages_[place.piece].read();
  if (bytes == nullptr) {
    return false;
  }
  const std::uint64_t fingerprint = fingerprint_of(place);
  if (states_[place.piece] == kAsBits) {
    return window_contains(bytes + window_offset(fingerprint), shape_.hash_count,
                           late_bits_hash(fingerprint));
  }
  const LateLevel& level = level_of(place.piece);
  return chosen_quotient_kernel().contains(
      quotient_slots_over(level.plan(), bytes),
      place_in_table(level.plan(), shape_.fingerprint_bits, fingerprint));
}

bool LateBits::insert(const Place& place) {
  const std::size_t piece = place.piece;
  const std::uint64_t fingerprint = fingerprint_of(place);
  for (;;) {
    if (states_[piece] == kAsBits) {
      std::byte* const bytes = pages_[piece].write(shape_.piece_bytes());
      if (bytes == nullptr) {
        return false;
      }
      insert_in_window(bytes + window_offset(fingerprint), shape_.hash_count, late_bits_hash(fingerprint));
      return true;
    }
    if (states_[piece] > 0 && counts_[piece] < most_keys_of(piece)) {
      const LateLevel& level = level_of(piece);
      std::byte* const words = pages_[piece].write(level.bytes);
      if (words == nullptr) {
        return false;
      }
      QuotientTally tally = {.slots = counts_[piece], .fingerprints = counts_[piece], .keys = counts_[piece]};
      if (chosen_quotient_kernel().insert(quotient_slots_over(level.plan(), words), tally,
                                          place_in_table(level.plan(), shape_.fingerprint_bits, fingerprint),
                                          1)) {
        ++counts_[piece];
        return true;
      }
    }
    // The table is full, or other keys have filled the slots after the home of this key.
    if (!raise(piece)) {
      return false;
    }
  }
}

std::uint64_t LateBits::ask(std::span<const Hash128> hashes, std::uint64_t asked) const {
  std::array<Place, 64> places;
  for_each_bit(asked, [&](std::size_t i) {
    places[i] = place_of(hashes[i].low);
    prefetch(places[i]);
  });
  std::uint64_t found = 0;
  for_each_bit(asked, [&](std::size_t i) { found |= std::uint64_t{contains(places[i])} << i; });
  return found;
}

bool LateBits::insert_table(std::size_t piece, const LateBits& other) {
  const LateLevel& from = other.level_of(piece);
  QuotientCursor cursor(quotient_slots_over(from.plan(), other.pages_[piece].read()));
  for (QuotientEntry entry; cursor.next(entry);) {
    const std::uint64_t fingerprint = fingerprint_at(from.plan(), shape_.fingerprint_bits, entry.fingerprint);
    const Place place = {.piece = piece, .rest = fingerprint << (64 - shape_.fingerprint_bits)};
    if (!contains(place) && !insert(place)) {
      return false;
    }
  }
  return true;
}

// Fingerprints can go into bits, but not bits into a table. So a piece that is bits on one side is bits in
// the union.
bool LateBits::unite(const LateBits& other) {
  for (std::size_t piece = 0; piece < pages_.size(); ++piece) {
    const std::byte* const theirs = other.pages_[piece].read();
    if (theirs == nullptr) {
      continue;
    }
    if (other.states_[piece] != kAsBits) {
      if (!insert_table(piece, other)) {
        return false;
      }
      continue;
    }
    if (states_[piece] != kAsBits && !pour(piece)) {
      return false;
    }
    std::byte* const ours = pages_[piece].write(shape_.piece_bytes());
    if (ours == nullptr) {
      return false;
    }
    std::transform(ours, ours + shape_.piece_bytes(), theirs, ours, std::bit_or<>());
  }
  return true;
}

// ---- larger pieces

void LateBits::replace(std::size_t piece, SharedPage page, std::uint8_t state) {
  size_bytes_ -= bytes_of(piece);
  file_bytes_ -= padded(bytes_of(piece));
  pages_[piece] = std::move(page);
  states_[piece] = state;
  size_bytes_ += bytes_of(piece);
  file_bytes_ += padded(bytes_of(piece));
  if (state == kAsBits) {
    counts_[piece] = 0;
    ++pieces_as_bits_;
    forget_tables();
  }
}

void LateBits::forget_tables() {
  if (is_all_bits()) {
    levels_ = {};
    counts_ = {};
  }
}

bool LateBits::raise(std::size_t piece) {
  const std::uint8_t state = states_[piece];
  if (state == levels_.size()) {
    return pour(piece);
  }
  SharedPage made;
  if (counts_[piece] > 0) {
    const LateLevel& from = level_of(piece);
    const LateLevel& to = levels_[state];
    std::byte* const words = made.write(to.bytes);
    if (words == nullptr) {
      return false;
    }
    QuotientTableWriter writer(to.plan(), reinterpret_cast<std::uint64_t*>(words));
    QuotientCursor cursor(quotient_slots_over(from.plan(), pages_[piece].read()));
    for (QuotientEntry entry; cursor.next(entry);) {
      const std::uint64_t fingerprint =
          fingerprint_at(from.plan(), shape_.fingerprint_bits, entry.fingerprint);
      entry.fingerprint = place_in_table(to.plan(), shape_.fingerprint_bits, fingerprint);
      if (!writer.append(entry)) {
        return pour(piece);  // of keys that are far from even, some find no slot
      }
    }
    static_cast<void>(writer.finish());
  }
  replace(piece, std::move(made), static_cast<std::uint8_t>(state + 1));
  return true;
}

bool LateBits::pour(std::size_t piece) {
  SharedPage made;
  if (counts_[piece] > 0) {
    const LateLevel& from = level_of(piece);
    std::byte* const bytes = made.write(shape_.piece_bytes());
    if (bytes == nullptr) {
      return false;
    }
    QuotientCursor cursor(quotient_slots_over(from.plan(), pages_[piece].read()));
    for (QuotientEntry entry; cursor.next(entry);) {
      const std::uint64_t fingerprint =
          fingerprint_at(from.plan(), shape_.fingerprint_bits, entry.fingerprint);
      insert_in_window(bytes + window_offset(fingerprint), shape_.hash_count, late_bits_hash(fingerprint));
    }
  }
  replace(piece, std::move(made), kAsBits);
  return true;
}

// ---- bytes

std::span<const std::byte> LateBits::zeros(std::uint64_t size) {
  static std::array<std::byte, kMostPieceWindows * kWindowBytes> all;  // not const, or the library has them
  return std::span(all).first(size);
}

LateBits::PieceAt LateBits::piece_at(std::uint64_t offset) const {
  if (is_all_bits()) {
    const std::uint64_t piece = offset / shape_.piece_bytes();
    return {.piece = static_cast<std::size_t>(piece), .begin = piece * shape_.piece_bytes()};
  }
  PieceAt at = {.piece = 0, .begin = 0};
  while (offset - at.begin >= bytes_of(at.piece)) {
    at.begin += bytes_of(at.piece);
    ++at.piece;
  }
  return at;
}

std::uint64_t LateBits::step(std::uint64_t offset, std::uint64_t most) const {
  PieceAt at = piece_at(offset);
  std::uint64_t end = at.begin + bytes_of(at.piece);
  while (++at.piece < pages_.size() && end + bytes_of(at.piece) - offset <= most) {
    end += bytes_of(at.piece);
  }
  return end - offset;
}

void LateBits::read(std::uint64_t offset, std::span<std::byte> out) const {
  for (PieceAt at = piece_at(offset); !out.empty(); ++at.piece) {
    const std::uint64_t size = bytes_of(at.piece);
    const std::uint64_t within = offset - at.begin;
    const auto part = out.first(std::min<std::uint64_t>(out.size(), size - within));
    if (const std::byte* const bytes = pages_[at.piece].read(); bytes != nullptr) {
      std::copy_n(bytes + within, part.size(), part.begin());
    } else {
      std::ranges::fill(part, std::byte{0});
    }
    out = out.subspan(part.size());
    offset += part.size();
    at.begin += size;
  }
}

Status LateBits::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  PieceAt at = piece_at(offset);
  if (at.begin != offset) {
    return Error::invalid_argument("piece", "expected bytes from a piece's first on");
  }
  for (; !bytes.empty() && at.piece < pages_.size(); ++at.piece) {
    const std::uint64_t size = bytes_of(at.piece);
    if (size > bytes.size()) {
      return Error::invalid_argument(
          "piece", "expected " + std::to_string(size) + " bytes, found " + std::to_string(bytes.size()));
    }
    if (size > 0) {
      BLOOMERY_RETURN_IF_ERROR(write_piece(at.piece, bytes.first(size)));
      bytes = bytes.subspan(size);
    }
  }
  return {};
}

Status LateBits::write_piece(std::size_t piece, std::span<const std::byte> bytes) {
  SharedPage made;
  std::uint16_t count = 0;
  if (!all_zeros(bytes)) {
    std::byte* const to = made.write(bytes.size());
    if (to == nullptr) {
      return no_memory();
    }
    std::ranges::copy(bytes, to);
    if (states_[piece] != kAsBits) {
      BLOOMERY_ASSIGN_OR_RETURN(count, check_table(level_of(piece), to));
    }
  }
  pages_[piece] = std::move(made);
  if (states_[piece] != kAsBits) {
    counts_[piece] = count;
  }
  return {};
}

Result<std::uint16_t> LateBits::check_table(const LateLevel& level, std::byte* words) const {
  const std::uint64_t count = *quotient_words(level.plan());
  BLOOMERY_ASSIGN_OR_RETURN(
      const QuotientTable table,
      QuotientTable::over(level.plan(), {reinterpret_cast<std::uint64_t*>(words), count}));
  QuotientCursor cursor = table.cursor();
  for (QuotientEntry entry; cursor.next(entry);) {
    const std::uint64_t fingerprint =
        fingerprint_at(level.plan(), shape_.fingerprint_bits, entry.fingerprint);
    if (entry.count != 1 || fingerprint >> shape_.fingerprint_bits != 0 ||
        place_in_table(level.plan(), shape_.fingerprint_bits, fingerprint) != entry.fingerprint) {
      return Error(ErrorCode::kCorruption, "table of a piece",
                   "expected fingerprints that keys have, each once");
    }
  }
  return static_cast<std::uint16_t>(table.tally().keys);
}

}  // namespace bloomery
