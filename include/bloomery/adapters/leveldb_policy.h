// Filter policies for LevelDB: the filters by which it skips data blocks that cannot hold a key.
//
//   const auto policy = bloomery::new_leveldb_bloom_policy(10);
//   options.filter_policy = policy.get();            // must outlive the database, as LevelDB wants it
//
// new_leveldb_bloom_policy()  LevelDB's own filter under its own name, the same bytes: for databases that
//                             stand, and back to LevelDB's policy at any time.
// new_leveldb_blocked_policy()   the blocked Bloom filter under a name of its own. Tables that another policy
//                             wrote are read without a filter until they are compacted.
//
// Neither denies a key that CreateFilter() was given. Bytes that no policy of the name writes match every
// key; LevelDB's own policy denies every key for a filter of fewer than 2 bytes. Filters have no checksum of
// their own: a bit that was cleared denies keys, unless LevelDB verifies its blocks.
//
// Keys are compared by their bytes: a comparator for which different bytes are one key needs another policy.
//
// The target bloomery::leveldb; the only public header that shows a type of LevelDB. Threads: a policy has no
// state, all its calls may run together.
#pragma once

#include <leveldb/filter_policy.h>
#include <memory>

namespace bloomery {

// "leveldb.BuiltinBloomFilter2", byte for byte what leveldb::NewBloomFilterPolicy(bits_per_key) writes. Below
// 1 it is LevelDB's least filter, 64 bits and one probe. Layout: docs/formats/leveldb.md.
std::unique_ptr<const leveldb::FilterPolicy> new_leveldb_bloom_policy(int bits_per_key);

// A blocked Bloom filter for each data block, under a policy name of its own, which docs/glossary.md has: the
// least whole number of 64-byte blocks with `bits_per_key` bits for every key, at
// least one. A table of small filters so takes more than was asked, and errs less: 40 keys at 10 bits have
// 12.8. A name's bytes never change.
//
//   64 B bytes   blocks of eight little-endian words, B >= 1
//   u8 k         8..16: bits of a key, max(8, min(16, floor(512 B / 2n))) for n keys
//
// h = low word of XXH3-128 of the key; h B = block 2^64 + rest; the bits in the block are those of the
// blocked kernel for `rest` (docs/formats/native.md).
std::unique_ptr<const leveldb::FilterPolicy> new_leveldb_blocked_policy(int bits_per_key);

}  // namespace bloomery
