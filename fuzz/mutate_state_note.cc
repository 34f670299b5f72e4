// The note of `dedup` in a filter's metadata: changed text is a note or none, and a note that is written is read
// back. The metadata's checksum is the native file's (mutate_native).
#include <cstdint>
#include <string>

#include "dedup/state_note.h"
#include "fuzz/mutation.h"

namespace {

using namespace bloomery;
using fuzz::Random;
using fuzz::require;

std::string make(Random& random) {
  const StateNote note{.lines = fuzz::changed_number(random, 200000),
                       .kept = fuzz::changed_number(random, 123456),
                       .saved = "2026-11-21T20:00:00Z"};
  std::string text = with_state_note(random.one_in(2) ? "my crawler\n" : "", note);
  if (random.one_in(4)) {
    text += text;
  }
  for (std::size_t n = random.below(4); n > 0; --n) {
    fuzz::change_bytes(random, text);
  }
  return text;
}

void ask(const std::string& text) {
  const auto found = find_state_note(text);
  if (found) {
    require(find_state_note(with_state_note("", *found)) == found, "a note that was read is not written");
  }
  const StateNote note{.lines = text.size(), .kept = text.size() / 2, .saved = "now"};
  const std::string with = with_state_note(text, note);
  require(find_state_note(with) == note, "a note that was written is not read");
  require(with_state_note(with, note) == with, "a note that is replaced by itself changes the text");
}

}  // namespace

int main(int argc, char** argv) {
  return bloomery::fuzz::run_mutator(argc, argv, {.name = "state_note", .make = make, .ask = ask});
}
