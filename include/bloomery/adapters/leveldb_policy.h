// Filter policies for LevelDB. LevelDB uses filters to skip data blocks that cannot hold a key.
//
// Example:
//    const auto policy = bloomery::new_leveldb_bloom_policy(10);
//    leveldb::Options options;
//    options.filter_policy = policy.get();   // the policy must outlive the database, as LevelDB requires
//
// There are two policies:
//
//   new_leveldb_bloom_policy()      LevelDB's own filter under its own name, with the same bytes. It suits
//                                   existing databases; returning to LevelDB's policy is always possible.
//   new_leveldb_blocked_policy()    the blocked Bloom filter under its own name. Tables of another policy
//                                   are read without a filter until they are compacted.
//
// Neither policy denies a key of CreateFilter(). Bytes that no policy of this name writes match every key,
// whereas LevelDB's own policy denies every key for a filter of fewer than 2 bytes. Filters have no
// checksum of their own: a cleared bit denies keys, unless LevelDB verifies its blocks.
//
// Keys are compared by their bytes. A comparator that treats different bytes as the same key needs another
// policy.
//
// The CMake target is bloomery::leveldb. This is the only public header that shows a type of LevelDB.
// Threads: a policy has no state, so all its calls may run concurrently.
#pragma once

#include <leveldb/filter_policy.h>
#include <memory>

namespace bloomery {

// Returns the policy "leveldb.BuiltinBloomFilter2", whose filters equal those of
// leveldb::NewBloomFilterPolicy(bits_per_key) byte for byte. Below 1 bit it is LevelDB's smallest filter:
// 64 bits and one probe. Layout: docs/formats/leveldb.md.
std::unique_ptr<const leveldb::FilterPolicy> new_leveldb_bloom_policy(int bits_per_key);

// Returns a policy with a blocked Bloom filter for each data block. It has a name of its own, which
// docs/glossary.md lists; the bytes of a name never change. A filter has the least number of 64-byte blocks
// with `bits_per_key` bits for every key, and at least one block. So small filters are larger than
// requested, and have a lower fpp: 40 keys at 10 bits have 12.8.
//
//   64 B bytes   B >= 1 blocks of eight little-endian words
//   u8 k         bits of a key, 8 to 16: max(8, min(16, floor(512 B / 2n))) for n keys
//
// For a key with h = the low word of its XXH3-128, h B = block * 2^64 + rest. The bits in the block are
// those that the blocked kernel computes for `rest` (docs/formats/native.md).
std::unique_ptr<const leveldb::FilterPolicy> new_leveldb_blocked_policy(int bits_per_key);

}  // namespace bloomery
