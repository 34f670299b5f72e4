// Converts the texts of a Cassandra partition key's columns to the bytes of the key.
//
//   one column        the bytes of its value
//   several columns   for each: 16-bit length, the bytes of the value, 00                 big-endian
//
//   list, set         32-bit count; for each element: 32-bit length, bytes
//   map               32-bit count; for each entry: 32-bit length, key; 32-bit length, value
//   tuple, user type  for each field: 32-bit length, bytes; a field that is null has the length -1 alone
//
// A collection is written as in CQL: [1, 2], {'a', 'b'}, {'a': 1}, (1, 'it''s'), {street: 'Main', number: 5}.
// Texts in it need single quotes; dates, times and addresses may have them. Elements of a set and entries of
// a map are sorted in the order of their type, as in Cassandra. A scalar column's text has no quotes
// (scalar_text.h).
//
// Source: docs/formats/cassandra.md. Not supported: decimals and collections inside a set or a map.
#pragma once

#include <span>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_writer.h"
#include "codec/cassandra/key_type.h"

namespace bloomery {

// Appends the key. Errors: kInvalidArgument, which names the type, the expected and the found value: another
// number of columns, text that the type cannot hold, an empty key of one column, or more than 65,535 bytes.
Status append_cassandra_key(KeyWriter& writer, const CassandraKeyType& type,
                            std::span<const std::string_view> columns);

}  // namespace bloomery
