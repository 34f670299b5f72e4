// The calls of SharedFilter for many keys, and for many ready hashes. A column is hashed without the GIL.
// Items of a list, and of an iterator, are hashed with it.
#include <algorithm>
#include <array>
#include <utility>

#include "bloomery/filter/exceptions.h"
#include "python/bool_array.h"
#include "python/key_bytes.h"
#include "python/key_chunks.h"
#include "python/python_error.h"
#include "python/ready_hashes.h"
#include "python/shared_filter.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

// The number of keys of a column, and of an iterable, that are processed together.
constexpr std::size_t kColumnPiece = 512;
constexpr std::size_t kIterablePiece = 2048;
// The number of keys of a column between two checks for signals, some 10 ms apart. A
// multiple of kColumnPiece.
constexpr std::size_t kKeysBetweenSignals = std::size_t{1} << 20;

// Ends a pass over the keys early. The thrower has saved the reason.
struct Stopped {};

// Throws if a single key was passed where many are expected.
void check_many(const py::object& keys) {
  if (is_one_key(keys.ptr())) {
    throw py::type_error("expected many keys, found one " + std::string(Py_TYPE(keys.ptr())->tp_name));
  }
}

// Calls read(first, hashes) and use(hashes) for groups of the keys with the indices from `first` to `last`.
template <typename Read, typename Use>
void read_pieces(std::size_t first, std::size_t last, const Read& read, const Use& use) {
  std::array<Hash128, kColumnPiece> hashes;
  for (; first < last; first += hashes.size()) {
    const auto piece = std::span(hashes).first(std::min(hashes.size(), last - first));
    read(first, piece);
    use(std::span<const Hash128>(piece));
  }
}

}  // namespace

bool is_one_key(PyObject* object) {
  if (PyMemoryView_Check(object)) {
    return PyMemoryView_GET_BUFFER(object)->itemsize == 1;
  }
  return PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object);
}

// Runs use(sharing) without the GIL, under the lock that the act needs. Inserts try to lock exclusively:
// without other active calls they then need no atomic instructions.
template <typename Use>
void SharedFilter::run_piece(Act act, const Use& use) {
  const Busy busy(*this);
  const py::gil_scoped_release released;
  if (act != Act::kAsk) {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (nature_.changes_alone) {
      lock.lock();
    }
    if (lock.owns_lock() || lock.try_lock()) {
      use(Sharing::kExclusive);
      return;
    }
  }
  const std::shared_lock lock(mutex_);
  use(Sharing::kShared);
}

// Calls read(first, hashes) and use(hashes, sharing) for groups of `size` keys without the GIL, and checks
// for signals from time to time: the keys before an interrupt stay inserted.
template <typename Read, typename Use>
void SharedFilter::for_hashes(std::size_t size, Act act, const Read& read, const Use& use) {
  for (std::size_t first = 0; first < size; first += kKeysBetweenSignals) {
    if (first != 0) {
      check_signals();
    }
    run_piece(act, [&](Sharing sharing) {
      read_pieces(first, std::min(size, first + kKeysBetweenSignals), read,
                  [&](std::span<const Hash128> hashes) { use(hashes, sharing); });
    });
  }
}

// Calls take(hashes) for each key of a column whose texts are converted by a rule, with the GIL held.
template <typename Take>
void SharedFilter::for_column_by_rule(const KeyColumn& column, Act act, const Take& take) {
  KeyHashes room;
  std::string text;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (is_list_) {
      room.several.clear();
      append_entry(column.bytes(i, text), act, room.several);
      take(std::span<const Hash128>(room.several));
      continue;
    }
    if (column.is_integer()) {
      const IntegerBits number = column.integer(i);
      room.one = hasher_.hash_of_integer(number.bits, number.is_negative);
    } else {
      room.one = column.is_text() ? hasher_.hash_of_text(column.bytes(i, text))
                                  : hasher_.hash_of_bytes(column.digest(i, hasher_.digest_bytes(), text));
    }
    take(std::span<const Hash128>(&room.one, 1));
  }
}

template <typename Take>
void SharedFilter::for_columns_by_rule(const KeyChunks& keys, Act act, const Take& take) {
  for (const KeyColumn& column : keys.columns()) {
    for_column_by_rule(column, act, take);
  }
}

