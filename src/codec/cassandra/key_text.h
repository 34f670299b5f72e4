// Makes the bytes of a partition key of Cassandra from the texts of its columns.
//
//   one column        the bytes of its value
//   several columns   for each: 16-bit length, the bytes of the value, 00                 big-endian
//
//   list, set         32-bit count; for each element: 32-bit length, bytes
//   map               32-bit count; for each entry: 32-bit length, bytes of the key, 32-bit length, bytes of the value
//   tuple, user type  for each field: 32-bit length, bytes; a field that is null has the length -1 alone
//
// A collection is written as in CQL: [1, 2], {'a', 'b'}, {'a': 1}, (1, 'it''s'), {street: 'Main', number: 5}. Texts in
// it stand in single quotes; dates, times and addresses may. Elements of a set and entries of a map are put into the
// order of their type, as Cassandra does. The text of a scalar column stands as it is, without quotes (scalar_text.h).
//
// Source: docs/formats/cassandra.md. What it does not do: order decimals and collections inside a set or a map.
#pragma once

#include <span>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_writer.h"
#include "codec/cassandra/key_type.h"

namespace bloomery {

// Appends the key. Errors: kInvalidArgument, which names the type, what it expects and what was found: another number
// of columns, text that the type cannot hold, a key of one column without bytes, or more than 65,535 bytes.
Status append_cassandra_key(KeyWriter& writer, const CassandraKeyType& type,
                            std::span<const std::string_view> columns);

}  // namespace bloomery
