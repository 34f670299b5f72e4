// What the decoders of data blocks have in common: the cell they read, and how a file's cells are laid out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bloomery::hfile {

// Of all cells of a file; file info says it.
struct CellLayout {
  bool has_tags = false;
  bool has_mvcc = false;
  bool tags_by_dictionary = false;  // in the encodings that have a dictionary: prefix, diff, fast diff
};

// A cell whose key is flat. Views of the block, or of the decoder's buffers until it goes on.
struct FlatCell {
  std::string_view key = {};
  std::string_view value = {};
  std::string_view tags = {};
  std::int64_t mvcc = 0;
};

// What reading the next cell came to.
enum class Step { kCell, kEnd, kDamaged };

// Of a flat key: all but row, family and qualifier; its end.
inline constexpr std::size_t kKeyFixedBytes = 12;
inline constexpr std::size_t kTimestampBytes = 8;
inline constexpr std::size_t kTimestampTypeBytes = 9;

}  // namespace bloomery::hfile
