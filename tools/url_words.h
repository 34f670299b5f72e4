// The 256 words of the hosts and paths of url_stream, so that one byte selects one.
//
// Their order is part of every URL: a change here changes all streams, and numbers measured with them. The
// words are plain English words of four to eight letters, without any meaning here.
#pragma once

#include <array>
#include <string_view>

namespace url_stream {

inline constexpr std::array kWords = std::to_array<std::string_view>({
    "account",  "acorn",    "album",   "almond",  "anchor",  "apple",    "apron",   "archive",  "arrow",
    "article",  "atlas",    "autumn",  "badge",   "bakery",  "balance",  "bamboo",  "banner",   "barley",
    "basket",   "beacon",   "bicycle", "birch",   "blanket", "blossom",  "board",   "bottle",   "branch",
    "bread",    "breeze",   "bridge",  "bronze",  "bucket",  "butter",   "button",  "cabin",    "calendar",
    "camera",   "candle",   "canvas",  "carbon",  "carpet",  "castle",   "catalog", "cedar",    "cellar",
    "chapter",  "cherry",   "chimney", "circle",  "citizen", "clay",     "cliff",   "clock",    "cloud",
    "clover",   "coast",    "coffee",  "comet",   "compass", "copper",   "coral",   "corner",   "cotton",
    "cradle",   "crystal",  "current", "curtain", "daisy",   "dealer",   "desert",  "desk",     "diamond",
    "dinner",   "dolphin",  "drawer",  "dream",   "eagle",   "early",    "east",    "echo",     "editor",
    "elbow",    "ember",    "engine",  "evening", "fabric",  "falcon",   "family",  "farm",     "feather",
    "fern",     "ferry",    "fiddle",  "field",   "flame",   "flour",    "forest",  "forge",    "forum",
    "fountain", "friend",   "frost",   "gallery", "garden",  "garlic",   "gate",    "ginger",   "glacier",
    "glass",    "globe",    "golden",  "granite", "grape",   "guide",    "guitar",  "hammer",   "harbor",
    "harvest",  "hazel",    "heron",   "history", "holiday", "honey",    "horizon", "house",    "hunter",
    "igloo",    "index",    "island",  "ivory",   "jacket",  "jasmine",  "journey", "jungle",   "kettle",
    "kitchen",  "ladder",   "lagoon",  "lantern", "laurel",  "lavender", "leather", "lemon",    "letter",
    "library",  "light",    "lilac",   "linen",   "lobster", "lumber",   "magnet",  "maple",    "marble",
    "market",   "meadow",   "melon",   "member",  "message", "meteor",   "mirror",  "monday",   "morning",
    "mosaic",   "mountain", "museum",  "music",   "needle",  "nest",     "north",   "notebook", "nutmeg",
    "oasis",    "ocean",    "olive",   "orange",  "orbit",   "orchard",  "otter",   "paddle",   "palace",
    "panel",    "paper",    "parade",  "parcel",  "pasture", "pearl",    "pebble",  "pencil",   "pepper",
    "piano",    "picture",  "pigeon",  "pillow",  "planet",  "plaza",    "pocket",  "pottery",  "prairie",
    "pumpkin",  "puzzle",   "quarry",  "quartz",  "quilt",   "rabbit",   "radio",   "rainbow",  "raven",
    "recipe",   "ribbon",   "river",   "rocket",  "saddle",  "sailor",   "salmon",  "sandal",   "school",
    "season",   "shadow",   "shelter", "signal",  "silver",  "sketch",   "spice",   "spring",   "stable",
    "station",  "stone",    "story",   "summer",  "sunrise", "table",    "tailor",  "temple",   "thistle",
    "thunder",  "ticket",   "timber",  "tower",   "travel",  "tulip",    "tunnel",  "valley",   "vanilla",
    "velvet",   "village",  "violet",  "voyage",  "wagon",   "walnut",   "water",   "weather",  "willow",
    "window",   "winter",   "yellow",  "zebra",
});
static_assert(kWords.size() == 256);

}  // namespace url_stream
