// The data type of BF keys: how the server saves, loads, copies, weighs and frees them.
//
// RDB, version 1 of the encoding:
//
//   string    front (value_bytes.h)
//   for each 1 MiB of each layer:    string of its bytes, empty for zeros | unsigned CRC-32C
//
// A CRC continues the one before it, and the first one continues the CRC of the front. So exchanged and missing
// strings are errors too.
//
// Freeing is left to a background thread unless the value is small.
//
// TYPE returns "bloomery-". Name and version are in RDB files; never change them.
#pragma once

#include "redis_module/bloom_value.h"
#include "redis_module/module_api.h"

namespace bloomery::redis_module {

// Returns the functions that the server calls for a value of the type.
TypeMethods bloom_type_methods();

// Returns false if the server refuses the type.
bool register_bloom_type(Context* context);
DataType* bloom_type();

}  // namespace bloomery::redis_module
