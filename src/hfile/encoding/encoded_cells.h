// What PREFIX, DIFF and FAST_DIFF have in common: cells that are told by their difference to the one before.
//
//   u32 bytes of all cells when plain | cells to the end of the block                          big-endian
//   behind each cell's value: its tags, where the file has tags; a vlong mvcc, where it has that
//
// The key is put together in a buffer, where the next one finds what it shares. Values, and tags as they are,
// are views of the block. Invariant: the cells' plain sizes add up to the first number, and no key is larger
// than it. Source: docs/formats/hfile.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hfile/encoding/byte_reader.h"
#include "hfile/encoding/flat_cell.h"
#include "hfile/encoding/tag_reader.h"

namespace bloomery::hfile {

// Of the cell before.
struct EncodedState {
  std::string key;  // flat
  std::string_view value;
  bool is_first = true;

  std::size_t row_bytes() const {
    return static_cast<std::size_t>(static_cast<unsigned char>(key[0]) << 8 |
                                    static_cast<unsigned char>(key[1]));
  }
};

// Decoder::start(reader) reads what stands in front of the first cell, Decoder::read(reader, state) a cell's
// key and value into the state; each returns whether that was possible.
template <typename Decoder>
class EncodedCells {
 public:
  // `payload` without the number of the encoding. False at damage.
  bool start(std::span<const std::byte> payload, const CellLayout& layout) {
    reader_ = ByteReader(payload);
    layout_ = layout;
    tags_.start(layout.tags_by_dictionary);
    plain_bytes_left_ = reader_.number<std::uint32_t>();
    state_.key.clear();
    state_.value = {};
    state_.is_first = true;
    return (reader_.at_end() || decoder_.start(reader_)) && !reader_.failed();
  }

  Step next(FlatCell& cell) {
    if (reader_.at_end() && !reader_.failed()) {
      return plain_bytes_left_ == 0 ? Step::kEnd : Step::kDamaged;
    }
    cell.tags = {};
    if (!decoder_.read(reader_, state_) || (layout_.has_tags && !tags_.read(reader_, cell.tags))) {
      return damaged();
    }
    const std::size_t before_mvcc = reader_.position();
    cell.mvcc = layout_.has_mvcc ? reader_.vlong() : 0;
    const std::size_t plain_bytes = 8 + state_.key.size() + state_.value.size() +
                                    (layout_.has_tags ? 2 + cell.tags.size() : 0) +
                                    (reader_.position() - before_mvcc);
    if (reader_.failed() || plain_bytes > plain_bytes_left_) {
      return damaged();
    }
    plain_bytes_left_ -= plain_bytes;
    state_.is_first = false;
    cell.key = state_.key;
    cell.value = state_.value;
    return Step::kCell;
  }

  std::size_t position() const { return reader_.position(); }

 private:
  Step damaged() {
    reader_.bytes(reader_.left() + 1);  // so that it stays damaged
    return Step::kDamaged;
  }

  ByteReader reader_;
  CellLayout layout_;
  TagReader tags_;
  EncodedState state_;
  std::size_t plain_bytes_left_ = 0;
  Decoder decoder_;
};

// Makes `key` its first `common` bytes and `rest`.
inline bool replace_key_end(std::string& key, std::size_t common, std::string_view rest) {
  if (common > key.size()) {
    return false;
  }
  key.resize(common);
  key.append(rest);
  return true;
}

}  // namespace bloomery::hfile