// Calls take(hashes) for each key of an iterable, with the GIL held.
template <typename Take>
void SharedFilter::for_items(const py::object& keys, Act act, const Take& take) {
  const auto iterator = py::reinterpret_steal<py::object>(PyObject_GetIter(keys.ptr()));
  if (!iterator) {
    throw py::error_already_set();
  }
  KeyHashes room;
  while (const auto key = py::reinterpret_steal<py::object>(PyIter_Next(iterator.ptr()))) {
    room.several.clear();
    take(hashes_of(key.ptr(), act, room));
  }
  if (PyErr_Occurred() != nullptr) {
    throw py::error_already_set();
  }
}

// Returns the keys as columns, if they are columns. Throws if their type differs from the type of the
// filter's keys.
std::optional<KeyChunks> SharedFilter::columns_of(const py::object& keys) const {
  check_many(keys);
  std::optional<KeyChunks> columns = KeyChunks::of(keys);
  if (columns && is_list_ && !columns->is_text()) {
    throw py::type_error("expected text, since the keys are the entries of a block list, found an array of " +
                         std::string(columns->is_integer() ? "integers" : "bytes"));
  }
  if (columns && columns->is_integer()) {
    hasher_.check_takes_integers();
  }
  return columns;
}

// Calls use(hashes, sharing) for groups of the items of a list or of an iterable, and releases the GIL for
// each call. If a key is refused, the keys before it are inserted, like in the update of a set.
template <typename Use>
void SharedFilter::for_item_pieces(const py::object& keys, const std::optional<KeyChunks>& columns, Act act,
                                   const Use& use) {
  std::vector<Hash128> hashes;
  const auto flush = [&] {
    run_piece(act, [&](Sharing sharing) { use(std::span<const Hash128>(hashes), sharing); });
    hashes.clear();
  };
  const auto take = [&](std::span<const Hash128> more) {
    hashes.insert(hashes.end(), more.begin(), more.end());
    if (hashes.size() >= kIterablePiece && (hashes.size() % 64 == 0 || is_list_)) {
      flush();
      check_signals();
    }
  };
  try {
    if (columns) {
      for_columns_by_rule(*columns, act, take);
    } else if (PyList_CheckExact(keys.ptr()) && !is_list_) {
      Py_ssize_t next = 0;
      for (hasher_.append_items(keys.ptr(), next, kIterablePiece, hashes); hashes.size() == kIterablePiece;
           hasher_.append_items(keys.ptr(), next, kIterablePiece, hashes)) {
        flush();
        check_signals();
      }
    } else {
      for_items(keys, act, take);
    }
  } catch (const Stopped&) {
    throw;
  } catch (...) {
    if (act == Act::kInsert) {
      flush();
    }
    throw;
  }
  flush();
}

// Calls use(hashes, sharing) for groups of the keys, without the GIL. Not for queries of a block list, where
// a key has several hashes.
template <typename Use>
void SharedFilter::for_pieces(const py::object& keys, Act act, const Use& use) {
  check_act(act);
  const InCall in_call(*this, act);
  const std::optional<KeyChunks> columns = columns_of(keys);
  const bool as_they_are =
      columns && !is_list_ &&
      (columns->is_integer() ? nature_.treatment.form != KeyForm::kInt32 : hasher_.is_plain_text());
  if (as_they_are) {
    for_hashes(
        columns->size(), act,
        [&](std::size_t first, std::span<Hash128> hashes) { columns->hash(first, nature_.hash, hashes); },
        use);
  } else {
    for_item_pieces(keys, columns, act, use);
  }
}

// Calls use(hashes, sharing) for groups of ready hashes, without the GIL.
template <typename Use>
void SharedFilter::for_ready(const py::object& given, Act act, const Use& use) {
  check_ready_act(act);
  check_no_list();
  const InCall in_call(*this, act);
  const ReadyHashes ready(given, nature_.hash.id == HashId::kReadyDigest);
  for_hashes(
      ready.size(), act, [&](std::size_t first, std::span<Hash128> hashes) { ready.read(first, hashes); },
      use);
}

// The functions below return the action of a call for each group.
auto SharedFilter::inserting(std::uint64_t& refused) {
  return [this, &refused](std::span<const Hash128> hashes, Sharing sharing) {
    refused += filter_->insert_batch(hashes, sharing);
  };
}
auto SharedFilter::asking(BoolArray& answers) {
  return [this, &answers](std::span<const Hash128> hashes, Sharing) {
    filter_->may_contain_batch(hashes, answers.room_for(hashes.size()));
  };
}
auto SharedFilter::testing(BoolArray& answers, std::uint64_t& refused) {
  return [this, &answers, &refused](std::span<const Hash128> hashes, Sharing sharing) {
    refused += filter_->test_and_insert_batch(hashes, answers.room_for(hashes.size()), sharing);
  };
}
auto SharedFilter::removing(BoolArray& answers) {
  return [this, &answers](std::span<const Hash128> hashes, Sharing) {
    if (!filter_->can_remove()) {
      throw Stopped();
    }
    filter_->remove_batch(hashes, answers.room_for(hashes.size()));
  };
}

