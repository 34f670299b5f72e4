// A command, encoded for the Redis protocol, and a request of one or more commands.
//
//   Command("SET").key("user:1").word("Ann").repeatable()
//
// In a cluster, a command's first key determines its server; key() appends that key. A command without a key
// goes to any server. repeatable() marks an idempotent command. If a connection breaks before the reply has
// come, nobody knows whether the server ran the command, so only an idempotent one is sent again. Reads are
// idempotent, and so is inserting a key into a filter; INCR is not. A command is not repeatable unless
// marked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::redis {

class Command {
 public:
  explicit Command(std::string_view name) { word(name); }

  Command& word(std::string_view bytes);
  Command& word(std::int64_t number) { return word(std::to_string(number)); }
  Command& key(std::string_view bytes);
  // Sends a command without a key to the primary of a slot.
  Command& at_slot(std::uint16_t slot) {
    slot_ = slot;
    return *this;
  }
  Command& repeatable() {
    is_repeatable_ = true;
    return *this;
  }

  void append_to(std::string& bytes) const;
  std::optional<std::uint16_t> slot() const { return slot_; }
  bool is_repeatable() const { return is_repeatable_; }

 private:
  std::string words_;  // each word as $size, line end, its bytes, line end
  std::size_t count_ = 0;
  std::optional<std::uint16_t> slot_;
  bool is_repeatable_ = false;
};

// One command, or several that a server runs as a transaction (MULTI ... EXEC). Several must have the same
// slot. Their reply is an array with one reply for each command, which may be an error. If a user has no
// right to MULTI, the server refuses only MULTI and runs the other commands one by one. The result is then
// the error of MULTI.
struct Request {
  Request(Command command) { commands.push_back(std::move(command)); }
  explicit Request(std::vector<Command> all) : commands(std::move(all)) {}

  std::vector<Command> commands;
  // While a slot is being moved, its keys are on two servers, so a request of two keys is refused (TRYAGAIN).
  // If this is true, the client repeats the request until its time limit; otherwise it returns TRYAGAIN at
  // once.
  bool waits_for_moving_slots = true;

  std::optional<std::uint16_t> slot() const;
  bool is_repeatable() const;
  // Returns how many replies the server sends for append_to()'s bytes: several commands also need MULTI and
  // EXEC.
  std::size_t reply_count() const { return commands.size() == 1 ? 1 : commands.size() + 2; }
  void append_to(std::string& bytes) const;
};

}  // namespace bloomery::redis
