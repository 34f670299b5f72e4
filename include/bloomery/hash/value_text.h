// How text becomes the bytes of values of one type, for a filter whose file states the type.
//
// A key form (key_form.h) is chosen by whoever asks. A ValueText is what the file itself says: a date becomes
// four bytes in a column of dates, and eight in a column of timestamps. A text that is no value of the type is
// an error. It is never a key that the filter could deny.
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

class ValueText {
 public:
  ValueText() = default;
  ValueText(const ValueText&) = delete;
  ValueText& operator=(const ValueText&) = delete;
  virtual ~ValueText() = default;

  // Returns the type, such as "DATE of INT32". Two of one name make the same keys of the same text.
  virtual const std::string& name() const = 0;
  // Appends the bytes of the value that the text means. Errors: kInvalidArgument, which says what the type
  // expects.
  virtual Status append(KeyWriter& writer, std::string_view text) const = 0;
  // Whether a key form may replace the type's own text. The keys of hex are bytes of any value; those of int32
  // are values only where values are 32-bit integers.
  virtual bool takes(KeyForm form) const = 0;
  // Checks bytes that such a form made. Errors: kInvalidArgument if no value has so many bytes.
  virtual Status check(std::span<const std::byte> value) const = 0;
};

}  // namespace bloomery
