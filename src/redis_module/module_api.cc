#include "redis_module/module_api.h"

#include <cstring>

namespace bloomery::redis_module {
namespace {

using FindCall = int (*)(const char* name, void* target);

// While a module is loaded, the first field of the context is the function that finds other functions.
FindCall finder_of(const Context* context) {
  FindCall find = nullptr;
  std::memcpy(&find, context, sizeof(find));
  return find;
}

}  // namespace

ServerCalls server;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): there is one server

const char* bind(Context* context) {
  const FindCall find = finder_of(context);
#define BLOOMERY_FIND(result, name, parameters)          \
  if (find("RedisModule_" #name, &server.name) != kOk) { \
    return #name;                                        \
  }
  BLOOMERY_SERVER_CALLS(BLOOMERY_FIND)
#undef BLOOMERY_FIND
  // A function that the server lacks stays null.
#define BLOOMERY_TRY(result, name, parameters) static_cast<void>(find("RedisModule_" #name, &server.name));
  BLOOMERY_LATER_SERVER_CALLS(BLOOMERY_TRY)
#undef BLOOMERY_TRY
  return nullptr;
}

}  // namespace bloomery::redis_module
