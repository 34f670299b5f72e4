// Writes the tags of a cell in the encodings PREFIX, DIFF and FAST_DIFF; tag_reader.h has the layout.
#pragma once

#include <string>
#include <string_view>

#include "hfile/byte_writer.h"
#include "hfile/encoding/tag_dictionary.h"

namespace bloomery::hfile {

class TagWriter {
 public:
  enum class Form { kPlain, kDictionary };

  explicit TagWriter(Form form) : form_(form) {}

  // A block begins, and with it the dictionary.
  void start() { dictionary_.clear(); }
  // Precondition: `tags` are whole tags, in fewer than 2^16 bytes.
  void write(ByteWriter& out, std::string_view tags);

 private:
  Form form_;
  TagDictionary<std::string> dictionary_;
};

}  // namespace bloomery::hfile
