// The bytes of a key in a filter of another system.
//
//   bytes   unchanged: the bytes that the system hashes
//   str     by the first of these rules: the type in the file (a Parquet column), the key form that the
//           caller names, the funnel in the file (Guava in Java's serialisation), and the dialect's usual key
//           form: UTF-16 for simple-java, UTF-8 for all others
//   int     by that type, and by the forms int32 and int64
//
// A wrong guess would cause false negatives, so these are errors:
//
//   - an int without a form or a type
//   - a form that differs from the funnel's
//   - a str key of Cassandra without key_form="text", since nothing proves that its column is text
//   - a str for a Guava filter whose keys are made by a program's own rule
//   - bytes for the form utf16, since most bytes are UTF-8
//
// The command checks forms by the same KeyRule.
#pragma once

#include <memory>
#include <optional>
#include <pybind11/pybind11.h>
#include <string>
#include <string_view>

#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_type.h"
#include "bloomery/hash/key_writer.h"
#include "dialects/key_rule.h"
#include "keys/formed_text.h"
#include "python/key_bytes.h"

namespace bloomery::python {

class DialectKeys {
 public:
  // Throws ValueError for an unknown form, or one that contradicts the rule.
  DialectKeys(const KeyRule& rule, const std::optional<std::string>& form);

  // Returns the bytes of a key. They are valid until the next call, or as long as `key`
  // exists. Throws TypeError.
  std::string_view bytes_of_key(PyObject* key);
  // Return the bytes of a key from a column: text, bytes or an integer. They are valid until the next call.
  // Throw TypeError.
  std::string_view bytes_of_text(std::string_view text);
  std::string_view bytes_of_bytes(std::string_view bytes) const;
  std::string_view bytes_of_integer(const IntegerBits& number);

 private:
  void check_takes_integers() const;

  KeyForm form_ = KeyForm::kText;
  std::shared_ptr<const KeyType> type_;
  std::string refuses_text_;  // the reason why text is refused, or nothing
  std::optional<FormedText> formed_;
  KeyWriter writer_;
};

}  // namespace bloomery::python
