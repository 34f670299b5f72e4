// The keys of a batch of lines, for several filters that are asked about them at once.
//
//   (want_hashes | want_bytes)*, once per filter -> slot;      (begin (hashes | bytes)*)*, once per batch
//
// Filters whose keys are made alike share a slot. A slot is filled at most once per batch, when it is first
// asked for, or at once if a line may be left out: it is then left out for all. A block list takes the questions of a
// line instead of its key (want_questions).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_type.h"
#include "keys/key_hasher.h"
#include "keys/key_maker.h"
#include "keys/key_tally.h"
#include "keys/line_reader.h"

namespace bloomery::cli {

class BatchKeys {
 public:
  explicit BatchKeys(KeyPlace place) : place_(std::move(place)) {}

  using Type = std::shared_ptr<const KeyType>;  // null where the treatment alone makes the keys

  // Both return a slot. Preconditions: treatment.parts agrees with the place's fields; those of KeyMaker.
  std::size_t want_hashes(const HashSpec& hash, const KeyTreatment& treatment, const Type& type = nullptr);
  std::size_t want_bytes(const KeyTreatment& treatment, const Type& type = nullptr);
  // The same for the questions of a block list with these levels.
  std::size_t want_questions(const HashSpec& hash, const KeyTreatment& treatment, const KeyLevels& levels);

  // Begins a batch, which must stay until the next call. Drops from it the lines that are left out for one of
  // the slots. Errors: those of KeyMaker::make(), also if it is about to be asked for keys.
  Status begin(LineBatch& batch, std::uint64_t first_line);
  std::size_t size() const { return lines_.size(); }

  // Both return the keys of the batch, valid until the next one. Errors: kInvalidArgument for a key that is
  // not of its form; the message names the line.
  Result<std::span<const Hash128>> hashes(std::size_t slot);
  Result<std::span<const std::string_view>> bytes(std::size_t slot);
  // Returns the questions of the batch, valid until the next one. Errors: those of hashes().
  Result<const HashedQuestions*> questions(std::size_t slot);
  // Returns how many questions the lines so far asked on average; nothing if there were no lines.
  std::optional<double> mean_questions(std::size_t slot) const;

  // Returns whether the keys of all slots are text as it is, so that the case of letters counts.
  bool are_plain_text() const;

  // Returns what was met in the lines, since count_from_here() or the start. Every slot sees the same lines, so each
  // count is the largest of a slot.
  KeyTally tally() const;
  void count_from_here();

 private:
  // This is the common part of all slots. A slot's fill() makes its keys, unless this batch has them already. Its
  // per_line() has an element for each line that its maker did not leave out.
  template <typename Maker>
  struct Slot {
    KeyTreatment treatment;
    Maker maker;
    bool filled = false;
    KeyTally counted_before = {};  // up to count_from_here()
  };
  struct HashSlot : Slot<KeyHasher> {
    HashSpec hash;
    Type type;
    std::vector<Hash128> hashes = {};

    Status fill(std::span<const std::string_view> lines, std::uint64_t first_line);
    std::vector<Hash128>& per_line() { return hashes; }
  };
  struct ByteSlot : Slot<KeyMaker> {
    Type type;
    std::vector<std::string_view> keys = {};

    Status fill(std::span<const std::string_view> lines, std::uint64_t first_line);
    std::vector<std::string_view>& per_line() { return keys; }
  };
  struct QuestionSlot : Slot<KeyHasher> {
    HashSpec hash;
    KeyLevels levels;
    HashedQuestions questions = {};
    std::uint64_t lines_asked = 0;
    std::uint64_t questions_asked = 0;

    Status fill(std::span<const std::string_view> lines, std::uint64_t first_line);
    auto& per_line() { return questions.lines; }
  };

  // Calls visit(slot) for every slot of each kind.
  template <typename Self, typename Visit>
  static void for_each_slot(Self& self, const Visit& visit) {
    std::ranges::for_each(self.hash_slots_, visit);
    std::ranges::for_each(self.byte_slots_, visit);
    std::ranges::for_each(self.question_slots_, visit);
  }

  Status begin_file(std::string_view header);
  Status leave_out(LineBatch& batch);

  KeyPlace place_;
  std::span<const std::string_view> lines_;
  std::uint64_t first_line_ = 1;
  std::vector<HashSlot> hash_slots_;
  std::vector<ByteSlot> byte_slots_;
  std::vector<QuestionSlot> question_slots_;
};

}  // namespace bloomery::cli
