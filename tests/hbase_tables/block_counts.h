// The blocks that gets read here, beside those that the live HBase's counters had for the same gets.
//
// A line of such a file has three counts of HBase and the get as a question, separated by tabs
// (tests/interop/hbase/BlockCounts.java). What is read once when a file is opened is counted on neither side. Neither side asks
// whether a cache has a block.
//
//   kind     HBase                                    here
//   data     each time that a block is asked for      the same
//            or stepped into, also a block of another
//            kind between two data blocks
//   index    each time that a block below the root    the same
//            is asked for
//   Bloom    each question to a chunk                 chunks that differ: with TableOptions::pins_filters, a chunk
//                                                     is read for its first question and kept
//
// No get may read more data blocks than HBase, nor more data and index blocks together, and all gets together not more blocks.
// A get may read more of one of the other kinds, which stay in memory with TableOptions::pins_indexes and pins_filters. It does
// in two cases:
//
//   - A row goes on to the end of its file, in blocks that were reached without the index (hfile/scan_state.h). HBase believes
//     the trailer which block is the last. Here the index is asked, since the trailer has no checksum.
//   - Several columns are named, and a file has a ROWCOL filter. HBase does not ask it if the file is the last one that is left.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/table/table.h"

namespace bloomery::tables {

enum CountedKind : std::size_t { kDataBlocks, kIndexBlocks, kBloomChunks, kCountedKinds };

using BlockCounts = std::array<std::uint64_t, kCountedKinds>;

struct BlockSums {
  std::uint64_t gets = 0;
  BlockCounts gets_with_more = {};            // than HBase, of each kind
  std::uint64_t gets_with_more_together = 0;  // data and index blocks
  BlockCounts here = {};
  BlockCounts hbase = {};
};

// Asks the gets of the file, adds to the sums, and prints each get that reads more data blocks than HBase, or more data and
// index blocks. The table must have no cache and keep nothing.
// Errors: those of reading; kInvalidArgument for a line of another form.
Status compare_blocks(const Table& table, const std::string& source, const std::filesystem::path& counts,
                      BlockSums& sums);

// Whether a get read more data blocks than HBase, or more data and index blocks, or all of them more blocks.
bool reads_more(const BlockSums& sums);
// Prints the sums in a line.
void print_sums(const BlockSums& sums);

}  // namespace bloomery::tables
