#include "codec/cassandra/partition_order.h"

#include <array>
#include <nettle/md5.h>

#include "base/endian.h"

namespace bloomery {

std::optional<PartitionOrder> PartitionOrder::of(std::string_view partitioner_class) {
  const std::string_view name = partitioner_class.substr(partitioner_class.rfind('.') + 1);
  return name == "Murmur3Partitioner"       ? std::optional(PartitionOrder(Partitioner::kMurmur3))
         : name == "RandomPartitioner"      ? std::optional(PartitionOrder(Partitioner::kRandom))
         : name == "ByteOrderedPartitioner" ? std::optional(PartitionOrder(Partitioner::kByteOrdered))
                                            : std::nullopt;
}

Uint128 PartitionOrder::other_rank(std::string_view key) const {
  if (partitioner_ == Partitioner::kByteOrdered) {
    return 0;
  }
  md5_ctx context;
  md5_init(&context);
  md5_update(&context, key.size(), reinterpret_cast<const std::uint8_t*>(key.data()));
  std::array<std::byte, MD5_DIGEST_SIZE> digest;
  md5_digest(&context, digest.size(), reinterpret_cast<std::uint8_t*>(digest.data()));
  const Uint128 number = Uint128{load_big64(digest.data())} << 64 | load_big64(digest.data() + 8);
  return (number >> 127) != 0 ? 0 - number : number;
}

}  // namespace bloomery
