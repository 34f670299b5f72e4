// Every byte of an HFile held against every other: what is found wrong, each by its block and offset.
//
//   blocks     checksums, headers, the chain of each kind; no gap between them
//   index      every entry points at a block of its kind and size, and every block is pointed at
//   cells      decoded; in order, within the keys of the index; as many as the trailer counts, the last one
//              as file info says, their times and mvcc within what it says; whole tags
//   filters    every cell asked for: a no would lose it; as many keys as the filter counts
//   trailer    its sums of bytes, where its first and last data block are
//
// Goes on behind what is damaged, as far as the rest is known without it. Not here: what HBase asks of files
// beyond being whole, except to be loaded (bulk_load).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::cli {

struct VerifiedHFile {
  std::vector<std::string> findings = {};
  std::uint64_t findings_left_out = 0;  // beyond the first hundred
  std::uint64_t blocks = 0;
  std::uint64_t cells = 0;
  std::uint64_t probes = 0;  // of cells, in Bloom filters
  std::string family = {};   // of the first cell
  // Why a cluster would refuse to load it or lose something; none of a file that is ready.
  std::vector<std::string> bulk_load = {};

  bool is_whole() const { return findings.empty(); }
};

// Errors: kNotFound, kIo, kCapacity, kInvalidArgument of a file that is none, kUnsupported of one that cannot
// be read; damage is a finding.
Result<VerifiedHFile> verify_hfile(const std::string& path);

}  // namespace bloomery::cli
