// Writes the cells of data blocks, one block after the other, in the file's encoding.
//
//   Calls: (begin add+ end)*
//
// A block is full if the size of its cells, plain or encoded, reaches the block size. Other bytes of the
// block do not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "bloomery/hfile/cell.h"
#include "bloomery/hfile/hfile_choices.h"
#include "hfile/block_header.h"
#include "hfile/byte_writer.h"
#include "hfile/encoding/delta_encoders.h"
#include "hfile/encoding/flat_cell.h"
#include "hfile/encoding/key_bytes.h"
#include "hfile/encoding/plain_encoder.h"

namespace bloomery::hfile {

class DataBlockEncoder {
 public:
  DataBlockEncoder(DataEncoding encoding, const CellLayout& layout);

  BlockKind kind() const {
    return encoding_ == DataEncoding::kNone ? BlockKind::kData : BlockKind::kEncodedData;
  }
  bool is_full(std::size_t block_bytes) const {
    return sizes_.plain >= block_bytes || sizes_.encoded >= block_bytes;
  }

  void begin(ByteWriter& out) {
    sizes_ = {};
    if (encoding_ != DataEncoding::kNone) {
      out.number(static_cast<std::uint16_t>(encoding_));
    }
    std::visit([&](auto& encoder) { encoder.begin(out); }, encoder_);
  }

  // `before` is the key of the previous cell, null for the first cell of a block.
  void add(ByteWriter& out, const KeyBytes& key, const KeyBytes* before, const Cell& cell) {
    if (const PlainEncoder* const plain = std::get_if<PlainEncoder>(&encoder_)) {
      count(plain->add(out, key, before, cell));  // inlined: no call for the most common encoding
      return;
    }
    count(std::visit([&](auto& encoder) { return encoder.add(out, key, before, cell); }, encoder_));
  }

  void end(ByteWriter& out) {
    std::visit([&](auto& encoder) { encoder.end(out); }, encoder_);
  }

 private:
  void count(const EncodedSizes& sizes) {
    sizes_.plain += sizes.plain;
    sizes_.encoded += sizes.encoded;
  }

  DataEncoding encoding_;
  std::variant<PlainEncoder, PrefixEncoder, DiffEncoder, FastDiffEncoder, RowIndexEncoder> encoder_;
  EncodedSizes sizes_;
};

}  // namespace bloomery::hfile
