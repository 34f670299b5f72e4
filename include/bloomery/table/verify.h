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
// beyond being whole, except to be loaded (bulk_load_obstacles).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/base/error.h"
#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"

namespace bloomery {

struct VerifiedHFile {
  // What is wrong: a part of the file as subject ("data block"), where it begins as offset, what was expected
  // and found as detail. The first hundred.
  std::vector<Error> findings = {};
  std::uint64_t findings_left_out = 0;  // beyond them
  std::uint64_t blocks = 0;
  std::uint64_t cells = 0;
  std::uint64_t probes = 0;  // of cells, in Bloom filters
  std::string family = {};   // of the first cell
  // Why a cluster would refuse to load it or lose something, a sentence each; none of a file that is ready.
  std::vector<std::string> bulk_load_obstacles = {};

  bool is_whole() const { return findings.empty(); }
};

// Reads all of the file, once; in memory are a block, the offsets of all blocks, the keys of the index and up
// to 512 MiB of Bloom chunks, together no more than `memory`. Safe from any thread.
//   Errors: kNotFound, kIo, kCapacity, kInvalidArgument of a file that is no HFile, kUnsupported of one that
//   cannot be read; damage is a finding.
Result<VerifiedHFile> verify_hfile(const std::string& path, const FileMemory& memory = {});

}  // namespace bloomery
