// A proof that is kept beside its filter, in FILE.proof.
//
//   bloomery proof 1
//   filter SIZE MODIFIED DIGEST NAME      the file with the filter
//   data SIZE MODIFIED DIGEST NAME        a file whose keys were asked, one line each
//   keys COUNT                            how many keys the filter was asked about
//   proven SECONDS                        since 1970
//   crc32c HEX                            of all bytes before this line
//
// MODIFIED is the time of the last write in ns since 1970. DIGEST is XXH3-128 in 32 hex digits: of the filter
// by the dialect's rule (Dialect::filter_digest), of data over all bytes. NAME is in the folder of the proof,
// or absolute.
//
// A proof is void if the size or the time of any file has changed, or if the filter has another digest. The
// digest of the data is not computed again when a filter is asked: that would read all of the data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "verify/proof.h"

namespace bloomery {

struct ProofRecord {
  struct ReadFile {
    std::string name;
    std::uint64_t size_bytes = 0;
    std::int64_t modified_ns = 0;
    Hash128 digest = {};
  };
  ReadFile filter;
  std::vector<ReadFile> data;  // empty if the data is in the filter's own file
  std::uint64_t keys = 0;
  std::int64_t proven_at = 0;  // in seconds since 1970

  // Returns what was asked, and when: "12,345 keys of nb-1-big-Index.db, 2026-11-26T21:00:00Z".
  std::string to_string() const;
};

// Returns the name of the proof of a filter.
inline std::string proof_path_of(const std::string& filter) {
  return filter + ".proof";
}

// Reads the text of a proof. Errors: kCorruption; kUnsupported for another version.
Result<ProofRecord> parse_proof_record(std::string_view text);

// Writes the proof of a filter. Errors: kInvalidArgument if the proof is not kSound or has asked no key;
// kIo with ESTALE if a file has changed since it was read for the proof; errors of files.
Status save_proof_record(const Proof& proof);

// What stands beside a filter.
struct KeptProof {
  std::optional<ProofRecord> valid;
  std::string reason;  // why there is no valid one
};
// Checks the proof of the filter in the file `path`. Reads the filter. Errors are reasons. Safe from any
// thread.
KeptProof kept_proof(const std::string& path);

}  // namespace bloomery
