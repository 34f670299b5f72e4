// The tags of a cell in the encodings PREFIX, DIFF and FAST_DIFF, as they are or by a dictionary.
//
//   compressed int, bytes of the tags | the tags, each
//     as it is             u16 length | bytes
//     by a dictionary      ff | compressed int, length | bytes      a new one, which takes a number
//                          u16 number                               one that was there
//
// The dictionary (tag_dictionary.h) begins empty in every block. Source: docs/formats/hfile.md.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "hfile/encoding/byte_reader.h"
#include "hfile/encoding/tag_dictionary.h"

namespace bloomery::hfile {

class TagReader {
 public:
  // A block begins.
  void start(bool by_dictionary) {
    if (by_dictionary) {
      dictionary_.emplace();
    }
  }
  // The tags in their plain form; valid until the next call. Damage is remembered by the reader, or answered
  // by false.
  bool read(ByteReader& reader, std::string_view& tags);

 private:
  bool read_by_dictionary(ByteReader& reader, std::size_t size);

  std::optional<TagDictionary<std::string_view>> dictionary_;  // of the block's bytes
  std::string plain_;
};

}  // namespace bloomery::hfile