void SharedFilter::end_insert(std::uint64_t refused) {
  if (refused > 0) {
    read_levels();  // a level key may have been refused
    raise_full(refused);
  }
}

void SharedFilter::insert_all(const py::object& keys) {
  std::uint64_t refused = 0;
  for_pieces(keys, Act::kInsert, inserting(refused));
  end_insert(refused);
}

void SharedFilter::insert_hashes(const py::object& hashes) {
  std::uint64_t refused = 0;
  for_ready(hashes, Act::kInsert, inserting(refused));
  end_insert(refused);
}

py::object SharedFilter::ask_all(const py::object& keys) {
  BoolArray answers;
  if (is_list_) {
    ask_list(keys, answers);
  } else {
    for_pieces(keys, Act::kAsk, asking(answers));
  }
  check_file();
  return answers.array();
}

void SharedFilter::ask_list(const py::object& keys, BoolArray& answers) {
  check_act(Act::kAsk);
  const InCall in_call(*this, Act::kAsk);
  const std::optional<KeyChunks> columns = columns_of(keys);
  std::size_t asked = 0;
  const auto take = [&](std::span<const Hash128> hashes) {
    if (++asked % kIterablePiece == 0) {
      check_signals();
    }
    answers.push_back(guarded(Act::kAsk, [&](Sharing) {
      return std::ranges::any_of(hashes, [this](const Hash128& hash) { return filter_->may_contain(hash); });
    }));
  };
  if (columns) {
    for_columns_by_rule(*columns, Act::kAsk, take);
  } else {
    for_items(keys, Act::kAsk, take);
  }
}

py::object SharedFilter::ask_hashes(const py::object& hashes) {
  BoolArray answers;
  for_ready(hashes, Act::kAsk, asking(answers));
  check_file();
  return answers.array();
}

py::object SharedFilter::test_and_insert_all(const py::object& keys) {
  check_no_list();
  BoolArray answers;
  std::uint64_t refused = 0;
  for_pieces(keys, Act::kTestAndInsert, testing(answers, refused));
  end_insert(refused);
  check_file();
  return answers.array();
}

py::object SharedFilter::test_and_insert_hashes(const py::object& hashes) {
  BoolArray answers;
  std::uint64_t refused = 0;
  for_ready(hashes, Act::kTestAndInsert, testing(answers, refused));
  end_insert(refused);
  check_file();
  return answers.array();
}

py::object SharedFilter::remove_all(const py::object& keys) {
  BoolArray answers;
  try {
    for_pieces(keys, Act::kRemove, removing(answers));
  } catch (const Stopped&) {
    refuse_removal();
  }
  check_file();
  return answers.array();
}

py::object SharedFilter::remove_hashes(const py::object& hashes) {
  BoolArray answers;
  try {
    for_ready(hashes, Act::kRemove, removing(answers));
  } catch (const Stopped&) {
    refuse_removal();
  }
  check_file();
  return answers.array();
}

// An entry of a block list also needs its level, which its hash does not contain: queries would not
// find the entry.
void SharedFilter::check_no_list() const {
  if (is_list_) {
    throw py::value_error("expected a filter that is no block list; use update() and contains()");
  }
}

py::object SharedFilter::hashes_of_all(const py::object& keys) {
  check_no_list();
  return hashes_array(names_of_all(keys));
}

std::vector<Hash128> SharedFilter::names_of_all(const py::object& keys) {
  std::vector<Hash128> all;
  for_pieces(keys, Act::kName, [&](std::span<const Hash128> hashes, Sharing) {
    all.insert(all.end(), hashes.begin(), hashes.end());
  });
  return all;
}

void SharedFilter::hash_all(const py::object& keys,
                            const std::function<Status(std::span<const Hash128>)>& use) {
  Status used;
  try {
    for_pieces(keys, Act::kInsert, [&](std::span<const Hash128> hashes, Sharing) {
      used = use(hashes);
      if (!used) {
        throw Stopped();
      }
    });
  } catch (const Stopped&) {
    check(used);
  }
}

std::uint64_t SharedFilter::add_exceptions(const py::object& keys) {
  check_writable();
  const std::vector<Hash128> all = names_of_all(keys);
  return checked(alone([&] { return bloomery::add_exceptions(*filter_, all); }));
}

}  // namespace bloomery::python
