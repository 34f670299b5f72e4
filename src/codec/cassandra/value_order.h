// The order in which Cassandra sorts the elements of a set and the keys of a map, for two values of one type:
//
//   integers, varint, timestamp   by value
//   float, double                 by value; -0 before 0, and NaN last
//   uuid                          by version; version 1 by its time, then all by their bytes
//   timeuuid                      by time, then the other eight bytes as signed bytes
//   others                        by their bytes
//
// Source: the behaviour of releases 3.11 to 5.0. Decimals, whose order does not distinguish 1.0 from 1.00,
// and collections are not supported.
#pragma once

#include <string_view>

#include "codec/cassandra/key_type.h"

namespace bloomery {

bool has_order(CassandraKind kind);
// Precondition: the kind has an order, and both are values of it.
bool is_before(CassandraKind kind, std::string_view a, std::string_view b);

}  // namespace bloomery
