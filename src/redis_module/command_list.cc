#include "redis_module/command_list.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::redis_module {
namespace {

constexpr CommandInfoVersion kInfoVersion = {.version = 1,
                                             .history_bytes = sizeof(CommandHistory),
                                             .key_spec_bytes = sizeof(KeySpec),
                                             .argument_bytes = sizeof(CommandArgument)};

// Servers name commands in lower case, and clients see that name in errors.
std::string lower_case(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return lower;
}

std::uint64_t spec_flags(KeyUse use) {
  switch (use) {
    case KeyUse::kReads:
      return kSpecReads;
    case KeyUse::kInserts:
      return kSpecInserts;
    case KeyUse::kUpdates:
      return kSpecUpdates;
    case KeyUse::kOverwrites:
      return kSpecOverwrites;
    case KeyUse::kDeletes:
      return kSpecDeletes;
    case KeyUse::kMoves:
      return kSpecMoves;
  }
  return kSpecUpdates;
}

// Describes the keys from word `first` on. `last` is the last key's distance from `first`, or -1 for the last
// word.
KeySpec words_are_keys(KeyUse use, int first, int last) {
  KeySpec spec{};
  spec.flags = spec_flags(use);
  spec.begin_type = kSpecBeginsAtIndex;
  spec.begin.index.position = first;
  spec.find_type = kSpecFindsRange;
  spec.find.range = {.last_key = last, .step = 1, .limit = 0};
  return spec;
}

std::vector<CommandArgument> arguments_of(const CommandRow& row) {
  CommandArgument key = value_argument("key", ArgumentType::kKey);
  key.key_spec_index = 0;
  std::vector<CommandArgument> arguments = {key};
  for (const CommandArgument* next = row.arguments; next != nullptr && next->name != nullptr; ++next) {
    arguments.push_back(*next);
  }
  arguments.push_back({});
  return arguments;
}

// Returns the index of the last word that is a key, or -1 if the command's last word is one.
int last_key_of(const CommandRow& row) {
  switch (row.more) {
    case MoreKeys::kAllOthers:
      return -1;
    case MoreKeys::kOneMoved:
      return 2;
    default:
      return 1;
  }
}

bool describe(Command* command, const CommandRow& row) {
  std::array<KeySpec, 3> specs = {words_are_keys(row.use, 1, 0), KeySpec{}, KeySpec{}};
  if (row.more == MoreKeys::kAllOthers) {
    specs[1] = words_are_keys(KeyUse::kReads, 2, -1);
  } else if (row.more == MoreKeys::kOneMoved) {
    specs[1] = words_are_keys(KeyUse::kMoves, 2, 0);
  }
  std::vector<CommandArgument> arguments = arguments_of(row);
  const CommandInfo info = {.version = &kInfoVersion,
                            .summary = row.summary,
                            .complexity = row.complexity,
                            .since = "0.1.0",
                            .history = nullptr,
                            .tips = nullptr,
                            .arity = row.arity,
                            .key_specs = specs.data(),
                            .arguments = arguments.data()};
  return server.SetCommandInfo(command, &info) == kOk;
}

}  // namespace

const char* register_commands(Context* context, std::span<const CommandRow> rows, const char* category) {
  for (const CommandRow& row : rows) {
    const std::string name = lower_case(row.name);
    if (server.CreateCommand(context, name.c_str(), row.call, row.flags, 1, last_key_of(row), 1) != kOk) {
      return row.name;
    }
    Command* const command = server.GetCommand(context, name.c_str());
    if (command == nullptr || !describe(command, row)) {
      return row.name;
    }
    if (server.SetCommandACLCategories != nullptr && server.AddACLCategory != nullptr) {
      server.SetCommandACLCategories(command, category);
    }
  }
  return nullptr;
}

}  // namespace bloomery::redis_module
