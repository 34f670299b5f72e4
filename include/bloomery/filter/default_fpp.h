// The false-positive probabilities that are used where none is given. Products differ on purpose, so each has
// a name of its own.
#pragma once

namespace bloomery {

// Filters of ours: `build`, `estimate`, the Python package and guard::LiveFilter. One absent key in a
// thousand is answered maybe, at about two bytes per key.
inline constexpr double kDefaultFpp = 0.001;

// `dedup`, where a false positive loses a line. It costs 23 bits per key, and loses 1 in 80,000 of the lines
// up to the filter's capacity.
inline constexpr double kDefaultDedupFpp = 1e-4;

// `feed`, whose false positive costs one query of the database.
inline constexpr double kDefaultFeedFpp = 0.01;

// Keys of a server that BF.ADD creates. RedisBloom defines it as its initial error rate.
inline constexpr double kRedisBloomDefaultFpp = 0.01;

}  // namespace bloomery
