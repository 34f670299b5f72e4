// A filter in a key of a server, queried in batches.
//
//   type of the key   made by                         queried with
//   MBbloom--         RedisBloom, a Bloom filter      BF.MEXISTS
//   MBbloomCF         RedisBloom, a cuckoo filter     CF.MEXISTS
//   bloomfltr         valkey-bloom                    BF.MEXISTS
//   bloomery-         Bloomery                        BLOOM.MEXISTS, or BF.MEXISTS if the server lacks that
//   bloomeryQ         Bloomery, a deletable filter    BLOOM.MEXISTS, or CF.MEXISTS if the server lacks that
//   bloomeryF         Bloomery, a loaded file         BLOOM.MEXISTS
//
// Invariant: every *no* comes from a filter. RedisBloom answers no for every item of a missing key, and of a
// key of another type. So each batch is one transaction with TYPE (MULTI ... EXEC), and its answers count
// only if the type is still the one that open() found. A key that was deleted, has expired or was replaced by
// another type is an error.
//
// Source: the documentation of the commands, and RedisBloom 2.8.20 on Redis 7.0.15.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "connect/redis/client.h"

namespace bloomery::redis {

// Returns true if TYPE returns `type` for a filter (the first column of the table).
bool is_filter_type(std::string_view type);

class FilterKey {
 public:
  // Errors: kNotFound if the key does not exist; kInvalidArgument if it is no filter; connection errors
  // (Client::run()).
  static Result<FilterKey> open(Client& client, std::string_view key);

  // Sets bit i of `answers` if item i may be in the filter, and clears it otherwise. `answers` must have a
  // bit for each item. All items are sent in one Client::run(), within its time limits. After an error the
  // answers are undefined. Errors: kNotFound if the key is missing; kInvalidArgument if it is no filter;
  // kCorruption for a reply of another shape; connection errors (Client::run()).
  Status ask(Client& client, std::span<const std::string_view> items, std::span<std::uint64_t> answers) const;

  const std::string& key() const { return key_; }
  const char* command() const { return command_; }
  // Returns the module that made the key (second column of the table).
  const char* maker() const { return maker_; }

 private:
  FilterKey(std::string key, const char* type, const char* maker)
      : key_(std::move(key)), type_(type), maker_(maker) {}

  Request request_for(std::span<const std::string_view> items) const;
  Status read_answers(const std::string& subject, const Reply& reply, std::size_t first, std::size_t count,
                      std::span<std::uint64_t> answers) const;
  Status check_type(const std::string& subject, const Reply& type) const;

  std::string key_;
  const char* type_;
  const char* maker_;
  const char* command_ = nullptr;
};

}  // namespace bloomery::redis
