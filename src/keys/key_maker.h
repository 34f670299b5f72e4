// Makes key bytes from lines: it finds the key in a line and converts it to the bytes that are hashed.
//
// A line that is its own key is not copied. The bytes of all other keys are one behind the other in one
// KeyWriter. Canonical URLs are made here and not with the other forms, because they need a library for
// international names.
//
// A line may have no key. KeyPlace says whether it is then left out. A line that a block list is asked about has
// several keys (ask_at()). key_hasher.h hashes the keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_type.h"
#include "bloomery/hash/key_writer.h"
#include "keys/block_list_keys.h"
#include "keys/field_reader.h"
#include "keys/formed_text.h"
#include "keys/key_place.h"
#include "keys/key_tally.h"
#include "keys/line_reader.h"

namespace bloomery {

// One thread at a time.
class KeyMaker {
 public:
  // With a type, keys of the form text are keys of that type, and those of another form are checked to be. The
  // treatment's parts must agree with place.parts(), and for the form text with the type's. With a digest the form must
  // be hex. The type must take a form that is not text.
  KeyMaker(const KeyTreatment& treatment, KeyPlace place, KeyPurpose purpose = KeyPurpose::kName,
           std::shared_ptr<const KeyType> type = nullptr);

  // From now on the key of a line is that of its questions, one behind the other. question_ends() says where in the
  // writer each ends, for the last line. Precondition: the form is one of block lists.
  void ask_at(const KeyLevels& levels) { asked_levels_ = levels; }
  std::span<const std::size_t> question_ends() const { return question_ends_; }

  bool line_is_key() const { return line_is_key_; }

  // The same as FieldReader's: it is called once per file whose lines are named columns.
  Status begin_file(std::string_view header);

  // Appends the key of one line to `writer`. Returns false if the line is left out; part of its key may have
  // been appended then, as with an error. Errors: kInvalidArgument if the line is malformed, lacks a field, or
  // has a key that is not of the key form, unless the place says that it is left out.
  Result<bool> append(KeyWriter& writer, std::string_view line);

  // Sets keys[i] to the key of the i-th line that is not left out. The key is a view of the line if the line
  // is the key; otherwise it is in memory that is kept until the next call. Errors: those of append(), with the
  // number of the line, counted from `first_line`. `keys` then has the keys of the lines before it.
  Status make(std::span<const std::string_view> lines, std::uint64_t first_line,
              std::vector<std::string_view>& keys);
  // The same for a batch, with the header that it may have. Drops from it the lines that are left out.
  Status make(LineBatch& batch, std::uint64_t first_line, std::vector<std::string_view>& keys);
  // The lines that the last make() left out, counted from 0, ascending.
  std::span<const std::uint32_t> left_out() const { return left_out_; }
  // The number of the line, counted from 0, at which the last make() failed. Precondition: it has failed.
  std::size_t bad_line() const { return bad_line_; }

  // Counts lines that are their own keys and need no append(). Precondition: line_is_key().
  void count_taken(std::uint64_t lines) { tally_.taken += lines; }
  // Returns what was met in the lines given so far.
  const KeyTally& tally() const { return tally_; }
  // Returns how many bytes each key had that was not empty, if all lines given so far had digests of one width as keys of
  // the form hex and of one part; otherwise 0.
  std::uint16_t digest_bytes() const {
    return width_ && is_digest_width(*width_) ? static_cast<std::uint16_t>(*width_) : std::uint16_t{0};
  }
  // Returns how many of the lines given so far had a key, or part of one, that is no URL and was taken as it
  // is. Returns 0 for other forms.
  std::uint64_t lines_without_url() const { return tally_.without_url; }

  // Turns an error of append() into one that names its line.
  static Error of_line(const Error& error, std::uint64_t line);

 private:
  Result<bool> append_pieces(KeyWriter& writer, std::string_view line);
  Result<bool> select_parts(std::string_view line);
  Status append_piece(KeyWriter& writer, std::string_view text);
  Status append_formed_piece(KeyWriter& writer, std::string_view text);
  Status append_typed(KeyWriter& writer);
  Status append_of_list(KeyWriter& writer, std::string_view text);
  void compare_with_first(std::span<const std::byte> key);
  void note_width(std::size_t bytes);

  KeyTreatment treatment_;
  FormedText formed_;  // for all forms but those of block lists
  FieldReader fields_;
  bool line_is_key_;
  std::shared_ptr<const KeyType> type_;
  bool is_typed_ = false;                    // whether the type makes the key of the text
  std::optional<BlockListKeys> block_list_;  // for the forms of block lists
  std::optional<KeyLevels> asked_levels_;
  std::vector<std::size_t> question_ends_;
  bool all_urls_ = true;  // whether all pieces of the current line are URLs
  KeyTally tally_;
  std::optional<std::size_t> width_;  // of all keys of the form hex that are not empty; 0: they have several
  std::optional<std::vector<std::byte>> first_key_;  // the first key that was made of fields
  std::vector<std::string_view> parts_;
  KeyWriter writer_;
  struct Extent {
    std::size_t begin;
    std::size_t end;
  };
  std::vector<Extent> extents_;  // where each key is in writer_
  std::vector<std::uint32_t> left_out_;
  std::size_t bad_line_ = 0;
};

}  // namespace bloomery
