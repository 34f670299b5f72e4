// Verifies an HFile: checks every byte for consistency with the rest. A fault is reported with its block and
// offset.
//
//   blocks    checksums, headers, and the chain of each kind; there is no gap between blocks
//   index     every entry points at a block of its kind and size, and every block is pointed at
//   cells     can be decoded; are in order and within the keys of the index; are as many as the trailer
//             counts; the last key is as file info says, times and mvcc within its bounds; tags are complete
//   filters   answer maybe for every cell, since a no would lose it; have as many keys as they count
//   trailer   its sums of bytes, and the offsets of its first and last data block
//
// Example:
//    auto verified = verify_hfile("cells.hfile");
//    for (const Error& finding : verified->findings) {
//      std::cerr << finding.to_string() << "\n";
//    }
//
// After damage, verification continues with what can be found without the damaged block. HBase's requirements
// beyond an intact file are not checked, except those of a bulk load (bulk_load_obstacles).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/base/error.h"
#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"

namespace bloomery {

struct VerifiedHFile {
  // The first hundred faults. An Error's subject names the block or section ("data block"), its offset is the
  // start of it, and its detail says what was expected and found.
  std::vector<Error> findings = {};
  std::uint64_t findings_left_out = 0;  // faults beyond the first hundred
  std::uint64_t blocks = 0;
  std::uint64_t cells = 0;
  std::uint64_t probes = 0;  // lookups of cells in Bloom filters
  // Lookups that were answered no. Each is among the findings. If there are no other findings, the file is
  // intact as far as HBase can tell, but a get loses cells.
  std::uint64_t denied = 0;
  std::vector<std::string> denied_keys = {};  // the keys in the filter, in bytes: the first ten
  std::string family = {};                    // of the first cell
  std::string first_row = {};                 // of the first cell; last_row is that of the last cell
  std::string last_row = {};
  // Remarks for the user that are not faults, one sentence each.
  std::vector<std::string> remarks = {};
  // Why a cluster would refuse to load the file or would lose something, one sentence each. Empty if the file
  // is ready.
  std::vector<std::string> bulk_load_obstacles = {};

  bool is_whole() const { return findings.empty(); }
};

// Reads the entire file once. Memory holds a block, the offsets of all blocks, the keys of the index, and up
// to 512 MiB of Bloom chunks, together no more than `memory`. Safe from any thread.
//
// Errors: kNotFound, kIo, kCapacity, kInvalidArgument for a file that is not an HFile, and kUnsupported for
// one that cannot be read. Damage is a finding and not an error.
Result<VerifiedHFile> verify_hfile(const std::string& path, const FileMemory& memory = {});

}  // namespace bloomery
