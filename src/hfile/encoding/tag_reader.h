// Reads the tags of a cell in PREFIX, DIFF and FAST_DIFF.
//
//   compressed int, plain size of the tags | tag | tag | ...
//
//   a tag, plain              u16 length | bytes
//   a tag, by a dictionary    ff | compressed int, length | bytes      a new tag, added to the dictionary
//                             u16 number                               a tag of the dictionary
//
// One file has one of the two forms for all tags (CellLayout::tags_by_dictionary). The dictionary
// (tag_dictionary.h) is empty at the start of every block. Source: docs/formats/hfile.md.
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
  // Begins a block.
  void start(bool by_dictionary) {
    if (by_dictionary) {
      dictionary_.emplace();
    }
  }
  // Sets `tags` to the tags in their plain form, valid until the next call. At damage it returns false, or
  // `reader` has failed.
  bool read(ByteReader& reader, std::string_view& tags);

 private:
  bool read_by_dictionary(ByteReader& reader, std::size_t size);

  std::optional<TagDictionary<std::string_view>> dictionary_;  // of views of the block
  std::string plain_;
};

}  // namespace bloomery::hfile
