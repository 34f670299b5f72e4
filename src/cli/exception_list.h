// `build --exceptions`: the members as they go by, the list that must not match, and who is in both.
//
//   note_members*  read_list  meet_members  settle  -> exceptions
//
// Members' hashes are kept in order (HashLog: 16 bytes each, on disk where they are many), so that a stream
// need not be read twice; of the list, which is streamed, only the keys that the filter matches.
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
#include "cli/build_options.h"
#include "cli/key_options.h"
#include "cli/line_places.h"
#include "filter/spool/hash_log.h"
#include "keys/input_files.h"
#include "keys/key_hasher.h"

namespace bloomery::cli {

class ExceptionList {
 public:
  // Memory for members' hashes; what it does not hold is on disk.
  static constexpr std::uint64_t kLogMemory = std::uint64_t{8} << 20;
  // Memory for each key of the list that matches, until the filter is written.
  static constexpr std::uint64_t kBytesPerMatch = 64;

  // `most_matches`: of the list, before it is refused.
  ExceptionList(const BuildOptions& options, const std::string& spool_directory, std::uint64_t most_matches);

  Status note_members(const KeyBatch& batch, const InputFiles& input);

  // Answers for a batch of hashes, as may_contain_batch().
  using Ask = std::function<void(std::span<const Hash128> hashes, std::span<std::uint64_t> answers)>;
  // Reads the list, and keeps what matches. Errors: also kCapacity for too many of them.
  Status read_list(KeyHasher& hasher, const Ask& ask, const std::atomic<bool>* stop);

  // Lets the members go by again, each batch also through `also`.
  using Also = std::function<Status(std::span<const Hash128> members)>;
  Status meet_members(const Also& also = {});

  // Names the keys that are in both, on stderr. False when they forbid to go on.
  Result<bool> settle();

  std::uint64_t matches() const { return matching_.size(); }
  const ExceptionCandidates& candidates() const { return *candidates_; }
  // "exceptions: ...", for the closing line.
  std::string summary() const;

 private:
  Status name_conflicts();

  const BuildOptions& options_;
  bool is_column_;  // exceptions go to a ribbon's last column
  std::uint64_t most_matches_;
  HashLog members_;
  LinePlaces member_places_;
  std::uint64_t read_ = 0;
  std::vector<Hash128> matching_;
  std::vector<std::uint64_t> ordinals_;  // in the list, of each of them
  LinePlaces list_places_;
  std::optional<ExceptionCandidates> candidates_;
};

}  // namespace bloomery::cli
