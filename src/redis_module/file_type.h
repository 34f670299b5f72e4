// The data type of keys that were loaded from filter files: how the server saves, loads, copies, measures and
// frees them.
//
// RDB, version 1 of the encoding:
//
//   string    front (file_value.h)
//   for each 1 MiB of the bytes loaded:    string of its bytes | unsigned CRC-32C
//
// Each CRC continues the previous one, and the first continues the CRC of the front. TYPE returns
// "bloomeryF". Name and version are stored in RDB files; never change them.
#pragma once

#include "redis_module/file_value.h"
#include "redis_module/module_api.h"

namespace bloomery::redis_module {

TypeMethods file_type_methods();
// Registers the type. Returns false if the server refuses it.
bool register_file_type(Context* context);
DataType* file_type();

}  // namespace bloomery::redis_module
