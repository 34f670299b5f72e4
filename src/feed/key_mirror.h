// Keeps a leased file equal to a key of a server that a feeder feeds, so that the processes of this machine
// query their own memory.
//
//   server ─ BLOOM.SCANDUMP, once for each filter ─> FileSink ─> users.leased
//          ─ BLOOM.CHANGES, several times a second ─>
//
// A look is one BLOOM.CHANGES: the hashes of the new items, with record and lease of the same moment. The id
// of the list of items (redis_module/recent_keys.h) shows that the server still has the filter that was
// copied. If it has another one, the filter is copied again: a list is begun, then the bits are dumped, then
// the list's items are inserted. So the copy has every item of the last look.
//
// A *no* of the file is as sure as one of the key. The horizon of a look is  sent + left - bound, less 1 ms
// of rounding: the feeder vouches for every row that was committed before. `sent` is the time before the
// request was sent, `left` the rest of the key's lease, `bound` that of the feeder's record. The file's lease
// ends at the horizon plus the bound, so it never outlives the key's, whatever the two clocks show.
//
//   event                                                           the file
//   no contact with the server                                      its lease expires
//   the key is missing, void, incomplete, grown or of another type  its lease is void at once
//   the lease is longer than its bound allows                       the same: a clock was set back
//   the server has an older state of the same filter                the same, until its lease is newer
//   another filter: a rebuild, a restart, a failover                it is copied. The copy takes over when
//                                                                   its horizon has passed all earlier ones,
//                                                                   also those of earlier runs
//
// A filter that has grown has more than one layer, which a leased file cannot have. Its feeder rebuilds it,
// unless it was told the capacity.
//
// Threads: run() is called once.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "connect/redis/client.h"
#include "feed/fed_key.h"
#include "feed/file_sink.h"

namespace bloomery::feed {

struct MirrorPlan {
  redis::Url url;
  std::string key;
  std::string file;
  std::chrono::milliseconds every{200};  // between two looks
  redis::Limits limits = {.connect = std::chrono::seconds(2),
                          .answer = std::chrono::seconds(2),
                          .total = std::chrono::seconds(2)};
};

class KeyMirror {
 public:
  KeyMirror(MirrorPlan plan, const std::atomic<bool>& stop, std::function<void(const std::string&)> tell);

  // Runs until `stop` is true. Until the first copy, it returns every error of the key and of the file except
  // kIo and kNotFound, since an operator must fix those. Afterwards it retries and tells.
  Status run();

 private:
  // A reply of BLOOM.CHANGES.
  struct Look {
    std::uint64_t id = 0;
    std::uint64_t next = 0;
    std::optional<std::vector<Hash128>> hashes;  // nothing: the filter must be copied
    std::int64_t until_ms = 0;
    std::int64_t left_ms = 0;
    std::uint64_t layers = 0;
    BlockedShape shape;
    std::uint64_t capacity = 0;
    HashSpec hash;
    FedRecord record;
    std::uint64_t sent_ns = 0;
  };

  Status open_file();
  Status step();
  Result<redis::Reply> run_command(redis::Command command);
  Result<Look> look(std::uint64_t id, std::uint64_t from);
  Result<Look> read_look(const redis::Reply& reply, std::uint64_t sent_ns) const;
  Status take(Look look);
  Status begin_copy(const Look& look);
  Status copy_bits(const Look& look);
  Status renew(const Look& look);
  Error refused(const std::string& detail) const;
  std::string subject() const;
  void note_trouble(const Error& error);
  void pause(std::chrono::milliseconds time) const;

  MirrorPlan plan_;
  const std::atomic<bool>& stop_;
  std::function<void(const std::string&)> tell_;
  FileSink sink_;
  std::optional<redis::Client> client_;
  std::uint64_t id_ = 0;    // of the list that the copied filter follows; 0: none
  std::uint64_t next_ = 0;  // the number of its next item
  bool is_live_ = false;    // the copy of id_ is the file's filter
  bool was_live_ = false;
  std::uint64_t bound_ns_ = 0;
  std::int64_t last_until_ms_ = 0;  // the end of the latest lease that was believed, by the server's clock
  std::uint64_t latest_horizon_ns_ = 0;  // at first, the begin of this run
  std::string trouble_;
};

}  // namespace bloomery::feed
