// Reads the fields of Statistics.db that a filter needs: the partitioner, the requested fpp, the type of the
// partition key, and the number of partitions.
//
//   i32 n | (crc) | n x (i32 type, i32 offset) | (crc) | part, (crc) | part, (crc) ...      big-endian
//
//   type 0, validation   u16 length, the partitioner's class; f64 fpp                      from ka on
//   type 2, statistics   a histogram of the partitions' sizes: i32 n | n x (i64 size, i64 partitions), ...
//   type 3, header       three vints, vint length, the class of the key's type, ...        from ma on
//
// A crc is the CRC-32 of all bytes before it, or of its part. It exists from na on, and is checked. The other
// parts are not read. Source: docs/formats/cassandra.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "codec/cassandra/sstable_name.h"

namespace bloomery {

struct SSTableStatistics {
  std::string partitioner;  // "org.apache.cassandra.dht.Murmur3Partitioner"
  double fpp = 0;           // in (0, 1]
  // The sum of the histogram, to which every partition is added once. Nothing if the part is missing.
  std::optional<std::uint64_t> partitions;
  std::optional<std::string> key_type;  // "org.apache.cassandra.db.marshal.UTF8Type"; from version ma on
};

// Returns nothing for a version before ka, whose statistics have another layout. Errors: kCorruption.
Result<std::optional<SSTableStatistics>> read_statistics(std::span<const std::byte> file,
                                                         const CassandraLayout& layout);

}  // namespace bloomery
