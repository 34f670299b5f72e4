// The type of the keys of another system, by which text becomes their bytes. A file of that system states it, or its user.
//
// A key form (key_form.h) is chosen by whoever asks. A KeyType is what the system says its keys are: a date becomes
// four bytes in a column of dates, and eight in a column of timestamps. A text that is no value of the type is
// an error. It is never a key that the filter could deny.
//
// A key has one part, such as the value of a column in a Parquet file, or several, such as the columns of a partition
// key of Cassandra.
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

  // Returns the type, such as "DATE of INT32" or "text, uuid". Two of one name make the same keys of the same text.
  virtual const std::string& name() const = 0;
  // Returns how many texts make a key.
  virtual std::size_t parts() const { return 1; }
  // Appends the bytes of the key that the texts mean. Errors: kInvalidArgument, which says what the type
  // expects and what was found. Part of the key may have been appended then. Precondition: texts.size() == parts().
  virtual Status append(KeyWriter& writer, std::span<const std::string_view> texts) const = 0;
  // The same for a key of one part.
  Status append(KeyWriter& writer, std::string_view text) const {
    return append(writer, std::span<const std::string_view>(&text, 1));
  }
  // Whether a key form may replace the type's own text. The keys of hex are bytes of any value; those of int32
  // are values only where values are 32-bit integers.
  virtual bool takes(KeyForm form) const = 0;
  // Checks bytes that such a form made. Errors: kInvalidArgument if no key has so many bytes.
  virtual Status check(std::span<const std::byte> key) const = 0;
};

}  // namespace bloomery
