// A KeyType turns text into the bytes of another system's keys. A file of that system states the type, or
// the user does.
//
// The user chooses a key form (key_form.h). A KeyType is what the system declares its keys to be: a date
// becomes four bytes in a column of dates, and eight in a column of timestamps. A text that is no value of
// the type is an error. It never becomes a key that the filter could deny.
//
// A key has one part, such as the value of a column in a Parquet file, or several, such as the columns of a
// Cassandra partition key.
//
// Threads: const calls may run together.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

class KeyType {
 public:
  KeyType() = default;
  KeyType(const KeyType&) = delete;
  KeyType& operator=(const KeyType&) = delete;
  virtual ~KeyType() = default;

  // Returns the type, such as "DATE of INT32" or "text, uuid". Two types of one name make the same keys of
  // the same text.
  virtual const std::string& name() const = 0;
  // Returns the number of texts that make a key.
  virtual std::size_t parts() const { return 1; }
  // Appends the bytes of the key that the texts denote. Errors: kInvalidArgument, which says what the type
  // expects and what was found; some bytes may have been appended then. Precondition: texts.size() ==
  // parts().
  virtual Status append(KeyWriter& writer, std::span<const std::string_view> texts) const = 0;
  // Appends the bytes of a key of one part, with the errors of the call for several texts.
  Status append(KeyWriter& writer, std::string_view text) const {
    return append(writer, std::span<const std::string_view>(&text, 1));
  }
  // Returns true if a key form may replace the type's own text. A hex key has bytes of any value; int32 and
  // int64 keys are values only where values are integers of that width.
  virtual bool takes(KeyForm form) const = 0;
  // Checks bytes that such a form made. Errors: kInvalidArgument if no key has this length.
  virtual Status check(std::span<const std::byte> key) const = 0;
};

}  // namespace bloomery
