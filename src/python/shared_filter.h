// A filter that Python's threads share.
//
// Calls for one key hold the GIL, so they run one after the other. Batches and calls for the entire filter
// release it and lock a mutex: shared if the filter type allows concurrent calls, otherwise exclusive. A
// call for one key locks it only while such a call runs, which it can detect since such a call begins
// under the GIL.
//
// A key's own code (__index__, a generator) may call the filter again, and may try to close it. So each call
// counts itself, close() refuses while one runs, and no member holds a hash.
//
// A process that was forked while a batch ran has half of its work, and a lock that nobody unlocks. The child
// refuses such a filter, and can use all others.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <pybind11/pybind11.h>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/file_lock.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/key_levels.h"
#include "keys/text_keys.h"
#include "python/bool_array.h"
#include "python/key_chunks.h"
#include "python/key_column.h"
#include "python/object_hasher.h"

namespace bloomery::python {

// The number of forks between this process and the process that loaded the module.
inline std::uint64_t forks_so_far = 0;
// Returns forks_so_far, and counts forks from the first call on.
std::uint64_t forks();

// The action of a call on a key.
enum class Act { kAsk, kInsert, kTestAndInsert, kRemove, kName };

// The behaviour of a save if the file exists.
enum class Replace {
  kNo,             // an existing file is an error
  kUnlessChanged,  // replaces it, unless the file was read or saved by this filter and has changed since
  kAlways,
};

class SharedFilter {
 public:
  // With `watched_path` the filter is a mapping of this file, and survive_cut_files() was called. A no is
  // then returned only after check_file().
  explicit SharedFilter(AnyFilter filter, std::string watched_path = {});
  SharedFilter(const SharedFilter&) = delete;
  SharedFilter& operator=(const SharedFilter&) = delete;
  // Ends an update that was not closed.
  ~SharedFilter();

  // pybind11 allocates memory even for an object whose __init__ was never called. Zeros are a closed filter.
  static void* operator new(std::size_t size) {
    void* const zeros = std::calloc(1, size);
    return zeros == nullptr ? throw std::bad_alloc() : zeros;
  }
  static void* operator new(std::size_t, void* place) { return place; }
  static void operator delete(void* memory) { std::free(memory); }

  // Throws ValueError after close().
  AnyFilter& filter();
  // Ends an update, which brings its file up to date, and closes the filter. Throws ValueError while
  // another call uses the filter.
  void close();
  bool is_closed() const { return !filter_; }

  // The calls for one key, with the GIL held. Each throws for an object that is not a key, or that
  // the filter refuses.
  bool ask(PyObject* key);
  void insert(PyObject* key);
  bool test_and_insert(PyObject* key);
  bool remove(PyObject* key);
  std::optional<std::uint64_t> count_at_most(PyObject* key);

  // The calls for many keys: a column, or any iterable. Calls with answers return an array of bools.
  void insert_all(const pybind11::object& keys);
  pybind11::object ask_all(const pybind11::object& keys);
  pybind11::object test_and_insert_all(const pybind11::object& keys);
  pybind11::object remove_all(const pybind11::object& keys);
  // Passes the hashes of all keys to `use`, group by group and without the GIL. Throws its first error.
  void hash_all(const pybind11::object& keys, const std::function<Status(std::span<const Hash128>)>& use);
  std::uint64_t add_exceptions(const pybind11::object& keys);

  // The same calls for ready hashes (ready_hashes.h), which any filter except a block list accepts.
  // hashes_of_all() returns the array of the hashes of keys.
  void insert_hashes(const pybind11::object& hashes);
  pybind11::object ask_hashes(const pybind11::object& hashes);
  pybind11::object test_and_insert_hashes(const pybind11::object& hashes);
  pybind11::object remove_hashes(const pybind11::object& hashes);
  pybind11::object hashes_of_all(const pybind11::object& keys);

  // Runs `work` without the GIL, under the exclusive lock.
  template <typename Work>
  auto alone(const Work& work) {
    const Busy busy(*this);
    const pybind11::gil_scoped_release released;
    const std::unique_lock lock(mutex_);
    return work();
  }
  // Runs `work` without the GIL, under the shared lock.
  template <typename Work>
  auto beside_readers(const Work& work) {
    const Busy busy(*this);
    const pybind11::gil_scoped_release released;
    const std::shared_lock lock(mutex_);
    return work();
  }

  // Saves to `path`; `place` is the path as the caller gave it.
  void save(const std::string& path, Replace replace, const pybind11::object& place);

  // A file that the filter changes (access="update"). It is locked until the filter is closed.
  struct Update {
    FileLock lock;
    std::string path;
    bool in_place;  // otherwise the filter is in memory, and finally saved over the file
    std::uint64_t forks = 0;
  };
  // Makes the filter update its file. Only the process that calls this can use it.
  void begin_update(Update update);

  // Call it after inserts of keys that may be level keys of a block list.
  void read_levels();

  // Runs `work`, which reads the filter. The GIL is held if no batch runs.
  template <typename Work>
  auto reading(const Work& work) {
    const AnyFilter& open = filter();
    return guarded(Act::kAsk, [&](Sharing) { return work(open); });
  }
  // Adds the keys of another filter.
  void merge(SharedFilter& other);
  // Throws ValueError if the filter is closed or a read-only view.
  void check_writable();
  // Throws if the mapped file was truncated: bytes read after its end are zeros.
  void check_file();

