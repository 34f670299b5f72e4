// A module of a later version: its keys have the names of our types and an encoding that ours does not know. NEWER.MAKE key makes
// one.
#include <array>

#include "redis_module/module_api.h"

namespace {

using namespace bloomery::redis_module;

constexpr int kLaterEncoding = 2;

DataType*& the_type() {
  static DataType* type = nullptr;
  return type;
}

int make(Context* context, String** words, int count) {
  if (count != 2) {
    return server.WrongArity(context);
  }
  Key* const key = server.OpenKey(context, words[1], kRead | kWrite);
  static char value = 0;
  server.ModuleTypeSetValue(key, the_type(), &value);
  server.CloseKey(key);
  return server.ReplyWithSimpleString(context, "OK");
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) int RedisModule_OnLoad(Context* context, String** /*words*/,
                                                                         int /*count*/) {
  if (bind(context) != nullptr) {
    return kErr;
  }
  server.SetModuleAttribs(context, "bloomery", 2, 1);
  TypeMethods methods;
  methods.rdb_load = [](RdbStream* /*stream*/, int /*encoding*/) -> void* { return nullptr; };
  methods.rdb_save = [](RdbStream* stream, void* /*value*/) { server.SaveStringBuffer(stream, "later", 5); };
  methods.free = [](void* /*value*/) {};
  the_type() = server.CreateDataType(context, "bloomery-", kLaterEncoding, &methods);
  return the_type() == nullptr ? kErr : server.CreateCommand(context, "newer.make", make, "write", 1, 1, 1);
}
