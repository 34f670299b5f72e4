// From lines to key bytes: what of a line is its key, in the bytes that are hashed.
//
// Lines whose key is the line itself are not copied. The bytes of all others lie one behind the other in one
// KeyWriter. Canonical URLs are made here and not with the other forms, which know no library for
// international names.
//
// A line may have no key, and is then left out: KeyPlace says when. Not here: hashing (key_hasher.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_writer.h"
#include "keys/field_reader.h"
#include "keys/key_place.h"
#include "keys/key_tally.h"
#include "keys/line_reader.h"
#include "keys/url/canonical_url.h"

namespace bloomery {

// One thread at a time.
class KeyMaker {
 public:
  // Precondition: treatment.parts agrees with place.parts().
  KeyMaker(const KeyTreatment& treatment, KeyPlace place);

  bool line_is_key() const { return line_is_key_; }

  // As FieldReader's: once per file whose lines are named columns.
  Status begin_file(std::string_view header);

  // Appends the key of one line to `writer`. Returns false if the line is left out; part of its key may have
  // been appended then, as with an error. Errors: kInvalidArgument for a line that is malformed, lacks a
  // field, or has a key that is not of the key form, unless the place says to leave it out.
  Result<bool> append(KeyWriter& writer, std::string_view line);

  // keys[i] = the key of the i-th line that is not left out: a view of the line where that is the key, else
  // of memory that is kept until the next call. Errors: those of append(), named by the line's number,
  // counted from `first_line`; `keys` are of the lines before it then.
  Status make(std::span<const std::string_view> lines, std::uint64_t first_line,
              std::vector<std::string_view>& keys);
  // The same for a batch, with the header that it may have. Drops from it the lines that are left out.
  Status make(LineBatch& batch, std::uint64_t first_line, std::vector<std::string_view>& keys);
  // The lines that the last make() left out, counted from 0, ascending.
  std::span<const std::uint32_t> left_out() const { return left_out_; }

  // What was met in the lines given so far.
  const KeyTally& tally() const { return tally_; }
  std::uint64_t lines_without_url() const { return tally_.without_url; }

  // An error of append() as one of a line.
  static Error of_line(const Error& error, std::uint64_t line);

 private:
  Result<bool> append_pieces(KeyWriter& writer, std::string_view line);
  Result<bool> select_parts(std::string_view line);
  Status append_piece(KeyWriter& writer, std::string_view text);
  void compare_with_first(std::span<const std::byte> key);

  KeyTreatment treatment_;
  FieldReader fields_;
  bool line_is_key_;
  std::optional<UrlCanonicalizer> urls_;  // of form url
  bool all_urls_ = true;                  // the pieces of the line at hand
  KeyTally tally_;
  std::optional<std::vector<std::byte>> first_key_;  // of those that are made of fields
  std::vector<std::string_view> parts_;
  KeyWriter writer_;
  struct Extent {
    std::size_t begin;
    std::size_t end;
  };
  std::vector<Extent> extents_;  // of the keys in it
  std::vector<std::uint32_t> left_out_;
};

}  // namespace bloomery
