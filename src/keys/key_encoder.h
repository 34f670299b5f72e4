// Makes key bytes of text where a key form (bloomery/hash/key_form.h) is not enough: by the types of another system, whose
// files may record them. KeyMaker asks it for the key of a line.
#pragma once

#include <span>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

// Threads: const calls may run together.
class KeyEncoder {
 public:
  KeyEncoder() = default;
  KeyEncoder(const KeyEncoder&) = delete;
  KeyEncoder& operator=(const KeyEncoder&) = delete;
  virtual ~KeyEncoder() = default;

  // Appends the bytes of the key with these parts. Errors: kInvalidArgument, saying what was expected and found, if
  // the types cannot hold them. Part of the key may have been appended then.
  virtual Status append(KeyWriter& writer, std::span<const std::string_view> parts) const = 0;
  // Encoders of equal names make equal keys of equal parts.
  virtual std::string_view name() const = 0;
};

}  // namespace bloomery
