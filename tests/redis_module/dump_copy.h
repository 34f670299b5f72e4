// Dumps of a key on a live server: single steps, and a copy by them.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "tests/redis_module/live_server.h"

namespace bloomery {

struct DumpStep {
  std::string iterator;
  std::string data;
};

// Returns the answer of SCANDUMP. `names` is BF, CF or BLOOM.
inline DumpStep dump_step(LiveServer& server, const std::string& names, const std::string& key,
                          const std::string& iterator) {
  const std::string step = server(names + ".SCANDUMP", key, iterator);
  const std::size_t blank = step.find(' ');
  if (step.ends_with(" _]")) {
    return {.iterator = step.substr(2, blank - 2), .data = ""};
  }
  return {.iterator = step.substr(2, blank - 2), .data = step.substr(blank + 2, step.size() - blank - 3)};
}

// Copies a key by SCANDUMP and LOADCHUNK, and returns the number of chunks.
inline int copy_by_dump(LiveServer& from, const std::string& names, const std::string& key, LiveServer& to,
                        const std::string& copy) {
  std::string iterator = "0";
  for (int chunks = 0;; ++chunks) {
    const DumpStep step = dump_step(from, names, key, iterator);
    if (step.iterator == "0") {
      return chunks;
    }
    EXPECT_EQ(to(names + ".LOADCHUNK", copy, step.iterator, step.data), "+OK");
    iterator = step.iterator;
  }
}

}  // namespace bloomery
