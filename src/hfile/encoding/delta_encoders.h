// The encoders of PREFIX, DIFF and FAST_DIFF, which write a key as its difference from the key before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/hfile/cell.h"
#include "hfile/byte_writer.h"
#include "hfile/encoding/flat_cell.h"
#include "hfile/encoding/key_bytes.h"
#include "hfile/encoding/plain_encoder.h"
#include "hfile/encoding/shared_bytes.h"
#include "hfile/encoding/tag_dictionary.h"

namespace bloomery::hfile {

// Writes the tags of a cell in the encodings PREFIX, DIFF and FAST_DIFF; tag_reader.h has the layout.
class TagWriter {
 public:
  explicit TagWriter(bool by_dictionary) {
    if (by_dictionary) {
      dictionary_.emplace();
    }
  }

  // Begins a block, with an empty dictionary.
  void start() {
    if (dictionary_) {
      dictionary_->clear();
    }
  }
  // Precondition: `tags` are complete tags of fewer than 2^16 bytes in total.
  void write(ByteWriter& out, std::string_view tags);

 private:
  std::optional<TagDictionary<std::string>> dictionary_;
};

// Writes the cells of one block after the other; encoded_cells.h has the layout.   Calls: (begin add* end)*
//
// KeyEncoder::add(out, key, before, cell) writes a cell's key and value. `before` is the previous key, null
// for the first one of a block. This class writes the size before the cells, and after each value the tags
// and the mvcc.
template <typename KeyEncoder>
class DeltaEncoder {
 public:
  explicit DeltaEncoder(const CellLayout& layout) : layout_(layout), tags_(layout.tags_by_dictionary) {}

  void begin(ByteWriter& out) {
    plain_bytes_at_ = out.size();
    plain_bytes_ = 0;
    out.number(std::uint32_t{0});
    tags_.start();
  }

  EncodedSizes add(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, const Cell& cell) {
    const std::size_t begin = out.size();
    keys_.add(out, key, before, cell);
    std::size_t plain = 8 + key.flat().size() + cell.value.size();
    if (layout_.has_tags) {
      tags_.write(out, cell.tags);
      plain += 2 + cell.tags.size();
    }
    if (layout_.has_mvcc) {
      plain += out.vlong(cell.mvcc);
    }
    plain_bytes_ += plain;
    return {plain, out.size() - begin};
  }

  void end(ByteWriter& out) const {
    store_big(out.data() + plain_bytes_at_, static_cast<std::uint32_t>(plain_bytes_));
  }

 private:
  CellLayout layout_;
  TagWriter tags_;
  KeyEncoder keys_;
  std::size_t plain_bytes_at_ = 0;
  std::size_t plain_bytes_ = 0;
};

// Writes the encoding PREFIX; prefix_cells.h has the layout.
class PrefixKeyEncoder {
 public:
  void add(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, const Cell& cell) const {
    const std::size_t shared = before == nullptr ? 0 : shared_bytes(key, *before);
    out.compressed_int(key.flat().size() - shared);
    out.compressed_int(cell.value.size());
    out.compressed_int(shared);
    out.append(key.flat().substr(shared));
    out.append(cell.value);
  }

 private:
  // Returns the number of bytes that the two keys share. If the columns are equal, timestamp and type count
  // too.
  static std::size_t shared_bytes(const KeyBytes& key, const KeyBytes& before) {
    const std::size_t of_column = shared_column_bytes(key, before);
    const std::size_t front = key.flat().size() - kTimestampTypeBytes;
    const bool same_column = of_column == front && key.flat().size() == before.flat().size();
    return same_column ? front + shared_front(key.flat().substr(front), before.flat().substr(front))
                       : of_column;
  }
};

using PrefixEncoder = DeltaEncoder<PrefixKeyEncoder>;

// Writes the encoding DIFF; diff_cells.h has the layout. A timestamp is stored as a difference if that needs
// fewer bytes.
class DiffKeyEncoder {
 public:
  void add(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, const Cell& cell);

 private:
  std::size_t value_bytes_before_ = 0;
};

using DiffEncoder = DeltaEncoder<DiffKeyEncoder>;

// Writes the encoding FAST_DIFF; fast_diff_cells.h has the layout.
class FastDiffKeyEncoder {
 public:
  void add(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, const Cell& cell);

 private:
  void add_first(ByteWriter& out, const KeyBytes& key, const Cell& cell);
  void add_value(ByteWriter& out, std::string_view value);

  // The previous cell's value: its position in the block and its size.
  std::size_t value_at_ = 0;
  std::size_t value_bytes_ = 0;
};

using FastDiffEncoder = DeltaEncoder<FastDiffKeyEncoder>;

}  // namespace bloomery::hfile
