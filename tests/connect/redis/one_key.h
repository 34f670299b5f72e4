// A fake server has one key. The key is a filter, unless the test makes it something else.
#pragma once

#include <string>
#include <utility>

#include "tests/connect/redis/fake_server.h"

namespace bloomery::redis {

// A server with one key. Its filter has the items that begin with 'y'.
struct OneKey {
  std::string type = "MBbloom--";
  std::string answer;  // instead of the true one
  bool goes_after_first_batch = false;
  Words queued;                    // what stands between MULTI and EXEC
  std::string info = "*1\r\n*-1";  // the reply of COMMAND INFO

  Say operator()(const Words& words) {
    if (words[0] == "CLUSTER") {
      return kNoCluster;
    }
    if (words[0] == "COMMAND") {
      return line(info);
    }
    if (words[0] == "AUTH") {
      return line("+OK");
    }
    if (words[0] == "TYPE" && queued.empty()) {
      return line("+" + type);
    }
    if (words[0] == "MULTI") {
      queued = {"MULTI"};
      return line("+OK");
    }
    if (words[0] != "EXEC") {
      queued = words;
      return line("+QUEUED");
    }
    std::string bytes = "*2\r\n+" + type + "\r\n";
    if (!answer.empty()) {
      bytes += answer;
    } else {
      bytes += "*" + std::to_string(queued.size() - 2) + "\r\n";
      for (std::size_t i = 2; i < queued.size(); ++i) {
        bytes += queued[i].starts_with('y') && type != "none" ? ":1\r\n" : ":0\r\n";
      }
    }
    queued.clear();
    type = goes_after_first_batch ? "none" : type;
    return {.bytes = bytes};
  }
};

}  // namespace bloomery::redis
