// Builds a full filter from keys, byte for byte as RocksDB's table builder does.
//
// RocksDB adds the keys of a table in order and drops a hash that equals the previous one. So the keys
// are sorted bytewise here. The remaining hashes decide the filter's size, and the first seed and
// rounding of a ribbon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/rocksdb/sizing.h"

namespace bloomery {

// Returns the bytes of a filter of `kind` for keys in bytewise order. A ribbon becomes a fastlocal filter, as
// in RocksDB, if the ribbon would be larger or has no solution. Errors: kCapacity.
Result<std::vector<std::byte>> rocksdb_filter_bytes(std::span<const std::string_view> sorted_keys,
                                                    const RocksDbBits& bits, RocksDbKind kind);

// Returns a builder that collects and sorts keys, and passes the bytes of the filter to `open`.
using OpenRocksDbBytes = Result<std::unique_ptr<DialectFilter>> (*)(std::span<const std::byte> bytes);
std::unique_ptr<DialectBuilder> rocksdb_builder(const RocksDbBits& bits, RocksDbKind kind,
                                                OpenRocksDbBytes open);

}  // namespace bloomery
