// Counts the bytes of a proof, and reports them to the caller's progress function in steps of a mebibyte.
#pragma once

#include <cstdint>
#include <string>

#include "verify/proof.h"

namespace bloomery {

class ReadProgress {
 public:
  ReadProgress(const ProofOptions& options, Proof& proof) : options_(options), proof_(proof) {}

  // Returns false if the caller stopped the proof, which is then unproven.
  bool add(std::uint64_t bytes) {
    proof_.bytes += bytes;
    unreported_ += bytes;
    if (unreported_ < kStep || !options_.progress) {
      return true;
    }
    const bool goes_on = options_.progress(unreported_);
    unreported_ = 0;
    if (!goes_on) {
      proof_.add_unproven("the proof was stopped");
    }
    return goes_on;
  }

 private:
  static constexpr std::uint64_t kStep = 1 << 20;

  const ProofOptions& options_;
  Proof& proof_;
  std::uint64_t unreported_ = 0;
};

}  // namespace bloomery
