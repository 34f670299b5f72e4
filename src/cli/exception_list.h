// `build --exceptions`: reads the list of keys that must not match, and finds members that are also on the
// list.
//
//   note_members*  read_list  meet_members  settle  -> candidates()
//
// It keeps the hashes of all members in order (HashLog: 16 bytes each, many of them on disk), so a stream
// need not be read twice. The exception list is read as a stream; only its keys that the filter matches are
// kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/exceptions.h"
#include "bloomery/hash/hash128.h"
#include "cli/build_plan.h"
#include "cli/key_input.h"
#include "cli/key_options.h"
#include "filter/spool/hash_log.h"
#include "keys/input_files.h"
#include "keys/key_hasher.h"

namespace bloomery::cli {

// Finds the file and line of the n-th key of an input, for messages.
class LinePlaces {
 public:
  // Records that the keys from `ordinal` on are consecutive lines of the file `name`, from line `line` on.
  void note(std::uint64_t ordinal, const std::string& name, std::uint64_t line);

  // Returns "NAME:LINE". Precondition: `ordinal` is not below the first recorded one.
  std::string of(std::uint64_t ordinal) const;

 private:
  struct Stretch {
    std::uint64_t ordinal;
    std::string name;
    std::uint64_t line;
  };
  std::vector<Stretch> stretches_;  // ascending; a new element for each gap or file
};

class ExceptionList {
 public:
  // The memory for the members' hashes. Further hashes are on disk.
  static constexpr std::uint64_t kLogMemory = kWaitingMemory;
  // The memory for each matching key of the list, until the filter is written.
  static constexpr std::uint64_t kBytesPerMatch = 64;

  // The list is refused if more than `most_matches` of its keys match the filter.
  ExceptionList(const BuildPlan& plan, std::uint64_t most_matches);

  Status note_members(const KeyBatch& batch, const InputFiles& input);
  // Returns the hashes of all members recorded so far, in order.
  HashLog& members() { return members_; }

  // Queries a batch of hashes, and returns answers as may_contain_batch() does.
  using Ask = std::function<void(std::span<const Hash128> hashes, std::span<std::uint64_t> answers)>;
  // Reads the list and keeps the keys that match. Errors: also kCapacity if too many match.
  Status read_list(KeyHasher& hasher, const Ask& ask, const std::atomic<bool>* stop);

  // Compares the matching keys with all members. Also passes each batch of members to `also`.
  using Also = std::function<Status(std::span<const Hash128> members)>;
  Status meet_members(const Also& also = {});

  // Prints the keys that are on both lists to stderr. Returns false if the build must stop.
  Result<bool> settle();

  std::uint64_t matches() const { return matching_.size(); }
  const ExceptionCandidates& candidates() const { return *candidates_; }
  // Returns the number of keys on both lists, which remain members.
  std::uint64_t members_among_them() const { return candidates_->conflicts().size(); }
  // Returns "exceptions: ...", for the summary.
  std::string summary() const;

 private:
  Status name_conflicts();

  const BuildPlan& plan_;
  bool is_column_;  // exceptions are stored in a ribbon's exception column
  std::uint64_t most_matches_;
  HashLog members_;
  LinePlaces member_places_;
  std::uint64_t read_ = 0;
  std::vector<Hash128> matching_;
  std::vector<std::uint64_t> ordinals_;  // the positions of matching_ in the list
  LinePlaces list_places_;
  std::optional<ExceptionCandidates> candidates_;
};

}  // namespace bloomery::cli
