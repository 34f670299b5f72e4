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
  // The preconditions are KeyMaker's.
  KeyHasher(const HashSpec& hash, const KeyTreatment& treatment, KeyPlace place,
            std::shared_ptr<const ValueText> values = nullptr)
      : hash_(hash), maker_(treatment, std::move(place), std::move(values)) {}

  // The same as KeyMaker's.
  Status begin_file(std::string_view header) { return maker_.begin_file(header); }

  // Sets hashes[i] to the hash of the key of the i-th line that is not left out. Errors: those of
  // KeyMaker::make(), with the line's number, counted from `first_line`. `hashes` then has the hashes of the
  // lines before it.
  Status hash(std::span<const std::string_view> lines, std::uint64_t first_line,
              std::vector<Hash128>& hashes);
  // The same for a batch, with the header that it may have. Drops from it the lines that are left out.
  Status hash(LineBatch& batch, std::uint64_t first_line, std::vector<Hash128>& hashes);
  // The lines that the last hash() left out, counted from 0, ascending.
  std::span<const std::uint32_t> left_out() const { return left_out_; }

  // The same as KeyMaker's.
  const KeyTally& tally() const { return maker_.tally(); }

 private:
  HashSpec hash_;
  KeyMaker maker_;
  KeyWriter writer_;  // holds the key of one line
  std::vector<std::uint32_t> left_out_;
};

}  // namespace bloomery
