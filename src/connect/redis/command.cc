#include "connect/redis/command.h"

#include <algorithm>

#include "connect/redis/key_slot.h"

namespace bloomery::redis {

Command& Command::word(std::string_view bytes) {
  words_ += '$';
  words_ += std::to_string(bytes.size());
  words_ += "\r\n";
  words_ += bytes;
  words_ += "\r\n";
  ++count_;
  return *this;
}

Command& Command::key(std::string_view bytes) {
  if (!slot_) {
    slot_ = key_slot(bytes);
  }
  return word(bytes);
}

void Command::append_to(std::string& bytes) const {
  bytes += '*';
  bytes += std::to_string(count_);
  bytes += "\r\n";
  bytes += words_;
}

std::optional<std::uint16_t> Request::slot() const {
  for (const Command& command : commands) {
    if (command.slot()) {
      return command.slot();
    }
  }
  return std::nullopt;
}

bool Request::is_repeatable() const {
  return std::ranges::all_of(commands, &Command::is_repeatable);
}

void Request::append_to(std::string& bytes) const {
  const bool together = commands.size() != 1;
  if (together) {
    Command("MULTI").append_to(bytes);
  }
  for (const Command& command : commands) {
    command.append_to(bytes);
  }
  if (together) {
    Command("EXEC").append_to(bytes);
  }
}

}  // namespace bloomery::redis
