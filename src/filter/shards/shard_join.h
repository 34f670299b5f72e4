// Joins the parts of a static filter: files that hold neighbouring shards of one plan.
//
// If these are all parts, the result is byte for byte that of one build of all keys. The metadata is that of
// the first part. Errors:
//
//   kInvalidArgument   the message names all differences, or which shards are missing or present twice
//   kCorruption        a shard is damaged
//   kCapacity          the machine lacks the memory
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "filter/native/filter_body.h"

namespace bloomery {

struct ShardPart {
  const FilterBody* body;
  std::function<Status()> verify;  // of every shard
};

// Joins in memory. The parts may have any order; there is at least one.
Result<std::unique_ptr<FilterBody>> join_shards(std::vector<ShardPart> parts);
// Joins into a file, without a copy in memory. Errors: also kIo.
Status join_shards(std::vector<ShardPart> parts, const std::string& path, const SaveTo& to);

}  // namespace bloomery
