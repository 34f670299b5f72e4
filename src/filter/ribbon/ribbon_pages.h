// Asks the operating system for the pages of a mapped ribbon that the answers to a batch need, before they are needed.
//
// A page that is not in memory stops the thread until the disk has brought it. Key by key, the disk has one page to
// bring at a time; asked ahead, it has those of all keys of the batch. A key needs:
//
//   1. the page of its bucket's code, in the front of its shard, and that of its block of band 0
//   2. if it is bumped from band 0: the page of its code and block of band 1
//   3. if it is bumped from there too: the tail
//
// Which of the later ones are needed is known when the earlier ones are there. So there are three rounds. A shard whose
// checksum is not verified yet is read as a whole.
//
// Not here: filters in memory that is no mapping of a file, for which this gains nothing; the answers (ribbon_kernel.h).
#pragma once

#include <span>

#include "bloomery/hash/hash128.h"
#include "filter/ribbon/ribbon_kernel.h"

namespace bloomery {

// Tells the operating system that pages of the payload are needed one here, one there: it then brings no neighbours of a
// page that is needed. For a ribbon whose checksums are not verified, since verifying one reads a shard from end to end.
void expect_scattered_pages(const RibbonTable& table);

// Changes no answer. Costs a system call for each page, about a microsecond. Threads: any.
void ask_for_pages(const RibbonTable& table, std::span<const Hash128> hashes);

}  // namespace bloomery
