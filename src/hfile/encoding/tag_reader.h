// The tags of a cell in the encodings PREFIX, DIFF and FAST_DIFF, as they are or by a dictionary.
//
//   compressed int, bytes of the tags | the tags, each
//     as it is             u16 length | bytes
//     by a dictionary      ff | compressed int, length | bytes      a new one, which takes a number
//                          u16 number                               one that was there
//
// The dictionary has 127 places and begins empty in every block; when it is full, a new tag takes the place
// of the one that was not used for longest. Source: docs/formats/hfile.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "hfile/encoding/byte_reader.h"

namespace bloomery::hfile {

class TagDictionary {
 public:
  static constexpr std::size_t kPlaces = 127;

  void clear();
  // `tag` outlives the block.
  void add(std::string_view tag);
  // Empty when there is none.
  std::string_view use(std::size_t number);

 private:
  std::array<std::string_view, kPlaces> tags_;
  std::array<std::uint64_t, kPlaces> used_at_;
  std::size_t count_ = 0;
  std::uint64_t now_ = 0;
};

class TagReader {
 public:
  enum class Form { kPlain, kDictionary };

  void start(Form form) {
    form_ = form;
    dictionary_.clear();
  }
  // The tags in their plain form; valid until the next call. Damage is remembered by the reader, or answered
  // by false.
  bool read(ByteReader& reader, std::string_view& tags);

 private:
  bool read_by_dictionary(ByteReader& reader, std::size_t size);

  Form form_ = Form::kPlain;
  TagDictionary dictionary_;
  std::string plain_;
};

}  // namespace bloomery::hfile
