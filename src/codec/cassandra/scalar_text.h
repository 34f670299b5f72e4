// Converts the text of one value of a scalar CQL type to bytes:
//
//   ascii, text             the text, which must be ASCII or UTF-8
//   tinyint .. bigint       a decimal integer: 1, 2, 4 or 8 bytes, big-endian two's complement
//   varint, decimal         decimal_text.h; a decimal is a 32-bit scale and the unscaled varint
//   float, double           a decimal number, NaN, Infinity or -Infinity: IEEE 754, big-endian
//   boolean                 true or false
//   blob                    0x and hexadecimal digits
//   uuid, timeuuid          8-4-4-4-12 hexadecimal digits; a timeuuid is of version 1
//   inet                    an address of IPv4 or IPv6, never a name. IPv4 inside IPv6 is IPv4, as in Java
//   date                    2026-11-23: 32 bits, 2^31 is 1970-01-01; or that number
//   time                    13:30:54.123456789: 64 bits of nanoseconds; or their number
//   timestamp               2026-11-23 13:30:54.123+0000, a zone is required: 64 bits of ms; or that number
//
// Source: docs/formats/cassandra.md.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "codec/cassandra/key_type.h"

namespace bloomery {

// Appends the bytes. Errors: kInvalidArgument, which names what the type expects, if it cannot hold the text.
// Precondition: the kind is a scalar.
Status append_cassandra_scalar(std::string& out, CassandraKind kind, std::string_view text);

// Returns "expected WHAT, found 'TEXT'" as an error about a key of that type. Long texts are truncated.
Error not_of_cassandra_type(const CassandraType& type, std::string_view expected, std::string_view text);

}  // namespace bloomery
