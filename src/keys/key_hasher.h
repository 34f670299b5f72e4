// Hashes the keys of lines: it finds the key in each line and hashes it.
//
// A line that is its own key is hashed in place. All other keys are written to one KeyWriter.
//
// In a block list (key_levels.h) an inserted line may add a level, and a queried line has several questions:
//
//   hash()   KeyPurpose::kInsert    the level keys that are new, then the keys of the lines
//            KeyPurpose::kName      the keys of the lines
//   ask()                           the questions of each line
#pragma once

#include <cstdint>
#include <memory>
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

// The questions of several lines.
struct HashedQuestions {
  struct Extent {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  std::vector<Hash128> hashes;
  std::vector<Extent> lines;  // the range of each line's questions in `hashes`
};

class KeyHasher {
 public:
  // The preconditions are those of KeyMaker's constructor: the parts, type and digest must agree.
  KeyHasher(const HashSpec& hash, const KeyTreatment& treatment, KeyPlace place,
            KeyPurpose purpose = KeyPurpose::kName, std::shared_ptr<const KeyType> type = nullptr)
      : hash_(hash),
        form_(treatment.form),
        has_levels_(purpose == KeyPurpose::kInsert && !KeyLevels::all_of(treatment.form).empty()),
        maker_(treatment, std::move(place), purpose, std::move(type)) {}

  // Calls KeyMaker::begin_file(): required once per file if a header names the column.
  Status begin_file(std::string_view header) { return maker_.begin_file(header); }

  // Sets hashes[i] to the hash of the key of the i-th line that is not left out. New level keys precede them.
  // Errors: kInvalidArgument for a line without a valid key, with its number, counted from `first_line`.
  // `hashes` then has the hashes of the lines before it.
  Status hash(std::span<const std::string_view> lines, std::uint64_t first_line,
              std::vector<Hash128>& hashes);
  // Does the same for a batch and its header, if any. Drops the lines that are left out from the batch.
  Status hash(LineBatch& batch, std::uint64_t first_line, std::vector<Hash128>& hashes);
  // Sets the levels of the following queries. Precondition: the form is a block-list form.
  void ask_at(const KeyLevels& levels) { maker_.ask_at(levels); }
  // Sets `questions` to the questions of the lines that are not left out. Precondition: ask_at() was called.
  // Errors: kInvalidArgument for a line without a valid key, with its number, counted from `first_line`.
  Status ask(std::span<const std::string_view> lines, std::uint64_t first_line, HashedQuestions& questions);
  // Returns the levels of all keys that were passed to hash() for KeyPurpose::kInsert.
  const KeyLevels& levels() const { return levels_; }

  // Returns the lines that the last hash() or ask() left out, counted from 0, ascending.
  std::span<const std::uint32_t> left_out() const { return left_out_; }
  // Returns the number of the line, counted from 0, at which the last hash() or ask() failed. Precondition:
  // it has failed.
  std::size_t bad_line() const { return bad_line_; }

  // Returns counts of the lines so far (KeyMaker::tally()).
  const KeyTally& tally() const { return maker_.tally(); }
  std::uint16_t digest_bytes() const { return maker_.digest_bytes(); }

 private:
  void note_level(std::span<const std::byte> key, std::vector<Hash128>& new_levels);

  HashSpec hash_;
  KeyForm form_;
  bool has_levels_;
  KeyMaker maker_;
  KeyLevels levels_;
  KeyWriter writer_;  // holds the key of one line
  std::vector<std::uint32_t> left_out_;
  std::size_t bad_line_ = 0;
};

}  // namespace bloomery
