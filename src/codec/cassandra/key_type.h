// The type of a partition key of Cassandra, read from either way of writing it:
//
//   CQL              int        frozen<list<text>>    tuple<int,text>        int,text
//   Statistics.db    Int32Type  FrozenType(ListType(UTF8Type))  TupleType(...)   CompositeType(Int32Type,UTF8Type)
//
// A key of several columns is a list of types between commas, or a CompositeType. A class may stand with its package,
// org.apache.cassandra.db.marshal. A user-defined type has a name that only its schema explains, so it is known as
// UserType(...) only.
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
  std::vector<CassandraType> arguments = {};  // of elements, of key and value, of fields
  std::vector<std::string> fields = {};       // the names of the fields of a user-defined type

  friend bool operator==(const CassandraType&, const CassandraType&) = default;
};

struct CassandraKeyType {
  std::vector<CassandraType> columns;  // at least one
  bool composite = false;              // whether each column stands between its length and an end mark

  friend bool operator==(const CassandraKeyType&, const CassandraKeyType&) = default;
};

// Errors:
//
//   kInvalidArgument   the text is no type
//   kUnsupported       the named type is in no partition key (counter, duration), has a reversed order, or is not
//                      Cassandra's own; the bytes of such a key can be given as they are (--key-form hex)
Result<CassandraKeyType> parse_cassandra_key_type(std::string_view text);

// Returns the type in CQL: "int, list<text>". A user-defined type is shown as udt<field: type, ...>.
std::string describe(const CassandraKeyType& type);
std::string describe(const CassandraType& type);

}  // namespace bloomery
