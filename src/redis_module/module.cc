// The function that the server calls when it loads the module. It finds the server's functions, and registers
// types, settings and commands.
//
// One binary serves Redis >= 7.0 and Valkey >= 8.0, and exports one symbol. If another module or the server
// itself has the names BF.* or CF.*, this module logs that and offers only BLOOM.* instead.
#include <cstdlib>
#include <exception>
#include <span>
#include <utility>

#include "filter/pages/page_memory.h"
#include "filter/scalable/growing_filter.h"
#include "redis_module/bloom_type.h"
#include "redis_module/command_list.h"
#include "redis_module/counters.h"
#include "redis_module/file_type.h"
#include "redis_module/module_api.h"
#include "redis_module/settings.h"

namespace bloomery::redis_module {
namespace {

constexpr int kVersion = 100;  // 0.1.0
constexpr int kApiVersion = 1;

void show_info(InfoContext* info, int /*for_crash_report*/) {
  server.InfoAddSection(info, "");
  server.InfoAddFieldULongLong(info, "filters", filter_value_count());
  server.InfoAddFieldULongLong(info, "chunk_bytes", all_page_bytes());
  server.InfoAddFieldULongLong(info, "items_added", counters().items_added);
  server.InfoAddFieldULongLong(info, "items_removed", counters().items_removed);
  server.InfoAddFieldULongLong(info, "items_known", counters().items_known);
  server.InfoAddFieldULongLong(info, "items_queried", counters().items_queried);
  server.InfoAddFieldULongLong(info, "items_refused", counters().items_refused);
  server.InfoAddFieldULongLong(info, "pieces_moved", counters().pieces_moved);
}

bool refused(Context* context, const char* what) {
  server.Log(context, "warning", "the server refuses %s", what);
  return false;
}

bool load(Context* context, const char* module_name) {
  if (server.IsModuleNameBusy(module_name) != 0) {
    return false;
  }
  server.SetModuleAttribs(context, module_name, kVersion, kApiVersion);
  server.SetModuleOptions(context, kOptionHandlesIoErrors | kOptionHandlesAsyncLoading);
  // Calloc ends the server if memory is exhausted, as for the server's own data. TryCalloc of newer servers
  // reports the failure.
  use_page_memory({.try_zeroed = server.TryCalloc != nullptr ? server.TryCalloc : server.Calloc,
                   .try_unset = server.TryAlloc,
                   .release = server.Free});
  if (server.AddACLCategory != nullptr) {
    // Fails if another module has made the category, which is harmless.
    static_cast<void>(server.AddACLCategory(context, "bloom"));
    static_cast<void>(server.AddACLCategory(context, "cuckoo"));
  }
  if (!register_types(context) || !register_file_type(context)) {
    return refused(context, "a data type");
  }
  for (const auto& commands : {bloom_commands(), load_commands()}) {
    if (const char* name = register_commands(context, commands, "bloom"); name != nullptr) {
      return refused(context, name);
    }
  }
  for (const auto& [commands, category] :
       {std::pair(bf_commands(), "bloom"), std::pair(cf_commands(), "cuckoo")}) {
    if (const char* name = register_commands(context, commands, category); name != nullptr) {
      server.Log(context, "notice", "%s is taken, so only BLOOM.* is offered in its place", name);
    }
  }
  server.RegisterInfoFunc(context, show_info);
  prepare_sizing();
  return register_settings(context) || refused(context, "a setting");
}

}  // namespace
}  // namespace bloomery::redis_module

// The server finds the function by this name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) int RedisModule_OnLoad(
    bloomery::redis_module::Context* context, bloomery::redis_module::String** words, int count) {
  using namespace bloomery::redis_module;
  if (const char* missing = bind(context); missing != nullptr) {
    return kErr;  // no function to log with yet
  }
  try {
    const char* const name = name_by_arguments(context, std::span(words, static_cast<std::size_t>(count)));
    return name != nullptr && load(context, name) ? kOk : kErr;
  } catch (const std::exception& failure) {
    server.Log(context, "warning", "%s", failure.what());
    return kErr;
  }
}
