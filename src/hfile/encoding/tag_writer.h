// Writes the tags of a cell in the encodings PREFIX, DIFF and FAST_DIFF; tag_reader.h has the layout.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hfile/byte_writer.h"
#include "hfile/encoding/tag_dictionary.h"

namespace bloomery::hfile {

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

}  // namespace bloomery::hfile
