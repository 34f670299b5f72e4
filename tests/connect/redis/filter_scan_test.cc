// A scan finds the filters of a server, and begins anew where another process goes on with it.
#include "connect/redis/filter_scan.h"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/connect/redis/fake_server.h"

namespace bloomery::redis {
namespace {

std::string scanned(const std::string& cursor, const std::string& key) {
  return "*2\r\n$" + std::to_string(cursor.size()) + "\r\n" + cursor + "\r\n*1\r\n$" +
         std::to_string(key.size()) + "\r\n" + key + "\r\n";
}

// The first process has the keys a, b and c, one in each step. The second one counts the bucket of b as visited
// when it is given a cursor of the first.
TEST(FilterScan, ACursorOfAnotherProcessBeginsTheScanAnew) {
  std::atomic<int> processes = 1;
  FakeServer server([&processes](const Words& words) -> Say {
    if (words[0] == "TYPE") {
      return {.bytes = words[1] == "c" ? "+string\r\n" : "+MBbloom--\r\n"};
    }
    if (words[0] != "SCAN") {
      return {.bytes = "-ERR unknown command\r\n"};
    }
    if (words[1] == "0") {
      return {.bytes = scanned(processes == 1 ? "7" : "9", "a")};
    }
    if (words[1] == "9") {
      return {.bytes = scanned("0", "b")};
    }
    return processes++ == 1 ? Say{.bytes = "", .hangs_up = true} : Say{.bytes = scanned("0", "c")};
  });
  Result<Client> client = Client::connect(server.url());
  ASSERT_TRUE(client) << client.error().to_string();
  const Result<std::vector<FoundFilter>> found = scan_filters(*client, [] { return true; });
  ASSERT_TRUE(found) << found.error().to_string();
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ(found->front().key, "a");
  EXPECT_EQ(found->back().key, "b");
}

}  // namespace
}  // namespace bloomery::redis
