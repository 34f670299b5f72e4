// Asks the operating system for the pages of a mapped ribbon that the answers to a batch need, before they
// are needed.
//
// A page fault blocks the thread until the disk has read the page. Key by key, the disk serves one read at a
// time; with requests made ahead, it serves the reads of all keys of the batch at once. A key needs:
//
//   1. the page of its bucket's code, in the front of its shard, and that of its block of band 0
//   2. if it is bumped from band 0: the page of its code and block of band 1
//   3. if it is bumped from there too: the tail
//
// Only the earlier pages tell which later ones are needed, so there are three rounds. A shard whose checksum
// is not verified yet is read entirely.
//
// Not here: filters that are not mapped from a file, which gain nothing from this; the answers
// (ribbon_kernel.h).
#pragma once

#include <span>

#include "bloomery/hash/hash128.h"
#include "filter/ribbon/ribbon_kernel.h"

namespace bloomery {

// Advises the operating system that accesses to the payload are random, which disables readahead. Intended
// for a ribbon whose checksums are not verified, since verification reads a shard from end to end.
void expect_scattered_pages(const RibbonTable& table);

// Changes no answer. Costs a system call for each page, about a microsecond. Threads: any.
void ask_for_pages(const RibbonTable& table, std::span<const Hash128> hashes);

}  // namespace bloomery
