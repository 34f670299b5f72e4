// The common part of the decoders of PREFIX, DIFF and FAST_DIFF, which store a cell as its difference from
// the previous one.
//
//   block:   u32 plain bytes | cell | cell | ...                                     big-endian
//   cell:    key and value in the form of the encoding | [tags] | [vlong mvcc]
//
// "Plain bytes" is the size that all cells of the block would have in a block that is not encoded. Tags and
// mvcc are present if the file has them (CellLayout); tag_reader.h has the format of the tags.
//
// The decoder builds each key in a buffer, so that the next key can reuse the bytes that it shares. Values
// are views of the block. So are tags, unless they use a dictionary.
//
// Invariant: the plain sizes of the cells add up to the first number. So no key is larger than that number.
// Source: docs/formats/hfile.md.
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

// The previously decoded cell.
struct EncodedState {
  std::string key;  // flat
  std::string_view value;
  bool is_first = true;

  std::size_t row_bytes() const {
    return static_cast<std::size_t>(static_cast<unsigned char>(key[0]) << 8 |
                                    static_cast<unsigned char>(key[1]));
  }
};

// The decoder of one encoding offers two functions. Each returns false at damage.
//
//   Decoder::start(reader)         reads what precedes the first cell
//   Decoder::read(reader, state)   reads a cell's key and value into the state
template <typename Decoder>
class EncodedCells {
 public:
  // `payload` starts after the id of the encoding. Returns false at damage.
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
    reader_.bytes(reader_.left() + 1);  // puts the reader into its failed state, which is permanent
    return Step::kDamaged;
  }

  ByteReader reader_;
  CellLayout layout_;
  TagReader tags_;
  EncodedState state_;
  std::size_t plain_bytes_left_ = 0;
  Decoder decoder_;
};

// Keeps the first `common` bytes of `key` and replaces the others by `rest`. Returns false if `key` is
// shorter.
inline bool replace_key_end(std::string& key, std::size_t common, std::string_view rest) {
  if (common > key.size()) {
    return false;
  }
  key.resize(common);
  key.append(rest);
  return true;
}

}  // namespace bloomery::hfile
