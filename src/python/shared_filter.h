// A filter as Python's threads share it.
//
// Calls for one key hold the GIL, so they run one after the other. Batches and whole-filter calls release it. These take
// the lock: shared where the filter type allows calls beside each other, exclusive otherwise. A call for one key takes the
// lock only while such a call runs, which it can tell since that begins under the GIL.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pybind11/pybind11.h>

#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/key_levels.h"
#include "keys/text_keys.h"
#include "python/key_column.h"

namespace bloomery::python {

// What is done with a key.
enum class Act { kAsk, kInsert, kTestAndInsert, kRemove, kName };

class SharedFilter {
 public:
  explicit SharedFilter(AnyFilter filter);

  // Throws ValueError behind close().
  AnyFilter& filter();
  const AnyFilter& native() { return filter(); }
  void close();
  bool is_closed() const { return !filter_; }

  // The calls for one key, with the GIL held. Each throws for an object that is no key, or that the filter refuses.
  bool ask(PyObject* key);
  void insert(PyObject* key);
  bool test_and_insert(PyObject* key);
  bool remove(PyObject* key);
  std::optional<std::uint64_t> count_at_most(PyObject* key);

  // The calls for many keys: a column, or any iterable. Those with answers return an array of bools.
  void insert_all(const pybind11::object& keys);
  pybind11::object ask_all(const pybind11::object& keys);
  pybind11::object test_and_insert_all(const pybind11::object& keys);
  pybind11::object remove_all(const pybind11::object& keys);
  // Passes the hashes of all keys to `use`, piece by piece and without the GIL. Throws its first error.
  void hash_all(const pybind11::object& keys, const std::function<Status(std::span<const Hash128>)>& use);
  std::uint64_t add_exceptions(const pybind11::object& keys);

  // Runs `work` without the GIL and alone.
  template <typename Work>
  auto alone(const Work& work) {
    const Busy busy(*this);
    const pybind11::gil_scoped_release released;
    const std::unique_lock lock(mutex_);
    return work();
  }
  // Runs `work` without the GIL, beside calls that read.
  template <typename Work>
  auto beside_readers(const Work& work) {
    const Busy busy(*this);
    const pybind11::gil_scoped_release released;
    const std::shared_lock lock(mutex_);
    return work();
  }

  // To be called after keys came that may be level keys of a block list.
  void read_levels();

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

  bool inserts_alone() const;
  void check_act(Act act);
  void check_takes_integers() const;
  // Appends the hashes of a key. Several are those of a block list.
  void append_hashes(PyObject* key, Act act, std::vector<Hash128>& hashes);
  Hash128 hash_of(PyObject* key, Act act);
  void append_part(KeyWriter& writer, PyObject* part);
  bool is_plain_text() const { return is_plain_text_; }
  template <typename Run>
  auto guarded(Act act, const Run& run);
  template <typename Use>
  void for_pieces(const pybind11::object& keys, Act act, const Use& use);
  template <typename Use>
  void for_column(const KeyColumn& column, Act act, const Use& use);
  template <typename Use>
  void run_piece(Act act, const Use& use);

  std::unique_ptr<AnyFilter> filter_;
  std::unique_ptr<TextKeys> texts_[3];  // by TextPurpose; made when text first needs one
  bool is_plain_text_ = false;
  bool is_list_ = false;
  std::shared_mutex mutex_;
  int busy_ = 0;  // guarded by the GIL
  std::vector<Hash128> one_;
};

// Returns whether an argument is one key and no container of keys, which is a mistake where many are wanted.
bool is_one_key(PyObject* object);

}  // namespace bloomery::python
