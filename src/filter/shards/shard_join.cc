#include "filter/shards/shard_join.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/atomic_file.h"
#include "base/crc32c.h"
#include "base/message.h"
#include "filter/native/native_file.h"
#include "filter/shards/shard_directory.h"

namespace bloomery {
namespace {

// The result of joining neighbouring parts.
struct JoinedShards {
  NativeHeader header;
  std::vector<std::byte> directory = {};
  std::vector<std::span<const std::byte>> shards = {};  // the bytes of each part's shards
  const std::string* metadata;
};

std::string noun(const NativeHeader& header) {
  return header.type == FilterType::kRibbon ? "ribbon" : "fuse filter";
}

std::string is_static(const NativeHeader& header) {
  return message(": ", noun(header),
                 "s over the same keys are static, so their union must be built again, from all keys");
}

bool holds_all(const NativeHeader& header) {
  return header.held_shards == header.shards;
}

Status join_next(const ShardPart& part, JoinedShards& joined) {
  NativeHeader& header = joined.header;
  const NativeHeader& own = part.body->header;
  BLOOMERY_RETURN_IF_ERROR(check_same_plan(header, own));
  // Parts arrive in order of their first shards. So the next part must begin at the shard at which the joined
  // ones end.
  const std::uint32_t next = header.first_shard + header.held_shards;
  if (own.first_shard < next) {
    return Error::invalid_argument(
        "merge", message("expected parts of one ", noun(own), ", found two with shard ", own.first_shard,
                         is_static(own)));
  }
  if (own.first_shard > next) {
    return Error::invalid_argument(
        "merge", message("expected neighbouring parts of one ", noun(own), ", found none with shards ", next,
                         " to ", own.first_shard - 1));
  }
  BLOOMERY_RETURN_IF_ERROR(part.verify());
  BLOOMERY_RETURN_IF_ERROR(native_file_status(FileSystem::real(), *part.body));
  const std::span<const std::byte> directory = shard_directory_of(*part.body);
  joined.directory.insert(joined.directory.end(), directory.begin(), directory.end());
  joined.shards.push_back(part.body->storage.bytes().subspan(shard_directory_bytes(own.held_shards)));
  join_digest_widths(header, own);
  header.held_shards += own.held_shards;
  header.inserted += part.body->inserted;
  header.payload_bytes += joined.shards.back().size();
  return {};
}

Result<JoinedShards> join(std::vector<ShardPart>& parts) {
  assert(!parts.empty());
  // The header of the first part becomes the header of the result. Totals over all parts are summed from
  // zero.
  std::ranges::stable_sort(parts, {}, [](const ShardPart& part) { return part.body->header.first_shard; });
  const FilterBody& first = *parts.front().body;
  JoinedShards joined{.header = first.header, .metadata = &first.metadata};
  joined.header.held_shards = 0;
  joined.header.inserted = 0;
  joined.header.payload_bytes = 0;
  if (parts.size() > 1 && holds_all(first.header)) {
    return Error::invalid_argument("merge", message("expected parts of one ", noun(first.header),
                                                    ", found a whole one", is_static(first.header)));
  }
  if (std::ranges::any_of(parts, [](const ShardPart& part) {
        return !part.body->column.bytes().empty() || !part.body->exceptions.empty();
      })) {
    return Error::invalid_argument("merge",
                                   "expected parts without exceptions, which are added to the whole");
  }
  for (const ShardPart& part : parts) {
    BLOOMERY_RETURN_IF_ERROR(join_next(part, joined));
  }
  set_shard_directory(joined.header, joined.directory);
  joined.header.metadata_bytes = joined.metadata->size();
  joined.header.metadata_checksum = crc32c(std::as_bytes(std::span(*joined.metadata)));
  return joined;
}

}  // namespace

Result<std::unique_ptr<FilterBody>> join_shards(std::vector<ShardPart> parts) {
  BLOOMERY_ASSIGN_OR_RETURN(const JoinedShards joined, join(parts));
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::zeroed(joined.header.payload_bytes));
  std::byte* out = std::ranges::copy(joined.directory, buffer.bytes().data()).out;
  for (const std::span<const std::byte> shards : joined.shards) {
    out = std::ranges::copy(shards, out).out;
  }
  auto body = std::make_unique<FilterBody>();
  body->header = joined.header;
  body->inserted = joined.header.inserted;
  body->metadata = *joined.metadata;
  body->storage = Storage(std::move(buffer));
  return body;
}

Status join_shards(std::vector<ShardPart> parts, const std::string& path, const SaveTo& to) {
  BLOOMERY_ASSIGN_OR_RETURN(const JoinedShards joined, join(parts));
  const auto header = encode(joined.header);
  std::vector<std::span<const std::byte>> pieces = {header, joined.directory};
  pieces.insert(pieces.end(), joined.shards.begin(), joined.shards.end());
  pieces.push_back(std::as_bytes(std::span(*joined.metadata)));
  return save_atomically(FileSystem::real(), path, pieces, save_options(to));
}

}  // namespace bloomery
