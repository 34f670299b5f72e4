// A pair is what scripts/redis_cluster writes and looks for: an item in a filter, and a plain key beside it.
//
//   filter:{t12}          the filter of tag 12
//   plain:{t12}:3-4711    the plain key of item 3-4711
//
// Both have the slot of the tag, so one server has both, and both go the same way when it dies or its slots move.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "connect/redis/command.h"

namespace bloomery::redis {

// The commands of what is tried as the filter. "set" is a plain set of the server: it tries the trial.
struct FilterCommands {
  std::string_view name;
  std::string_view add;
  std::string_view exists;
  std::string_view create;  // empty: the first insert creates it
};
inline constexpr std::array<FilterCommands, 2> kFilterCommands = {{
    {"bf", "BF.ADD", "BF.EXISTS", "BF.RESERVE"},
    {"set", "SADD", "SISMEMBER", ""},
}};

inline std::string filter_key(int tag) {
  return "filter:{t" + std::to_string(tag) + "}";
}
inline std::string plain_key(int tag, const std::string& item) {
  return "plain:{t" + std::to_string(tag) + "}:" + item;
}

// Creates a filter that has to grow many times: capacity 1,000, fpp 1e-6.
inline Command create_filter(const FilterCommands& filter, int tag) {
  return Command(filter.create).key(filter_key(tag)).word("0.000001").word("1000");
}
inline Command add_item(const FilterCommands& filter, int tag, const std::string& item) {
  return Command(filter.add).key(filter_key(tag)).word(item).repeatable();
}
inline Command set_plain(int tag, const std::string& item) {
  return Command("SET").key(plain_key(tag, item)).word("1").repeatable();
}
inline Command has_item(const FilterCommands& filter, int tag, const std::string& item) {
  return Command(filter.exists).key(filter_key(tag)).word(item).repeatable();
}
inline Command has_plain(int tag, const std::string& item) {
  return Command("EXISTS").key(plain_key(tag, item)).repeatable();
}

}  // namespace bloomery::redis
