// Makes a full filter of keys, byte for byte as RocksDB's table builder does.
//
// RocksDB is given the keys of a table in order and drops a hash that equals the one before. So the keys are
// sorted bytewise here, and what is left decides the size, a ribbon's first seed and its rounding.
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

// Returns the bytes of a filter of `kind` for keys in bytewise order. A ribbon that would be larger than a
// Bloom filter, or that has no solution, becomes a fastlocal one. Errors: kCapacity.
Result<std::vector<std::byte>> rocksdb_filter_bytes(std::span<const std::string_view> sorted_keys,
                                                    const RocksDbBits& bits, RocksDbKind kind);

// Collects keys and sorts them; `open` makes the filter of the bytes.
using OpenRocksDbBytes = Result<std::unique_ptr<DialectFilter>> (*)(std::span<const std::byte> bytes);
std::unique_ptr<DialectBuilder> rocksdb_builder(const RocksDbBits& bits, RocksDbKind kind,
                                                OpenRocksDbBytes open);

}  // namespace bloomery
