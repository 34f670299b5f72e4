// Verifies an HFile: compares every byte with what the other bytes say. Every fault is reported with its
// block and offset.
//
//   blocks    checksums, headers, and the chain of each kind; there is no gap between blocks
//   index     every entry points at a block of its kind and size, and every block is pointed at
//   cells     can be decoded; are in order and within the keys of the index; are as many as the trailer
//             counts; the last one is as file info says, and times and mvcc are within what it says; tags
//             are whole
//   filters   answer maybe for every cell, since a no would lose it; have as many keys as they count
//   trailer   its sums of bytes, and the places of its first and last data block
//
// Example:
//    auto verified = verify_hfile("cells.hfile");
//    for (const Error& finding : verified->findings) {
//      std::cerr << finding.to_string() << "\n";
//    }
//
// After damage, verification goes on with what can be found without the damaged part. What HBase asks of a
// file beyond being whole is not treated here, except for loading it (bulk_load_obstacles).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/base/error.h"
#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"

namespace bloomery {

struct VerifiedHFile {
  // The first hundred faults. Each has a part of the file as its subject ("data block"), the part's begin as
  // its offset, and what was expected and found as its detail.
  std::vector<Error> findings = {};
  std::uint64_t findings_left_out = 0;  // faults beyond the first hundred
  std::uint64_t blocks = 0;
  std::uint64_t cells = 0;
  std::uint64_t probes = 0;    // lookups of cells in Bloom filters
  std::string family = {};     // of the first cell
  std::string first_row = {};  // of the first cell, and of the last one
  std::string last_row = {};
  // What a user should know of a file though it is no fault, one sentence each.
  std::vector<std::string> remarks = {};
  // Why a cluster would refuse to load the file or would lose something, one sentence each. Empty if the file
  // is ready.
  std::vector<std::string> bulk_load_obstacles = {};

  bool is_whole() const { return findings.empty(); }
};

// Reads the whole file once. Memory holds a block, the offsets of all blocks, the keys of the index, and up
// to 512 MiB of Bloom chunks, together no more than `memory`. Safe from any thread.
//
// Errors: kNotFound, kIo and kCapacity. Also kInvalidArgument for a file that is no HFile, and kUnsupported
// for one that cannot be read. Damage is not an error but a finding.
Result<VerifiedHFile> verify_hfile(const std::string& path, const FileMemory& memory = {});

}  // namespace bloomery
