// A guard stands in front of a database: keys that do not exist do not reach it, a hot key is loaded once, and a
// cache that dies does not drown it.
//
// Example:
//    const auto live = guard::LiveFilter::make({.capacity = 1000});  // a feeder fills it
//    const auto cache = guard::MemoryCache::make(std::uint64_t{1} << 20);
//    const guard::Loader load = [](std::string_view, const guard::LoadContext&) -> Result<guard::Loaded> {
//      return guard::Loaded("a row");  // SELECT ... WHERE key = $1
//    };
//    const auto guarded = guard::Guard::make(*live, cache, load);
//    const auto answer = (*guarded)->get("user:1");
//    const bool exists = answer && answer->value.has_value();  // true: the filter is cold, so everything passes
//    guard::Write write = (*guarded)->write("user:2");
//    // ... INSERT and COMMIT here ...
//    Status ended = write.end();
//
//   question ──> filter ──> cache ──> negative cache ──> flight of the key ──> gate ──> loader
//                  no ↓      value ↓       no ↓          joins the first ↓       row, or no such row ↓
//
// A *no* is answered only while the filter is known to be complete and within the bound (completeness.h). In every
// other case, whatever is wrong, the question passes.
//
// A row that is written through write() passes the filter from then on. Once Write::end() has returned, everybody in
// this process reads what was committed. A row that somebody else writes can be denied for at most
// GuardOptions::bound.time.
//
// A value past its fresh time is answered all the same and refreshed in the background, once for all who ask. It is
// never answered past its time to be kept. When loads fail, a stale value goes on being answered until then.
//
// Threads: all calls may run together.
//
// Limits: a guard does not feed its filter, and it does not invalidate the copies in other processes. A loader that
// never returns keeps its thread and its room at the gate. A key is its bytes: if the database takes `ab` and `ab  ` for one
// key, as char(n) does, give the guard one of them in questions and writes.
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

// A write of a row that is under way. Make it before the transaction commits, and end it afterwards, however it
// ended. Of two writes of one key each has its own.
class Write {
 public:
  Write(Write&& other) noexcept;
  Write& operator=(Write&& other) noexcept;
  ~Write();  // ends it

  // Removes what the cache has of the key. Errors: kIo if the cache is down. Its value is then removed when it is
  // back, and this process answers without it until then; other processes may read it while it is kept. The second
  // call does nothing.
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
  // Errors: those of check_options(); kInvalidArgument if a part is missing.
  static Result<std::unique_ptr<Guard>> make(std::shared_ptr<FilterSource> source,
                                             std::shared_ptr<ValueCache> cache, Loader loader,
                                             const GuardOptions& options = {});
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  // Waits for loads that have begun. No call may be under way.
  ~Guard();

  // Answers for a key of any bytes. Returns after GuardOptions::load_deadline at the latest, unless the loader runs
  // in this thread and does not keep its deadline. Errors: those of the loader; kIo if it took too long or there was
  // no room at the gate.
  Result<Answer> get(std::string_view key);

  // Calls `done` once with the same. It is called before this returns if the filter rejects the key, and otherwise on
  // a thread of the executor, which is also where the cache is asked. A question that joins the load of another one
  // holds no thread. It has no deadline but that of the loader. Precondition: the options have an executor.
  void get(std::string_view key, std::function<void(Result<Answer>)> done);

  // Returns whether get() would answer that there is no such row by the filter alone. Counts nothing.
  bool rejects(std::string_view key) const;

  // Begins to write a row: its key passes from now on. A load that is under way will be kept nowhere.
  Write write(std::string_view key);
  // Begins to delete a row. Its key stays in the filter until a rebuild.
  Write erase(std::string_view key);
  // Says that somebody else has changed a row: what is kept of its absence is dropped. For LiveFilter::on_insert().
  void changed(std::string_view key);

  // May be changed at any time.
  void set_mode(GuardMode mode);
  GuardMode mode() const;
  // The key passes by the filter and the negative cache until end_bypass(). For a few keys.
  void bypass(std::string_view key);
  void end_bypass(std::string_view key);

  GuardState state() const;
  GuardMetrics metrics() const;

 private:
  explicit Guard(std::shared_ptr<GuardBody> body);

  std::shared_ptr<GuardBody> body_;
};

}  // namespace bloomery::guard
