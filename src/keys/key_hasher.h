// Makes hashes from lines: it finds the key in a line and hashes it.
//
// A line that is its own key is hashed in place. All other keys go through one KeyWriter.
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

  // Sets hashes[i] to the hash of the key of lines[i]. Errors: kInvalidArgument if a line's key is not of the
  // key form, with the line's number, counted from `first_line`. `hashes` then has the hashes of the lines
  // before it.
  Status hash(std::span<const std::string_view> lines, std::uint64_t first_line,
              std::vector<Hash128>& hashes);

  // The same as KeyMaker's.
  std::uint64_t lines_without_url() const { return maker_.lines_without_url(); }

 private:
  HashSpec hash_;
  KeyMaker maker_;
  KeyWriter writer_;  // holds the key of one line
};

}  // namespace bloomery
