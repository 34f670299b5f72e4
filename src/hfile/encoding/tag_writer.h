// Writes the tags of a cell in the encodings PREFIX, DIFF and FAST_DIFF; tag_reader.h has the layout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hfile/byte_writer.h"

namespace bloomery::hfile {

class TagWriter {
 public:
  enum class Form { kPlain, kDictionary };

  explicit TagWriter(Form form) : form_(form) {}

  // A block begins, and with it the dictionary.
  void start() {
    count_ = 0;
    now_ = 0;
  }
  // Precondition: `tags` are whole tags, in fewer than 2^16 bytes.
  void write(ByteWriter& out, std::string_view tags);

 private:
  static constexpr std::size_t kPlaces = 127;

  std::optional<std::size_t> find(std::string_view tag);
  void add(std::string_view tag);

  Form form_;
  std::array<std::string, kPlaces> tags_;
  std::array<std::uint64_t, kPlaces> used_at_{};
  std::size_t count_ = 0;
  std::uint64_t now_ = 0;
};

}  // namespace bloomery::hfile
