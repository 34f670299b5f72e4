// Makes key bytes from lines: it finds the key in a line and converts it to the bytes that are hashed.
//
// A line that is its own key is not copied. The bytes of all other keys are one behind the other in one
// KeyWriter. Canonical URLs are made here and not with the other forms, because they need a library for
// international names. key_hasher.h hashes the keys.
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

// The place of the key in the line. Unlike the KeyTreatment it may differ from file to file.
struct KeyPlace {
  FieldList fields;  // empty means the whole line
  char delimiter = '\t';
  bool crlf = false;              // a CR before the line's end is part of the line's end
  Digest digest = Digest::kNone;  // the key is this digest of the text, which other files spell in hex
};

// One thread at a time.
class KeyMaker {
 public:
  // Preconditions: treatment.parts agrees with part_count(place.fields); with a digest the form is hex.
  KeyMaker(const KeyTreatment& treatment, KeyPlace place);

  bool line_is_key() const { return line_is_key_; }

  // Appends the key of one line to `writer`. Errors: kInvalidArgument if it is not of the key form; part of
  // it may have been appended then.
  Status append(KeyWriter& writer, std::string_view line);

  // Sets keys[i] to the key of lines[i]. The key is a view of the line if the line is the key; otherwise it
  // is in memory that is kept until the next call. Errors: those of append(), with the number of the line,
  // counted from `first_line`. `keys` then has the keys of the lines before it.
  Status make(std::span<const std::string_view> lines, std::uint64_t first_line,
              std::vector<std::string_view>& keys);

  // Returns how many of the lines given so far had a key, or part of one, that is no URL and was taken as it
  // is. Returns 0 for other forms.
  std::uint64_t lines_without_url() const { return lines_without_url_; }

  // Turns an error of append() into one that names its line.
  static Error of_line(const Error& error, std::uint64_t line);

 private:
  Status append_pieces(KeyWriter& writer, std::string_view line);
  Status append_piece(KeyWriter& writer, std::string_view text);

  KeyTreatment treatment_;
  KeyPlace place_;
  bool line_is_key_;
  std::optional<UrlCanonicalizer> urls_;  // for the form url
  bool all_urls_ = true;                  // whether all pieces of the current line are URLs
  std::uint64_t lines_without_url_ = 0;
  std::vector<std::string_view> parts_;
  KeyWriter writer_;
  std::vector<std::size_t> ends_;  // where each key in writer_ ends
};

}  // namespace bloomery
