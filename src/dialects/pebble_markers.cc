#include "dialects/pebble_markers.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hash/ascii_text.h"

namespace bloomery {
namespace {

struct Marker {
  std::uint64_t moves = 0;
  std::string_view value = {};
};

// Parses "PREFIX<moves>.<value>".
std::optional<Marker> marker_in_name(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) {
    return std::nullopt;
  }
  name.remove_prefix(prefix.size());
  const std::size_t dot = name.find('.');
  const auto moves = number_from_text<std::uint64_t>(name.substr(0, dot));
  if (dot == std::string_view::npos || !moves || dot + 1 == name.size()) {
    return std::nullopt;
  }
  return Marker{.moves = *moves, .value = name.substr(dot + 1)};
}

std::optional<Marker> last_marker(std::span<const DirectoryEntry> entries, std::string_view prefix) {
  std::optional<Marker> last;
  for (const DirectoryEntry& entry : entries) {
    const std::optional<Marker> marker = marker_in_name(entry.name, prefix);
    if (marker && (!last || last->moves <= marker->moves)) {
      last = marker;
    }
  }
  return last;
}

}  // namespace

std::optional<PebbleMarkers> pebble_markers(std::span<const DirectoryEntry> entries) {
  const std::optional<Marker> manifest = last_marker(entries, "marker.manifest.");
  if (!manifest) {
    return std::nullopt;
  }
  const std::optional<Marker> format = last_marker(entries, "marker.format-version.");
  return PebbleMarkers{.manifest = std::string(manifest->value),
                       .format = std::string(format ? format->value : std::string_view())};
}

}  // namespace bloomery
