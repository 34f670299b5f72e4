// The type of a Cassandra partition key, parsed from either notation:
//
//   CQL              int        frozen<list<text>>    tuple<int,text>        int,text
//   Statistics.db    Int32Type  FrozenType(ListType(UTF8Type))  TupleType(...)  CompositeType(Int32Type,...)
//
// A key of several columns is a comma-separated list of types, or a CompositeType. A class name may include
// its package, org.apache.cassandra.db.marshal. The CQL name of a user-defined type has a meaning only in its
// schema, so such a type must be written as UserType(...).
//
// Source: docs/formats/cassandra.md. Not here: text to bytes (key_text.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

enum class CassandraKind : std::uint8_t {
  kAscii,
  kBigint,
  kBlob,
  kBoolean,
  kDate,
  kDecimal,
  kDouble,
  kFloat,
  kInet,
  kInt,
  kSmallint,
  kText,
  kTime,
  kTimestamp,
  kTimeuuid,
  kTinyint,
  kUuid,
  kVarint,
  kList,
  kSet,
  kMap,
  kTuple,
  kUserType,
};

struct CassandraType {
  CassandraKind kind = CassandraKind::kText;
  std::vector<CassandraType> arguments = {};  // types of the elements, of key and value, or of the fields
  std::vector<std::string> fields = {};       // the names of the fields of a user-defined type

  friend bool operator==(const CassandraType&, const CassandraType&) = default;
};

struct CassandraKeyType {
  std::vector<CassandraType> columns;  // at least one
  bool composite = false;              // each column is preceded by its length and followed by an end marker

  friend bool operator==(const CassandraKeyType&, const CassandraKeyType&) = default;
};

// Errors:
//
//   kInvalidArgument   the text is no type
//   kUnsupported       no partition key has this type (counter, duration), its order is reversed, or it
//                      is not Cassandra's own; pass the bytes of such a key directly (--key-form hex)
Result<CassandraKeyType> parse_cassandra_key_type(std::string_view text);

// Returns the type in CQL: "int, list<text>". A user-defined type becomes udt<field: type, ...>.
std::string describe(const CassandraKeyType& type);
std::string describe(const CassandraType& type);

}  // namespace bloomery
