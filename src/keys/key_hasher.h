// From lines to hashes: what of a line is its key, and the hash of that key.
//
// Lines whose key is the line itself are hashed where they lie. All others go through one KeyWriter.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_form.h"
#include "keys/field_list.h"

namespace bloomery {

// How the key stands in the line; unlike the KeyTreatment this may differ from file to file.
struct KeyPlace {
  FieldList fields;  // empty: the whole line
  char delimiter = '\t';
  bool crlf = false;  // a CR before the line's end belongs to the line's end
};

class KeyHasher {
 public:
  // Precondition: treatment.parts agrees with part_count(place.fields).
  KeyHasher(const HashSpec& hash, const KeyTreatment& treatment, KeyPlace place);

  // hashes[i] = the hash of the key of lines[i]. Errors: kInvalidArgument when a line's key is not of the key
  // form, named by its number, counted from `first_line`.
  Status hash(std::span<const std::string_view> lines, std::uint64_t first_line,
              std::vector<Hash128>& hashes);

 private:
  Status write_key(std::string_view line);

  HashSpec hash_;
  KeyTreatment treatment_;
  KeyPlace place_;
  bool line_is_key_;
  KeyWriter writer_;
  std::vector<std::string_view> parts_;
};

}  // namespace bloomery
