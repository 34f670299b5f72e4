// Magic bytes of binary files that people mistake for lists of keys or for filters, with the kind's name.
//
// Each is long enough that no text begins so. A reader of another kind of file names the kind in its error.
// Sources: the formats' own documents. Not here: formats that may begin like text, such as tar; compressed
// files, which are read (decompress.h).
#pragma once

#include <array>
#include <string_view>

namespace bloomery {

struct FileBeginning {
  std::string_view bytes;
  std::string_view kind;
};

// Returns the kind of a file that begins with these bytes; empty for any other. 16 bytes are enough.
constexpr std::string_view kind_by_beginning(std::string_view front) {
  using namespace std::string_view_literals;
  constexpr std::array<FileBeginning, 7> kBeginnings = {{
      {"Bloomery\1\0\0\0"sv, "a filter of ours"},
      {"PAR1\x15"sv, "a Parquet file"},
      {"\x04\x22\x4d\x18"sv, "a file of LZ4"},
      {"PK\3\4"sv, "a zip archive"},
      {"\xac\xed\0\5"sv, "an object of Java's serialisation"},
      {"SQLite format 3\0"sv, "an SQLite database"},
      {"\x7f"
       "ELF"sv,
       "a program (ELF)"},
  }};
  for (const FileBeginning& known : kBeginnings) {
    if (front.starts_with(known.bytes)) {
      return known.kind;
    }
  }
  return {};
}

}  // namespace bloomery