 private:
  // Counts the calls that run without the GIL.
  class Busy {
   public:
    explicit Busy(SharedFilter& shared) : shared_(shared) { ++shared_.busy_; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy() { --shared_.busy_; }

   private:
    SharedFilter& shared_;
  };
  // Keeps the filter open. An insert into a block list may add a level that queries must include, so the
  // TextKeys of queries are discarded. An insert that ends with an exception may have made a level key that
  // was not inserted, so all TextKeys are discarded.
  class InCall {
   public:
    InCall(SharedFilter& shared, Act act) : shared_(shared), act_(act) { ++shared_.in_calls_; }
    InCall(const InCall&) = delete;
    InCall& operator=(const InCall&) = delete;
    ~InCall() {
      --shared_.in_calls_;
      if (shared_.is_list_ && (act_ == Act::kInsert || act_ == Act::kTestAndInsert)) {
        if (std::uncaught_exceptions() > exceptions_) {
          shared_.read_levels();
        }
        shared_.texts_[static_cast<std::size_t>(TextPurpose::kAsk)].reset();
      }
    }

   private:
    SharedFilter& shared_;
    Act act_;
    int exceptions_ =
        // Called for block lists only: it would cost a measurable share of an insert.
        shared_.is_list_ ? std::uncaught_exceptions() : 0;
  };

  // The hashes of one key: one, or several for a block list.
  struct KeyHashes {
    Hash128 one;
    std::vector<Hash128> several;
  };

  // Returns true if the filter can process a key at once, the usual case: it is open and not torn, no
  // batch runs, and a key has one hash. Then an inert key (object_hasher.h) needs neither the lock nor a
  // count of calls.
  bool is_at_hand(Act act) const {
    return (acts_at_hand_ & bit_of(act)) != 0 && busy_ == 0 && forks_ == forks_so_far;
  }
  static constexpr unsigned bit_of(Act act) { return 1U << static_cast<unsigned>(act); }

  void check_fork();
  bool is_of_this_process() const;
  bool is_updated_file(const std::string& path) const;
  // Throws IoError: the file that a filter was read from, or saved to, has changed since. The exception
  // names `path` if no known file has changed.
  [[noreturn]] static void refuse_changed(const AnyFilter& filter, const std::string& path,
                                          const pybind11::object& place);
  Status finish_update();
  // Throws if the filter does not support the act, with keys or with ready hashes.
  void check_act(Act act);
  void check_ready_act(Act act);
  [[noreturn]] void refuse_removal() const;
  void check_no_list() const;
  // Returns the hashes of a key, which are stored in `room`.
  std::span<const Hash128> hashes_of(PyObject* key, Act act, KeyHashes& room);
  void append_entry(std::string_view text, Act act, std::vector<Hash128>& hashes);
  template <typename Run>
  auto guarded(Act act, const Run& run);

  // These are defined in filter_batches.cc.
  std::optional<KeyChunks> columns_of(const pybind11::object& keys) const;
  template <typename Use>
  void for_pieces(const pybind11::object& keys, Act act, const Use& use);
  template <typename Use>
  void for_item_pieces(const pybind11::object& keys, const std::optional<KeyChunks>& columns, Act act,
                       const Use& use);
  template <typename Read, typename Use>
  void for_hashes(std::size_t size, Act act, const Read& read, const Use& use);
  template <typename Take>
  void for_column_by_rule(const KeyColumn& column, Act act, const Take& take);
  template <typename Take>
  void for_columns_by_rule(const KeyChunks& keys, Act act, const Take& take);
  template <typename Take>
  void for_items(const pybind11::object& keys, Act act, const Take& take);
  template <typename Use>
  void for_ready(const pybind11::object& hashes, Act act, const Use& use);
  template <typename Use>
  void run_piece(Act act, const Use& use);
  auto inserting(std::uint64_t& refused);
  auto asking(BoolArray& answers);
  auto testing(BoolArray& answers, std::uint64_t& refused);
  auto removing(BoolArray& answers);
  void end_insert(std::uint64_t refused);
  std::vector<Hash128> names_of_all(const pybind11::object& keys);
  void ask_list(const pybind11::object& keys, BoolArray& answers);

  // The constant properties of the filter, which can be read while a batch runs.
  struct Nature {
    HashSpec hash;
    KeyTreatment treatment;
    std::string type_name;
    bool is_static = false;
    bool is_writable = false;
    bool knows_secret = false;
    bool changes_alone = false;  // inserts need the exclusive lock
  };

  std::unique_ptr<AnyFilter> filter_;
  Nature nature_;
  ObjectHasher hasher_;                 // for a filter that is not a block list
  std::unique_ptr<TextKeys> texts_[3];  // for a block list, by TextPurpose; made when text first needs one
  bool is_list_ = false;
  std::string watched_path_;
  std::optional<Update> update_;
  std::shared_mutex mutex_;
  int busy_ = 0;      // guarded by the GIL
  int in_calls_ = 0;  // guarded by the GIL
  std::uint64_t forks_ = 0;
  unsigned acts_at_hand_ = 0;  // for is_at_hand(), as long as the filter is open
  bool is_torn_ = false;
};

// Runs run(sharing) for one key. It needs the lock only while a batch runs; otherwise the GIL gives it the
// filter alone.
template <typename Run>
auto SharedFilter::guarded(Act act, const Run& run) {
  if (busy_ == 0) {
    return run(Sharing::kExclusive);
  }
  const Busy busy(*this);
  const pybind11::gil_scoped_release released;
  if (act != Act::kAsk && nature_.changes_alone) {
    const std::unique_lock lock(mutex_);
    return run(Sharing::kExclusive);
  }
  const std::shared_lock lock(mutex_);
  return run(Sharing::kShared);
}

// Returns true if an argument is one key and not a container of keys, which is a mistake if
// many are expected.
bool is_one_key(PyObject* object);

}  // namespace bloomery::python
