// The hash of a Python object that is a key, by the rule of a filter that is no block list (key_bytes.h says which bytes).
//
// With the GIL held. A key's own code (__index__) may come back here, so no key is kept in a member while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <pybind11/pybind11.h>
#include <string_view>
#include <vector>

#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_writer.h"
#include "keys/formed_text.h"
#include "keys/text_keys.h"

namespace bloomery::python {

class ObjectHasher {
 public:
  ObjectHasher(const HashSpec& hash, const KeyTreatment& treatment)
      : hash_(hash),
        treatment_(treatment),
        is_plain_text_(treatment == KeyTreatment()),
        is_of_command_(hash.id == HashId::kXxh3) {}

  // Throws TypeError, ValueError or OverflowError for an object that is no key of the filter.
  Hash128 hash_of(PyObject* key);
  // Appends the hashes of the items of a list from number `next` on, `most` at most, and moves `next` behind them. When
  // it throws, the hashes of the items before are there.
  void append_items(PyObject* list, Py_ssize_t& next, std::size_t most, std::vector<Hash128>& hashes);

  Hash128 hash_of_text(std::string_view text);
  // The same for a key that is given as bytes. Throws TypeError where the rule has no place for them.
  Hash128 hash_of_bytes(std::string_view bytes);
  Hash128 hash_of_integer(std::uint64_t bits, bool is_negative) const;
  // Throws TypeError if the keys of the filter are no integers.
  void check_takes_integers() const;
  // Returns whether text, and bytes, are hashed as they are.
  bool is_plain_text() const { return is_plain_text_; }

 private:
  Hash128 hash_of_tuple(PyObject* tuple);
  void append_part(KeyWriter& writer, PyObject* part);
  void append_text(KeyWriter& writer, std::string_view text);
  void check_no_digits(std::string_view bytes) const;

  HashSpec hash_;
  KeyTreatment treatment_;
  bool is_plain_text_;
  bool is_of_command_;             // has the hash of the command, whose keys are lines
  std::optional<TextKeys> texts_;  // made when text first needs them, as the next one
  std::optional<FormedText> formed_;
};

}  // namespace bloomery::python
