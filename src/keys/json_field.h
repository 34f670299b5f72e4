// Returns the value at one path of a JSON document as the text of a key. Only this file uses simdjson.
//
//   the value is            the text is
//   a string                its characters, decoded to UTF-8
//   a number                unchanged: 1.0 and 1 are different keys
//   true, false             true, false
//   null, array, object     none: the field is missing
//
// The structure of the entire line is checked, not only up to the value: one complete document, and nothing
// after it. If two members have the same name, the first one counts.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "bloomery/base/result.h"
#include "keys/json_path.h"

namespace bloomery {

// Threads: one at a time.
class JsonField {
 public:
  explicit JsonField(JsonPath path);
  JsonField(JsonField&&) noexcept;
  JsonField& operator=(JsonField&&) noexcept;
  ~JsonField();

  // Returns the text of the value, valid until the next call; nothing if the document has no value at the
  // path. Errors: kInvalidArgument if the line is not a JSON document.
  Result<std::optional<std::string_view>> find(std::string_view line);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace bloomery
