// A command in the bytes that are sent, and what is sent together.
//
//   Command("SET").key("user:1").word("Ann").repeatable()
//
// A cluster finds a command's server by its first key, which key() names. A command without a key goes to any server.
// repeatable() says that doing it twice is the same as doing it once. If a connection breaks before the reply has come,
// nobody knows whether the server did it; only such a command is sent again. Reads are repeatable, and so is inserting a
// key into a filter; INCR is not, and a command is not until somebody says so.
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

// One command, or several that a server does as one (MULTI ... EXEC), with nothing of another client in between. Several
// must have one slot. Their reply is an array with a reply for each; an error of one of them is an element. To a user without
// the right to MULTI the server refuses that alone, and does the others one by one. The result is then the error of MULTI.
struct Request {
  Request(Command command) { commands.push_back(std::move(command)); }
  explicit Request(std::vector<Command> all) : commands(std::move(all)) {}

  std::vector<Command> commands;
  // A slot that moves has some of its keys here and some there, so a request of two keys is refused until it has moved
  // (TRYAGAIN). The client asks again until its time is over, or returns that error at once.
  bool waits_for_moving_slots = true;

  std::optional<std::uint16_t> slot() const;
  bool is_repeatable() const;
  // The number of replies that append_to() makes the server send.
  std::size_t reply_count() const { return commands.size() == 1 ? 1 : commands.size() + 2; }
  void append_to(std::string& bytes) const;
};

}  // namespace bloomery::redis
