// A single LevelDB filter as a file: "leveldb:raw".
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

// Copies the bytes. Errors: kCorruption below 2 bytes; kCapacity.
Result<std::unique_ptr<DialectFilter>> open_leveldb_raw(std::span<const std::byte> file);
// Errors: kInvalidArgument unless the plan has an fpp or whole bits per key.
Result<std::unique_ptr<DialectBuilder>> build_leveldb_raw(const DialectPlan& plan);

}  // namespace bloomery
