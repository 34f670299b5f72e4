// A single LevelDB filter in a file: "leveldb:raw".
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/dialect.h"

namespace bloomery {

// Checks that the file has at least the 64 bits of LevelDB's smallest filter, and a k from 1 to 30. Errors:
// kCorruption, unless doubt is accepted.
Status check_leveldb_raw_is_made(const DialectSource& source);
// Copies the bytes. Errors: kCorruption below 2 bytes; kCapacity.
Result<std::unique_ptr<DialectFilter>> open_leveldb_raw(std::span<const std::byte> file);
// Errors: kInvalidArgument unless the plan has an fpp or an integer number of bits per key.
Result<std::unique_ptr<DialectBuilder>> build_leveldb_raw(const DialectPlan& plan);

}  // namespace bloomery
