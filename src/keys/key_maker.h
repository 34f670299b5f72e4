// From lines to key bytes: what of a line is its key, in the bytes that are hashed.
//
// Lines whose key is the line itself are not copied. The bytes of all others lie one behind the other in one
// KeyWriter. Canonical URLs are made here and not with the other forms, which know no library for
// international names. Not here: hashing (key_hasher.h).
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
#include "keys/digest.h"
#include "keys/field_list.h"
#include "keys/url/canonical_url.h"

namespace bloomery {

// How the key stands in the line; unlike the KeyTreatment this may differ from file to file.
struct KeyPlace {
  FieldList fields;  // empty: the whole line
  char delimiter = '\t';
  bool crlf = false;              // a CR before the line's end belongs to the line's end
  Digest digest = Digest::kNone;  // the text stands for its digest, which other files spell in hex
};

// One thread at a time.
class KeyMaker {
 public:
  // Preconditions: treatment.parts agrees with part_count(place.fields); with a digest the form is hex.
  KeyMaker(const KeyTreatment& treatment, KeyPlace place);

  bool line_is_key() const { return line_is_key_; }

  // Appends the key of one line to `writer`. Errors: kInvalidArgument when it is not of the key form; part of
  // it may have been appended then.
  Status append(KeyWriter& writer, std::string_view line);

  // keys[i] = the key of lines[i]: a view of the line where that is the key, else of memory that is kept
  // until the next call. Errors: those of append(), named by the line's number, counted from `first_line`;
  // `keys` are of the lines before it then.
  Status make(std::span<const std::string_view> lines, std::uint64_t first_line,
              std::vector<std::string_view>& keys);

  // How many lines of those given so far had a key, or part of one, that is no URL and was taken as it is. 0
  // for other forms.
  std::uint64_t lines_without_url() const { return lines_without_url_; }

  // An error of append() as one of a line.
  static Error of_line(const Error& error, std::uint64_t line);

 private:
  Status append_pieces(KeyWriter& writer, std::string_view line);
  Status append_piece(KeyWriter& writer, std::string_view text);

  KeyTreatment treatment_;
  KeyPlace place_;
  bool line_is_key_;
  std::optional<UrlCanonicalizer> urls_;  // of form url
  bool all_urls_ = true;                  // the pieces of the line at hand
  std::uint64_t lines_without_url_ = 0;
  std::vector<std::string_view> parts_;
  KeyWriter writer_;
  std::vector<std::size_t> ends_;  // of the keys in it
};

}  // namespace bloomery
