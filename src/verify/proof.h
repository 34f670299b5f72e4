// The result of a proof: a filter was asked about every key of its data.
//
//   verdict       when
//   kDamaged      a checksum or an invariant of the file or of its data is broken
//   kDenies       the file is intact as far as its format can tell, but the filter denies a key of the data
//   kUnproven     not all keys could be asked: the data is missing, or it has a form that is not read here
//   kSound        every key of the data was asked, and none was denied
//
// The first of these that applies is the verdict. A file without a filter is never kSound unless its format
// has no filter to prove and its checksums hold.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "bloomery/base/error.h"
#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"

namespace bloomery {

enum class Verdict { kSound, kUnproven, kDenies, kDamaged };

struct Proof {
  static constexpr std::size_t kMostFindings = 100;
  static constexpr std::size_t kMostDeniedKeys = 10;

  std::string path = {};                      // of the file with the filter
  std::string kind = {};                      // what it is: "LevelDB table", "Cassandra filter"
  std::string against = {};                   // where the keys are: "its data blocks", "nb-1-big-Index.db"
  std::uint64_t keys = 0;                     // keys of the data that the filter was asked about
  std::uint64_t denied = 0;                   // of these
  std::uint64_t bytes = 0;                    // bytes of files that were read
  std::vector<std::string> denied_keys = {};  // the bytes of the first ten
  std::vector<Error> findings = {};           // the first hundred faults
  std::uint64_t findings_left_out = 0;
  // Why not all keys could be asked, one sentence for each part of the data: the first hundred.
  std::vector<std::string> unproven = {};
  std::uint64_t unproven_left_out = 0;
  // Remarks for the user that are not faults, one sentence each.
  std::vector<std::string> notes = {};
  // The files that were read, as they were before they were opened: first the one with the filter.
  std::vector<std::pair<std::string, FileFacts>> files = {};

  Verdict verdict() const {
    return !findings.empty()   ? Verdict::kDamaged
           : denied > 0        ? Verdict::kDenies
           : !unproven.empty() ? Verdict::kUnproven
                               : Verdict::kSound;
  }

  // Notes a file. Call it before the file is opened. Errors: kNotFound, kIo.
  Status will_read(const std::string& file) {
    BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, FileSystem::real().facts(file));
    files.emplace_back(file, facts);
    return {};
  }
  // Counts keys that the filter was asked about. Bit i mod 64 of word i / 64 is the answer for key i.
  void see_answers(std::span<const std::string_view> asked, std::span<const std::uint64_t> answers) {
    keys += asked.size();
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if ((answers[i / 64] >> (i % 64) & 1) == 0) {
        deny(asked[i]);
      }
    }
  }
  void deny(std::string_view key) {
    ++denied;
    if (denied_keys.size() < kMostDeniedKeys) {
      denied_keys.emplace_back(key);
    }
  }
  // Damage is a finding, and so is anything else that a writer would not have written. A form that is not
  // read here (kUnsupported), a limit of memory (kCapacity) and a file that cannot be read (kNotFound, kIo)
  // are reasons why nothing is proven.
  void add(const Error& error) {
    if (error.code() != ErrorCode::kCorruption && error.code() != ErrorCode::kInvalidArgument) {
      add_unproven(error.to_string());
    } else if (findings.size() < kMostFindings) {
      findings.push_back(error);
    } else {
      ++findings_left_out;
    }
  }
  // A reason that is equal to the last one is only counted, for files with the same trouble in every block.
  void add_unproven(std::string reason) {
    const bool is_repeated = !unproven.empty() && unproven.back() == reason;
    if (!is_repeated && unproven.size() < kMostFindings) {
      unproven.push_back(std::move(reason));
    } else {
      ++unproven_left_out;
    }
  }
};

struct ProofOptions {
  FileMemory memory = {};  // for each file
  // Called now and then with the number of bytes that were read since the last call. False stops the proof,
  // which is then unproven.
  std::function<bool(std::uint64_t bytes)> progress = {};
};

}  // namespace bloomery
