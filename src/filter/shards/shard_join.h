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
#include <span>
#include <string>
#include <utility>
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

// The concatenate() of a static filter, which makes this class a friend.
struct ShardJoin {
  // Returns a filter as a part, which must not outlive it.
  template <typename Filter>
  static ShardPart part_of(const Filter& filter) {
    return {.body = &filter.body(), .verify = [&filter] { return filter.verify(); }};
  }
  template <typename Filter>
  static Result<Filter> concatenate(std::span<const Filter* const> parts) {
    BLOOMERY_ASSIGN_OR_RETURN(auto body, join_shards(parts_of(parts)));
    return Filter::from_body(std::move(body), {.verify = Verify::kHeaderOnly});  // each part was verified
  }
  template <typename Filter>
  static Status concatenate(std::span<const Filter* const> parts, const std::string& path, const SaveTo& to) {
    return join_shards(parts_of(parts), path, to);
  }

 private:
  template <typename Filter>
  static std::vector<ShardPart> parts_of(std::span<const Filter* const> parts) {
    std::vector<ShardPart> joining;
    for (const Filter* const part : parts) {
      joining.push_back(part_of(*part));
    }
    return joining;
  }
};

}  // namespace bloomery
