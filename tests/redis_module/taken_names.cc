// A module that has commands of the namespaces BF and CF, as RedisBloom and Redis 8 do. Our module must live beside it.
#include "redis_module/module_api.h"

namespace {

using namespace bloomery::redis_module;

int answer(Context* context, String** /*words*/, int /*count*/) {
  return server.ReplyWithSimpleString(context, "another module");
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) int RedisModule_OnLoad(Context* context, String** /*words*/,
                                                                         int /*count*/) {
  if (bind(context) != nullptr) {
    return kErr;
  }
  server.SetModuleAttribs(context, "bf", 1, 1);
  const int first = server.CreateCommand(context, "bf.reserve", answer, "readonly", 1, 1, 1);
  return first == kOk ? server.CreateCommand(context, "cf.reserve", answer, "readonly", 1, 1, 1) : first;
}
