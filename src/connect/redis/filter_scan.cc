#include "connect/redis/filter_scan.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <utility>

#include "connect/redis/filter_key.h"

namespace bloomery::redis {
namespace {

constexpr std::int64_t kKeysInStep = 1000;

struct ScanPosition {
  std::string cursor = "0";
  std::optional<std::uint16_t> slot;  // of the primary that is scanned
};

// Scans one step further. Returns the keys that the server named.
Result<std::vector<std::string>> next_keys(Client& client, ScanPosition& position) {
  Command scan("SCAN");
  scan.word(position.cursor).word("COUNT").word(kKeysInStep).repeatable();
  if (position.slot) {
    scan.at_slot(*position.slot);
  }
  BLOOMERY_ASSIGN_OR_RETURN(Reply reply, client.run(Request(scan)));
  const bool is_right = reply.kind == Reply::Kind::kArray && reply.elements.size() == 2 &&
                        reply.elements[0].kind == Reply::Kind::kBytes &&
                        reply.elements[1].kind == Reply::Kind::kArray;
  if (!is_right) {
    return Error(ErrorCode::kCorruption, client.name(),
                 "expected a cursor and keys, found " + reply.describe());
  }
  position.cursor = reply.elements[0].text;
  std::vector<std::string> keys;
  for (Reply& key : reply.elements[1].elements) {
    keys.push_back(std::move(key.text));
  }
  return keys;
}

}  // namespace

Result<std::vector<FoundFilter>> scan_filters(Client& client, const std::function<bool()>& goes_on) {
  std::vector<ScanPosition> positions;
  for (const std::uint16_t slot : client.slots_of_primaries()) {
    positions.push_back({.cursor = "0", .slot = slot});
  }
  if (positions.empty()) {
    positions.emplace_back();
  }
  std::map<std::string, std::string> found;  // SCAN may name a key more than once
  for (ScanPosition& position : positions) {
    bool begins_anew = false;
    do {
      if (!goes_on()) {
        return Error::io(client.name(), "scan of the keys", EINTR);
      }
      // A cursor is of one process: another one may begin a scan, but not go on with it.
      const bool is_first = position.cursor == "0";
      const std::uint64_t moves_before = client.counts().moves();
      BLOOMERY_ASSIGN_OR_RETURN(const std::vector<std::string> keys, next_keys(client, position));
      begins_anew = !is_first && client.counts().moves() != moves_before;
      if (begins_anew) {
        position.cursor = "0";
      }
      std::vector<Request> questions;
      questions.reserve(keys.size());
      for (const std::string& key : keys) {
        questions.emplace_back(Command("TYPE").key(key).repeatable());
      }
      const std::vector<Result<Reply>> types = client.run(questions);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (!types[i]) {
          return types[i].error();
        }
        if (is_filter_type(types[i]->text)) {
          found.insert_or_assign(keys[i], types[i]->text);
        }
      }
    } while (begins_anew || position.cursor != "0");
  }
  std::vector<FoundFilter> filters;
  filters.reserve(found.size());
  for (auto& [key, type] : found) {
    filters.push_back({.key = key, .type = std::move(type)});
  }
  return filters;
}

}  // namespace bloomery::redis
