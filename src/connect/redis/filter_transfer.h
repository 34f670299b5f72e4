// Copies a filter from a key of one server into a key of the same name of another.
//
//   type                             how it is copied
//   MBbloom--, MBbloomCF             BF.SCANDUMP and BF.LOADCHUNK, CF.SCANDUMP and CF.LOADCHUNK
//   bloomery-, bloomeryQ             BLOOM.SCANDUMP, and BLOOM.LOADCHUNK if the dump is of our own layouts
//   bloomeryF, bloomfltr             DUMP and RESTORE, in one step
//
// Steps of a copy:
//
//   1. The chunks are loaded into a temporary key in the slot of the key. It expires an hour after its last
//      chunk.
//   2. The header is read again. RedisBloom's headers and ours count the items of every layer, so a header
//      that has changed shows that the key has. Then the copy begins again, at most three times.
//   3. The temporary key is dumped. Its header must be the same, and its chunks must have the same size and
//      CRC-32C.
//   4. In one transaction the temporary key gets the time to live of the source and the name of the key.
//
// Invariant: a key never holds a part of a filter. Until step 4 it is missing or has its old value, also if
// this process is killed.
//
// Not here: keys with a lease, since their *no* is right only as long as a feeder writes to them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bloomery/base/result.h"
#include "connect/redis/client.h"
#include "connect/redis/filter_scan.h"

namespace bloomery::redis {

enum class IfOther : std::uint8_t { kRefuse, kReplace };  // for a key of another value at the destination

struct FilterTransfer {
  bool was_there = false;   // the destination had an equal filter
  std::uint64_t bytes = 0;  // of its dump
  std::uint64_t mark = 0;   // see mark_of()
};

// Is called after each chunk with its size. Returns false to stop; the error is then kIo with EINTR.
using TransferProgress = std::function<bool(std::uint64_t bytes)>;

// Errors, besides connection errors (Client::run()): kNotFound if the source is gone; kInvalidArgument if the
// destination has another value, if the source keeps changing, has a lease or cannot be dumped, or if a
// server refuses a command; kCorruption if the copy differs from its source, or for replies of another shape.
Result<FilterTransfer> transfer_filter(Client& from, Client& to, const FoundFilter& filter, IfOther if_other,
                                       const TransferProgress& progress);

// Returns a number that differs if the filter of a key differs: a checksum of its header, or of a dump in one
// step. Errors: those of transfer_filter() for the source.
Result<std::uint64_t> mark_of(Client& from, const FoundFilter& filter);

// Returns true if the key is a temporary one of a copy.
bool is_of_transfer(const std::string& key);

}  // namespace bloomery::redis
