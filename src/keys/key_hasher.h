// From lines to hashes: what of a line is its key, and the hash of that key.
//
// Lines whose key is the line itself are hashed where they lie. All others go through one KeyWriter.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_writer.h"
#include "keys/key_maker.h"

namespace bloomery {

class KeyHasher {
 public:
  // Precondition: treatment.parts agrees with part_count(place.fields).
  KeyHasher(const HashSpec& hash, const KeyTreatment& treatment, KeyPlace place)
      : hash_(hash), maker_(treatment, std::move(place)) {}

  // hashes[i] = the hash of the key of lines[i]. Errors: kInvalidArgument when a line's key is not of the key
  // form, named by its number, counted from `first_line`; `hashes` are of the lines before it then.
  Status hash(std::span<const std::string_view> lines, std::uint64_t first_line,
              std::vector<Hash128>& hashes);

  // As KeyMaker says.
  std::uint64_t lines_without_url() const { return maker_.lines_without_url(); }

 private:
  HashSpec hash_;
  KeyMaker maker_;
  KeyWriter writer_;  // the key of one line
};

}  // namespace bloomery
