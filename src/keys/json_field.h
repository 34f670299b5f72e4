// The value at one path of a JSON document, as the text of a key. This is the one place that knows simdjson.
//
//   the value is            the text is
//   a string                its characters, decoded to UTF-8
//   a number                as it is written: 1.0 and 1 are different keys
//   true, false             true, false
//   null, array, object     none: the field is missing
//
// The structure of the whole line is checked, not only up to the value: one document, closed, and nothing
// behind it. Of two members with one name the first one counts.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "bloomery/base/result.h"
#include "keys/json_path.h"

namespace bloomery {

// One thread at a time.
class JsonField {
 public:
  explicit JsonField(JsonPath path);
  JsonField(JsonField&&) noexcept;
  JsonField& operator=(JsonField&&) noexcept;
  ~JsonField();

  // Returns the text of the value, valid until the next call; nothing if the document has none there.
  // Errors: kInvalidArgument if the line is no JSON document.
  Result<std::optional<std::string_view>> find(std::string_view line);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace bloomery
