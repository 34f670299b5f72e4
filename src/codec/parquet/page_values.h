// Reads the values of a page in each encoding that needs no dictionary.
//
//   PLAIN                     fixed size: the values; BYTE_ARRAY: u32 length, bytes
//   DELTA_BINARY_PACKED       INT32, INT64: delta_numbers.h
//   DELTA_LENGTH_BYTE_ARRAY   BYTE_ARRAY: all lengths as delta numbers, then all bytes
//   DELTA_BYTE_ARRAY          BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY: the lengths of the prefixes that values share
//                             with their predecessors, as delta numbers; then the suffixes, in the encoding
//                             DELTA_LENGTH_BYTE_ARRAY. Equal neighbours are passed on once
//   BYTE_STREAM_SPLIT         fixed size: the first bytes of all values, then the second ones, and so on
//
// A value is passed on as the bytes that filters hash: in plain encoding, without the length before
// BYTE_ARRAY. The bytes of a page must end with its last value. Source: Apache Parquet format, Encodings.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "codec/parquet/column_type.h"
#include "codec/parquet/page_header.h"
#include "codec/parquet/value_batch.h"

namespace bloomery::parquet {

// The encoded values of one page.
struct EncodedValues {
  Encoding encoding = Encoding::kPlain;
  ColumnType type = {};
  std::span<const std::byte> bytes;
  std::uint64_t offset = 0;  // of the page in the file, for errors
  std::uint64_t count = 0;   // values that are not null
};

// Adds all values to the batch, which must be flushed before `bytes` end. Errors: those of the batch;
// kCorruption; kUnsupported for another encoding or type; kCapacity if the values of a page are much larger
// than the page.
Status read_page_values(const EncodedValues& values, ValueBatch& batch);

}  // namespace bloomery::parquet
