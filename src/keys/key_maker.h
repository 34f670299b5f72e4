// Makes key bytes from lines: it finds the key in a line and converts it to the bytes that are hashed.
//
// A line that is its own key is not copied. The bytes of all other keys are stored consecutively in one
// KeyWriter. Canonical URLs are computed here and not with the other forms, because they need a library for
// international names.
//
// A line may have no key; KeyPlace decides whether it is then left out. A line that is queried in a block
// list has several keys (ask_at()). key_hasher.h hashes the keys.
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

// Threads: one at a time.
class KeyMaker {
 public:
  // With a type, keys of the form text are keys of that type, and keys of another form are checked against
  // it. The treatment's parts must agree with place.parts(), and for the form text with the type's. With a
  // digest the form must be hex. A form other than text must be one that the type accepts.
  KeyMaker(const KeyTreatment& treatment, KeyPlace place, KeyPurpose purpose = KeyPurpose::kName,
           std::shared_ptr<const KeyType> type = nullptr);

  // From now on the key of a line consists of its questions, one after the other. question_ends() returns the
  // end of each in the writer, for the last line. Precondition: the form is a block-list form.
  void ask_at(const KeyLevels& levels) { asked_levels_ = levels; }
  std::span<const std::size_t> question_ends() const { return question_ends_; }

  bool line_is_key() const { return line_is_key_; }

  // Calls FieldReader::begin_file(): required once per file if a header names the column.
  Status begin_file(std::string_view header);

  // Appends the key of one line to `writer`. Returns false if the line is left out; then, as after an error,
  // the writer may contain a part of its key. Errors: kInvalidArgument if the line is malformed, lacks a
  // field, or has a key that is not of the key form, unless the place says that it is left out.
  Result<bool> append(KeyWriter& writer, std::string_view line);

  // Sets keys[i] to the key of the i-th line that is not left out. The key is a view of the line if the line
  // is the key; otherwise it is in memory that is kept until the next call. Errors: kInvalidArgument, like
  // append(), with the number of the line, counted from `first_line`. `keys` then has the keys of the lines
  // before it.
  Status make(std::span<const std::string_view> lines, std::uint64_t first_line,
              std::vector<std::string_view>& keys);
  // Does the same for a batch and its header, if any. Drops the lines that are left out from the batch.
  Status make(LineBatch& batch, std::uint64_t first_line, std::vector<std::string_view>& keys);
  // Returns the lines that the last make() left out, counted from 0, ascending.
  std::span<const std::uint32_t> left_out() const { return left_out_; }
  // Returns the number of the line, counted from 0, at which the last make() failed. Precondition:
  // it has failed.
  std::size_t bad_line() const { return bad_line_; }

  // Counts lines that are their own keys and need no append(). Precondition: line_is_key().
  void count_taken(std::uint64_t lines) { tally_.taken += lines; }
  // Returns counts of the lines so far.
  const KeyTally& tally() const { return tally_; }
  // Returns the size of the nonempty keys if all lines so far had one-part keys of the form hex and of one
  // size, and digests have that size (is_digest_width()). Otherwise returns 0.
  std::uint16_t digest_bytes() const {
    return width_ && is_digest_width(*width_) ? static_cast<std::uint16_t>(*width_) : std::uint16_t{0};
  }
  // Returns the number of lines so far with a key, or part of a key, that is not a URL and was used
  // unchanged. Returns 0 for other forms.
  std::uint64_t lines_without_url() const { return tally_.without_url; }

  // Adds the number of the line to an error of append().
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
  FormedText formed_;  // for all forms except block-list forms
  FieldReader fields_;
  bool line_is_key_;
  std::shared_ptr<const KeyType> type_;
  bool is_typed_ = false;                    // the type makes the key from the text
  std::optional<BlockListKeys> block_list_;  // for the block-list forms
  std::optional<KeyLevels> asked_levels_;
  std::vector<std::size_t> question_ends_;
  bool all_urls_ = true;  // all texts of the current line are URLs
  KeyTally tally_;
  std::optional<std::size_t> width_;                 // size of all nonempty hex keys; 0 if sizes differ
  std::optional<std::vector<std::byte>> first_key_;  // the first key that was made from fields
  std::vector<std::string_view> parts_;
  KeyWriter writer_;
  struct Extent {
    std::size_t begin;
    std::size_t end;
  };
  std::vector<Extent> extents_;  // the range of each key in writer_
  std::vector<std::uint32_t> left_out_;
  std::size_t bad_line_ = 0;
};

}  // namespace bloomery
