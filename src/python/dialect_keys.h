// The bytes of a key in a filter of another system.
//
//   bytes   as they are: what that system hashes
//   str     by the first of these: the type that the file states (a Parquet column), the key form that the caller names,
//           the funnel that the file names (Guava in Java's serialisation), and the usual key form of the dialect: UTF-16
//           for simple-java, UTF-8 for all others
//   int     by that type, and by the forms int32 and int64
//
// These are errors, because a wrong guess is a wrong no: an int without a form or a type; a form that is not that of the
// funnel; a str key of Cassandra without key_form="text", since nothing says that its column is text; a str for a Guava
// filter whose keys a program's own rule makes; and bytes where the form is utf16, since most bytes are UTF-8.
// The command decides likewise (cli/dialect_keys.h).
#pragma once

#include <memory>
#include <optional>
#include <pybind11/pybind11.h>
#include <string>
#include <string_view>

#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_type.h"
#include "bloomery/hash/key_writer.h"
#include "keys/formed_text.h"
#include "python/key_bytes.h"

namespace bloomery::python {

class DialectKeys {
 public:
  // `dialect` is the name that the filter has, or that a new one is asked for by. `maker` is what
  // DialectFilter::keys_made_by() returns. Throws ValueError for a form that contradicts the dialect.
  DialectKeys(const std::string& dialect, const std::optional<std::string>& form,
              std::shared_ptr<const KeyType> type, const std::string& maker = {});

  // Returns the bytes of a key. They hold until the next call, or as long as `key` lives. Throws TypeError.
  std::string_view bytes_of_key(PyObject* key);
  // The same for keys of a column: text, bytes and integers.
  std::string_view bytes_of_text(std::string_view text);
  std::string_view bytes_of_bytes(std::string_view bytes) const;
  std::string_view bytes_of_integer(const IntegerBits& number);

 private:
  void check_takes_integers() const;

  KeyForm form_ = KeyForm::kText;
  std::shared_ptr<const KeyType> type_;
  std::string refuses_text_;  // the words that say why, or nothing
  std::optional<FormedText> formed_;
  KeyWriter writer_;
};

}  // namespace bloomery::python
