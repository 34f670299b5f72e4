// Loads a filter file into a key of a server with Bloomery's module, and dumps it (docs/redis.md, BLOOM.LOAD
// and BLOOM.DUMP).
//
// The file is loaded into a temporary key, chunk by chunk; at the end that key replaces the target key. The
// loaded chunks are kept for an hour, so the next call for the same file resumes after them.
//
// Source: src/redis_module/load_commands.cc. Threads: one at a time for each Client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash_secret.h"
#include "connect/redis/client.h"

namespace bloomery::redis {

// Called after each chunk with the number of bytes transferred so far. If it returns false, the load stops
// with an error (kIo, EINTR).
using Progress = std::function<bool(std::uint64_t done)>;

// Loads a file. `secret` is the hash secret of a keyed file, otherwise null. Errors: kUnsupported and
// kInvalidArgument for files that the server refuses, kCapacity beyond its limit, connection errors
// (Client::run()).
Status load_file(Client& client, std::span<const std::byte> file, const std::string& key,
                 const HashSecret* secret, const Progress& progress);

// Calls `take` with consecutive bytes of the file. Errors: kInvalidArgument if the key holds no file, or
// changed during the dump; connection errors (Client::run()); the first error of `take`.
Status dump_file(Client& client, const std::string& key,
                 const std::function<Status(std::span<const std::byte>)>& take);

}  // namespace bloomery::redis
