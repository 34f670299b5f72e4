// The data types of our keys: how the server saves, loads, copies, measures and frees them.
//
// RDB, version 1 of the encoding:
//
//   string    front (value_bytes.h)
//   for each 1 MiB of each layer:    string of its bytes, empty for zeros | unsigned CRC-32C
//
// Each CRC continues the previous one, and the first continues the CRC of the front. So swapped or missing
// strings are detected, too.
//
// Values above 64 KiB are freed by a background thread.
//
// A layer of a deletable filter is one quotient table, which is checked when it is loaded.
//
// TYPE returns "bloomery-" for BF keys and "bloomeryQ" for CF keys. Names and version are stored in RDB
// files; never change them.
#pragma once

#include "redis_module/filter_value.h"
#include "redis_module/module_api.h"

namespace bloomery::redis_module {

// Returns the functions that the server calls for values of the family.
TypeMethods type_methods(Family family);

// Registers both types. Returns false if the server refuses one.
bool register_types(Context* context);
DataType* type_of(Family family);

}  // namespace bloomery::redis_module
