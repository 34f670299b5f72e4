// Commands with the properties that the server registers: flags, key specs, documentation, categories. Also
// the lists of all commands.
#pragma once

#include <cstdint>
#include <span>

#include "redis_module/border.h"
#include "redis_module/module_api.h"

namespace bloomery::redis_module {

// How a command uses its first key, which follows its name.
enum class KeyUse : std::uint8_t { kReads, kInserts, kUpdates, kOverwrites, kDeletes, kMoves };

// The further words that are keys: none, all others (which are read), or one (whose value is moved to the
// first key).
enum class MoreKeys : std::uint8_t { kNo, kAllOthers, kOneMoved };

struct CommandRow {
  const char* name;
  CommandFunction call;
  const char* flags;
  KeyUse use;
  int arity;
  const char* summary;
  const char* complexity;
  const CommandArgument* arguments;  // the arguments after the key, up to a zeroed one
  MoreKeys more = MoreKeys::kNo;
};

// Makes the row of a command. kArity counts words as the server does: n for exactly n, -n for n or more.
template <CommandFunction kCommand, int kArity>
constexpr CommandRow command(const char* name, const char* flags, KeyUse use, const char* summary,
                             const char* complexity, const CommandArgument* arguments,
                             MoreKeys more = MoreKeys::kNo) {
  return {name, guarded<kCommand, kArity>, flags, use, kArity, summary, complexity, arguments, more};
}

inline constexpr const char* kReadFlags = "readonly fast";
inline constexpr const char* kSlowReadFlags = "readonly";
inline constexpr const char* kAddFlags = "write deny-oom";

// Return the commands BF.* (bf_commands.cc), CF.*, BLOOM.*, and those that load and dump files. If the server
// refuses the first one of BF.* or CF.*, the names are taken by another module.
std::span<const CommandRow> bf_commands();
std::span<const CommandRow> cf_commands();
std::span<const CommandRow> bloom_commands();
std::span<const CommandRow> load_commands();

// Registers commands. Returns the name of the first command that the server refused, or null.
const char* register_commands(Context* context, std::span<const CommandRow> rows, const char* category);

// Makes an argument for CommandRow::arguments.
constexpr CommandArgument value_argument(const char* name, ArgumentType type, int flags = 0) {
  return {.name = name,
          .type = type,
          .key_spec_index = -1,
          .token = nullptr,
          .summary = nullptr,
          .since = nullptr,
          .flags = flags,
          .deprecated_since = nullptr,
          .parts = nullptr};
}
constexpr CommandArgument option_argument(const char* name, const char* token, ArgumentType type,
                                          int flags = kArgumentIsOptional) {
  CommandArgument argument = value_argument(name, type, flags);
  argument.token = token;
  return argument;
}

// The arguments that commands of several families have.
inline constexpr std::array kItemArgument = {value_argument("item", ArgumentType::kString),
                                             CommandArgument{}};
inline constexpr std::array kItemsArgument = {value_argument("item", ArgumentType::kString, kArgumentRepeats),
                                              CommandArgument{}};
inline constexpr std::array kIteratorArgument = {value_argument("iterator", ArgumentType::kInteger),
                                                 CommandArgument{}};
inline constexpr std::array kChunkArguments = {value_argument("iterator", ArgumentType::kInteger),
                                               value_argument("data", ArgumentType::kString),
                                               CommandArgument{}};

}  // namespace bloomery::redis_module
