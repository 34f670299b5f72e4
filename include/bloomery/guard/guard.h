// A guard protects a database: queries for keys that do not exist do not reach it, a hot key is loaded
// once, and a failing cache does not overload it.
//
// Example:
//    const auto live = guard::LiveFilter::make({.capacity = 1000});  // a feeder fills it
//    const auto cache = guard::MemoryCache::make(std::uint64_t{1} << 20);
//    const guard::Loader load = [](std::string_view, const guard::LoadContext&) -> Result<guard::Loaded> {
//      return guard::Loaded("a row");  // SELECT ... WHERE key = $1
//    };
//    const auto guarded = guard::Guard::make(*live, cache, load);
//    const auto answer = (*guarded)->get("user:1");
//    const bool exists = answer && answer->value.has_value();  // true: the filter is cold, so all keys pass
//    guard::Write write = (*guarded)->write("user:2");
//    // ... INSERT and COMMIT here ...
//    Status ended = write.end();
//
//   query ──> filter ──> cache ──> negative cache ──> flight of the key ──> gate ──> loader
//               no ↓      value ↓       no ↓          joins the first ↓       row, or no such row ↓
//
// The guard answers *no* only while the filter is known to be complete and within the bound
// (completeness.h). In every other case, whatever has failed, the query passes.
//
// A row that is written through write() passes the filter from then on. Once Write::end() has returned,
// every reader in this process sees the committed row. A row that another program writes may be denied for
// at most GuardOptions::bound.time.
//
// A value past its fresh time is still returned, and refreshed in the background, once for all queries. It
// is never returned after its keep time. If loads fail, the guard returns the stale value until then.
//
// Threads: all calls may run concurrently.
//
// Limits: a guard does not feed its filter, and it does not invalidate the copies in other processes. A
// loader that never returns keeps its thread and its slot at the gate. A key is its bytes: if the database
// treats `ab` and `ab  ` as one key, as char(n) does, use only one of them in queries and writes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/guard/answer.h"
#include "bloomery/guard/filter_source.h"
#include "bloomery/guard/guard_metrics.h"
#include "bloomery/guard/guard_options.h"
#include "bloomery/guard/loader.h"
#include "bloomery/guard/value_cache.h"

namespace bloomery::guard {

struct GuardBody;

// A write of a row that is in progress. Make it before the transaction commits, and end it afterwards,
// whether it committed or not. Two concurrent writes of one key need one object each.
class Write {
 public:
  Write(Write&& other) noexcept;
  Write& operator=(Write&& other) noexcept;
  ~Write();  // ends the write

  // Removes the key from the cache. Errors: kIo if the cache is down. The value is then removed as soon as
  // the cache is back, and until then this process answers without the cached value; other processes may
  // read it until its keep time ends. The second call does nothing.
  Status end();

 private:
  friend class Guard;
  Write(std::shared_ptr<GuardBody> body, std::string_view key, bool is_insert, bool is_held);

  std::shared_ptr<GuardBody> body_;
  std::string key_;
  bool is_insert_ = false;
  bool is_held_ = false;
};

class Guard {
 public:
  // Errors: kInvalidArgument for a bad option (check_options()), or if the source, cache or loader is
  // missing.
  static Result<std::unique_ptr<Guard>> make(std::shared_ptr<FilterSource> source,
                                             std::shared_ptr<ValueCache> cache, Loader loader,
                                             const GuardOptions& options = {});
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  // Waits for running loads. No call may be in progress.
  ~Guard();

  // Answers for a key of any bytes. Returns after GuardOptions::load_deadline at the latest, unless the
  // loader runs in this thread and exceeds its deadline. Errors: the loader's error; kIo if the load exceeded
  // the deadline or got no slot at the gate.
  Result<Answer> get(std::string_view key);

  // Calls `done` once with the result that get(key) would return. If the filter rejects the key, `done` is
  // called before this returns; otherwise on a thread of the executor, which also reads the cache. A query
  // that joins another query's load blocks no thread and has no deadline except the loader's. Errors: also
  // kInvalidArgument, passed to `done`, if the options have no executor.
  void get(std::string_view key, std::function<void(Result<Answer>)> done);

  // Returns true if get() would answer by the filter alone that there is no such row. Changes no counter.
  bool rejects(std::string_view key) const;

  // Begins to write a row: its key passes from now on. The result of a load in progress is not cached.
  Write write(std::string_view key);
  // Begins to delete a row. Its key stays in the filter until a rebuild.
  Write erase(std::string_view key);
  // Reports that another program has changed a row: the guard drops the cached absence of the key. Use it
  // for LiveFilter::on_insert().
  void changed(std::string_view key);

  // May be called at any time.
  void set_mode(GuardMode mode);
  GuardMode mode() const;
  // Lets the key pass the filter and the negative cache until end_bypass(). For a few keys.
  void bypass(std::string_view key);
  void end_bypass(std::string_view key);

  GuardState state() const;
  GuardMetrics metrics() const;

 private:
  explicit Guard(std::shared_ptr<GuardBody> body);

  std::shared_ptr<GuardBody> body_;
};

}  // namespace bloomery::guard
