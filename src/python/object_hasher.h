// Hashes a Python object as a key, by the rule of a filter that is not a block list (key_bytes.h
// defines the bytes).
//
// Threads: the GIL is held. A key's own code (__index__) may call this class again, so no member holds a key
// while it runs.
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
        has_lines_(hash.id == HashId::kXxh3 || hash.id == HashId::kSipHash),
        takes_8_bytes_(treatment.parts == 1 && (treatment.form == KeyForm::kInt64 ||
                                                (treatment.form == KeyForm::kText && !has_lines_))) {}

  // Throws TypeError, ValueError or OverflowError for an object that is not a key of the filter.
  Hash128 hash_of(PyObject* key);
  // Appends the hashes of the items of a list from number `next` on, at most `most`, and advances `next` past
  // them. If it throws, the hashes of the previous items have been appended.
  void append_items(PyObject* list, Py_ssize_t& next, std::size_t most, std::vector<Hash128>& hashes);

  Hash128 hash_of_text(std::string_view text);
  // Returns the hash of a key in bytes. Throws TypeError if the rule does not accept bytes, and
  // InvalidArgumentError for a digest whose width differs from the width that the filter records.
  Hash128 hash_of_bytes(std::string_view bytes);
  Hash128 hash_of_integer(std::uint64_t bits, bool is_negative) const;
  // Returns the size of each key that is a digest; 0 if unknown.
  std::uint16_t digest_bytes() const { return treatment_.digest_bytes; }
  // Throws TypeError if the keys of the filter are not integers.
  void check_takes_integers() const;
  // Returns true if hash_of() runs no code of the key itself, which could call the filter.
  static bool is_inert(PyObject* key) {
    return PyLong_CheckExact(key) || PyUnicode_Check(key) || PyBytes_Check(key);
  }
  // Returns true if text, and bytes, are hashed unchanged.
  bool is_plain_text() const { return is_plain_text_; }

 private:
  Hash128 hash_of_tuple(PyObject* tuple);
  void append_part(KeyWriter& writer, PyObject* part);
  void append_text(KeyWriter& writer, std::string_view text);
  void check_no_digits(std::string_view bytes) const;
  void check_width(std::string_view bytes) const;
  void check_form_takes_integers() const;

  HashSpec hash_;
  KeyTreatment treatment_;
  bool is_plain_text_;
  bool has_lines_;                 // the form text means lines: the filter has a hash that the command sets
  bool takes_8_bytes_;             // an int may be a key, and is hashed as 8 bytes
  std::optional<TextKeys> texts_;  // made when text first needs them
  std::optional<FormedText> formed_;
};

}  // namespace bloomery::python
