// Filter files, and a live server that tests load them into chunk by chunk.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/ribbon_filter.h"
#include "bloomery/filter/windowed_filter.h"
#include "tests/redis_module/live_server.h"

namespace bloomery {

inline constexpr std::size_t kHeader = 192;
inline constexpr std::size_t kChunk = std::size_t{1} << 20;

inline std::string crc_of(std::string_view bytes) {
  return std::to_string(crc32c(std::as_bytes(std::span(bytes))));
}
inline std::string item(int i) {
  return "item " + std::to_string(i);
}

template <typename Filter>
std::string file_of(Filter filter, int keys) {
  for (int i = 0; i < keys; ++i) {
    (void)filter.insert(item(i));
  }
  std::string bytes;
  filter.serialize(bytes);
  return bytes;
}
inline std::string blocked_file(int keys, const FilterOptions& options = {}) {
  return file_of(*BlockedBloomFilter::for_capacity(static_cast<std::uint64_t>(keys), 1e-6, options), keys);
}
inline std::string ribbon_file(int keys) {
  std::vector<std::string> items;
  for (int i = 0; i < keys; ++i) {
    items.push_back(item(i));
  }
  std::string bytes;
  RibbonFilter::build(items, 1e-6)->serialize(bytes);
  return bytes;
}

// An exact set that would become a counting filter.
inline std::string exact_file(int keys) {
  const auto count = static_cast<std::uint64_t>(keys);
  return file_of(
      *make_filter({.type = FilterType::kCounting, .capacity = count, .fpp = 0.01, .exact_below = count}),
      keys);
}
// A window of four hours that was written so long ago, by another machine.
inline std::string windowed_file(int keys, std::chrono::nanoseconds ago) {
  const WindowClock clock = [ago] {
    return ClockReading{.wall_ns = read_machine_clock().wall_ns - ago.count()};
  };
  return file_of(
      *WindowedFilter::for_capacity(static_cast<std::uint64_t>(keys) * 4, 1e-6,
                                    {.window = Window::time(std::chrono::hours(4)), .clock = &clock}),
      keys);
}

class LoadedFiles : public OneServerTest {
 protected:
  std::string begin(const std::string& file, const std::string& part = "{k}:part") {
    return server()("BLOOM.LOAD", part, "BEGIN", file.substr(0, kHeader), crc_of(file));
  }
  std::string chunk(const std::string& file, std::size_t offset, std::size_t size = kChunk,
                    const std::string& part = "{k}:part") {
    const std::string data = file.substr(offset, size);
    return server()("BLOOM.LOAD", part, "CHUNK", std::to_string(offset), crc_of(data), data);
  }
  // Loads a whole file into a key.
  void load(const std::string& file, const std::string& key = "k") {
    ASSERT_EQ(begin(file), ":0");
    for (std::size_t at = 0; at < file.size(); at += kChunk) {
      ASSERT_EQ(chunk(file, at), ":" + std::to_string(std::min(at + kChunk, file.size())));
    }
    ASSERT_EQ(server()("BLOOM.LOADEND", key, "{k}:part"), "+OK");
  }
  std::string dumped(LiveServer& from, const std::string& key = "k") {
    std::string bytes;
    for (std::string offset = "0";;) {
      const std::string reply = from("BLOOM.DUMP", key, offset);
      const std::size_t space = reply.find(' ');
      if (reply.front() != '[' || space == std::string::npos) {
        return reply;
      }
      offset = reply.substr(2, space - 2);
      bytes += reply.substr(space + 2, reply.size() - space - 3);
      if (offset == "0") {
        return bytes;
      }
    }
  }
  // Whether the key says maybe of the items and no of nearly all others.
  void expect_answers(LiveServer& from, int keys, const std::string& key = "k") {
    std::vector<std::string> words = {"BLOOM.MEXISTS", key};
    for (int i = 0; i < 1000; ++i) {
      words.push_back(item(i * (keys / 1000)));
    }
    std::string all = "[";
    for (int i = 0; i < 1000; ++i) {
      all += i == 0 ? ":1" : " :1";
    }
    EXPECT_EQ(from.run(words), all + "]");
    EXPECT_EQ(from("BLOOM.EXISTS", key, "nobody"), ":0");
  }
};

}  // namespace bloomery
