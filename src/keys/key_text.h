// The text of a line's key, for printing it by itself. It is the decoded field: a CSV field without its
// quotes, or a decoded JSON string. Several fields are joined with the delimiter, or with a blank for -w.
// Without fields it is the line. The key form, case, trimming and --hash do not change it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "keys/field_reader.h"
#include "keys/key_place.h"

namespace bloomery {

// Threads: one at a time.
class KeyText {
 public:
  explicit KeyText(KeyPlace place) : fields_(std::move(place)) {}

  // Calls FieldReader::begin_file(): required once per file if a header names the column.
  Status begin_file(std::string_view header) { return fields_.begin_file(header); }

  // Returns the text, valid until the next call. Errors: kInvalidArgument for a malformed line.
  Result<std::string_view> of(std::string_view line) {
    BLOOMERY_RETURN_IF_ERROR(fields_.select(line, parts_));
    if (parts_.size() == 1) {
      return parts_.front();
    }
    const KeyPlace& place = fields_.place();
    text_ = joined(parts_, place.split == Split::kBlanks ? ' ' : place.delimiter);
    return std::string_view(text_);
  }

 private:
  FieldReader fields_;
  std::vector<std::string_view> parts_;
  std::string text_;
};

}  // namespace bloomery
