// Extracts the fields that form the key from a line, as a KeyPlace specifies.
//
//   (begin_file? select*)*     begin_file() once per file if the place has a header
//
// Not here: the bytes of the key (key_maker.h), parsing of field lists (field_list.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "keys/json_field.h"
#include "keys/key_place.h"

namespace bloomery {

// Threads: one at a time.
class FieldReader {
 public:
  explicit FieldReader(KeyPlace place);

  const KeyPlace& place() const { return place_; }

  // Finds the place's column in the header line of a file. Errors: kInvalidArgument if the column is missing
  // or ambiguous, or the header is malformed.
  Status begin_file(std::string_view header);

  // Sets `parts` to the fields of the key, in the order of the place. They are views of the line, or of
  // memory that is kept until the next call. Returns true if the line has all of them; a missing field
  // becomes an empty part. Without fields, the line is the only part. Errors: kInvalidArgument for a
  // malformed line.
  Result<bool> select(std::string_view line, std::vector<std::string_view>& parts);

  // Returns the line without the CR of its line end, if the place has crlf or is CSV.
  std::string_view without_line_end(std::string_view line) const;

  // Describes the key's fields for messages: "field 2", "column 'id'".
  std::string describe() const;

 private:
  Status split(std::string_view line);
  bool pick(std::vector<std::string_view>& parts) const;
  void want(FieldList fields);

  KeyPlace place_;
  FieldList fields_;        // the place's fields, or the column of the current file
  std::uint32_t most_ = 0;  // the last field that is needed
  std::optional<JsonField> json_;
  std::vector<std::string_view> all_;
  std::string decoded_;
};

// Returns the fields of a key as one text, with `delimiter` between them.
std::string joined(const std::vector<std::string_view>& parts, char delimiter);

}  // namespace bloomery
