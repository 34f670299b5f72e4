#include "dedup/state_note.h"

#include <array>
#include <ctime>

#include "hash/ascii_text.h"

namespace bloomery {
namespace {

constexpr std::string_view kStart = "dedup lines=";

// The position of the note's line: its beginning, and its end after the newline.
struct Span {
  std::size_t begin;
  std::size_t end;
};

std::optional<Span> place_of_note(std::string_view metadata) {
  for (std::size_t begin = 0; begin < metadata.size();) {
    const std::size_t newline = metadata.find('\n', begin);
    const std::size_t end = newline == std::string_view::npos ? metadata.size() : newline + 1;
    if (metadata.substr(begin).starts_with(kStart)) {
      return Span{begin, end};
    }
    begin = end;
  }
  return std::nullopt;
}

// Returns the text after `name`, such as " kept=", up to the next space or the end.
std::string_view value_of(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view rest = line.substr(at + name.size());
  return rest.substr(0, rest.find_first_of(" \n"));
}

std::optional<std::uint64_t> number_of(std::string_view line, std::string_view name) {
  return number_from_text<std::uint64_t>(value_of(line, name));
}

}  // namespace

std::optional<StateNote> find_state_note(std::string_view metadata) {
  const std::optional<Span> place = place_of_note(metadata);
  if (!place) {
    return std::nullopt;
  }
  const std::string_view line = metadata.substr(place->begin, place->end - place->begin);
  const std::optional<std::uint64_t> lines = number_of(line, " lines=");
  const std::optional<std::uint64_t> kept = number_of(line, " kept=");
  if (!lines || !kept) {
    return std::nullopt;
  }
  return StateNote{.lines = *lines,
                   .kept = *kept,
                   .saved = std::string(value_of(line, " saved=")),
                   .newest_ns = number_of(line, " newest=")};
}

std::string with_state_note(std::string_view metadata, const StateNote& note) {
  std::string text(metadata);
  // Removes all notes. An earlier one that stayed would be found instead of the new one.
  for (auto place = place_of_note(text); place; place = place_of_note(text)) {
    text.erase(place->begin, place->end - place->begin);
  }
  if (!text.empty() && text.back() != '\n') {
    text += '\n';
  }
  text.append("dedup lines=").append(std::to_string(note.lines));
  text.append(" kept=").append(std::to_string(note.kept));
  text.append(" saved=").append(note.saved);
  if (note.newest_ns) {
    text.append(" newest=").append(std::to_string(*note.newest_ns));
  }
  text.append("\n");
  return text;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  (void)::gmtime_r(&now, &parts);
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

}  // namespace bloomery
