// A command in the bytes of the protocol, and a request of one or more commands.
//
//   Command("SET").key("user:1").word("Ann").repeatable()
//
// A cluster finds a command's server by its first key, which key() names. A command without a key goes to any
// server. repeatable() marks an idempotent command. If a connection breaks before the reply has come, nobody
// knows whether the server ran the command; only an idempotent one is sent again. Reads are idempotent, and
// so is inserting a key into a filter; INCR is not. A command is not repeatable unless marked.
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
  Command& repeatable() {
    is_repeatable_ = true;
    return *this;
  }

  void append_to(std::string& bytes) const;
  std::optional<std::uint16_t> slot() const { return slot_; }
  bool is_repeatable() const { return is_repeatable_; }

 private:
  std::string words_;  // each as $size, its bytes, and line ends
  std::size_t count_ = 0;
  std::optional<std::uint16_t> slot_;
  bool is_repeatable_ = false;
};

// One command, or several that a server runs as a transaction (MULTI ... EXEC). Several must have one slot.
// Their reply is an array with a reply for each; an error of one of them is an element. If a user has no
// right to MULTI, the server refuses only MULTI and runs the others one by one. The result is then the error
// of MULTI.
struct Request {
  Request(Command command) { commands.push_back(std::move(command)); }
  explicit Request(std::vector<Command> all) : commands(std::move(all)) {}

  std::vector<Command> commands;
  // While a slot moves, its keys are on two servers, so a request of two keys is refused (TRYAGAIN). If true,
  // the client repeats it until its time limit; otherwise it returns that error at once.
  bool waits_for_moving_slots = true;

  std::optional<std::uint16_t> slot() const;
  bool is_repeatable() const;
  // The number of replies that the server sends to the bytes of append_to().
  std::size_t reply_count() const { return commands.size() == 1 ? 1 : commands.size() + 2; }
  void append_to(std::string& bytes) const;
};

}  // namespace bloomery::redis
