// The calls of SharedFilter for many keys, and for many ready hashes. A column is hashed without the GIL. Items of a list,
// and what an iterator gives, are hashed with it.
#include <algorithm>
#include <array>
#include <utility>

#include "bloomery/filter/exceptions.h"
#include "python/bool_array.h"
#include "python/column_hashes.h"
#include "python/key_bytes.h"
#include "python/python_error.h"
#include "python/ready_hashes.h"
#include "python/shared_filter.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

// The keys of a column, and those of an iterable, that are looked at together.
constexpr std::size_t kColumnPiece = 512;
constexpr std::size_t kIterablePiece = 2048;

// Ends a pass over the keys early. Who throws it has kept the reason.
struct Stopped {};

// Throws where one key is given for many.
void check_many(const py::object& keys) {
  if (is_one_key(keys.ptr())) {
    throw py::type_error("expected many keys, found one " + std::string(Py_TYPE(keys.ptr())->tp_name));
  }
}

}  // namespace

bool is_one_key(PyObject* object) {
  if (PyMemoryView_Check(object)) {
    return PyMemoryView_GET_BUFFER(object)->itemsize == 1;
  }
  return PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object);
}

// Runs use(sharing) without the GIL, under the lock that the act needs. Inserts that find nobody else at work take the
// lock alone: they need no atomic instructions then.
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

// Calls use(hashes, sharing) for pieces of a column, all without the GIL.
template <typename Use>
void SharedFilter::for_column(const KeyColumn& column, Act act, const Use& use) {
  run_piece(act, [&](Sharing sharing) {
    std::array<Hash128, kColumnPiece> hashes;
    for (std::size_t first = 0; first < column.size(); first += hashes.size()) {
      const auto piece = std::span(hashes).first(std::min(hashes.size(), column.size() - first));
      hash_column(column, first, nature_.hash, piece);
      use(std::span<const Hash128>(piece), sharing);
    }
  });
}

// Calls take(hashes) for each key of a column whose texts are made keys by a rule, with the GIL held.
template <typename Take>
void SharedFilter::for_column_by_rule(const KeyColumn& column, Act act, const Take& take) {
  KeyHashes room;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (is_list_) {
      room.several.clear();
      append_entry(column.bytes(i), act, room.several);
      take(std::span<const Hash128>(room.several));
      continue;
    }
    if (column.is_integer()) {
      const IntegerBits number = column.integer(i);
      room.one = hasher_.hash_of_integer(number.bits, number.is_negative);
    } else {
      room.one = hasher_.hash_of_text(column.bytes(i));
    }
    take(std::span<const Hash128>(&room.one, 1));
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

// Returns the column that the keys are, if they are one. Throws for a column of another type than the filter's keys.
std::optional<KeyColumn> SharedFilter::column_of(const py::object& keys) const {
  check_many(keys);
  std::optional<KeyColumn> column = KeyColumn::of(keys);
  if (column && column->is_integer()) {
    hasher_.check_takes_integers();
  }
  if (column && is_list_ && !column->is_text()) {
    throw py::type_error(
        "expected text, since the keys are the entries of a block list, found an array of bytes");
  }
  return column;
}

// Calls use(hashes, sharing) for pieces of the items of a list or of an iterable, with the GIL released for each call.
// Where a key is refused, those before it are inserted as an update of a set would insert them.
template <typename Use>
void SharedFilter::for_item_pieces(const py::object& keys, const std::optional<KeyColumn>& column, Act act,
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
    }
  };
  try {
    if (column) {
      for_column_by_rule(*column, act, take);
    } else if (PyList_CheckExact(keys.ptr()) && !is_list_) {
      Py_ssize_t next = 0;
      for (hasher_.append_items(keys.ptr(), next, kIterablePiece, hashes); hashes.size() == kIterablePiece;
           hasher_.append_items(keys.ptr(), next, kIterablePiece, hashes)) {
        flush();
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

// Calls use(hashes, sharing) for pieces of the keys, without the GIL. Not for what is asked of a block list, where a key
// has several hashes.
template <typename Use>
void SharedFilter::for_pieces(const py::object& keys, Act act, const Use& use) {
  check_act(act);
  const InCall in_call(*this, act);
  const std::optional<KeyColumn> column = column_of(keys);
  const bool takes_bytes = column && !is_list_ &&
                           (column->is_integer() ? nature_.treatment.form != KeyForm::kInt32
                                                 : hasher_.is_plain_text() || !column->is_text());
  if (takes_bytes) {
    for_column(*column, act, use);
  } else {
    for_item_pieces(keys, column, act, use);
  }
}

// Calls use(hashes, sharing) for pieces of ready hashes, without the GIL.
template <typename Use>
void SharedFilter::for_ready(const py::object& given, Act act, const Use& use) {
  check_ready_act(act);
  check_no_list();
  const InCall in_call(*this, act);
  const ReadyHashes ready(given, nature_.hash.id == HashId::kReadyDigest);
  run_piece(act, [&](Sharing sharing) {
    std::array<Hash128, kColumnPiece> hashes;
    for (std::size_t first = 0; first < ready.size(); first += hashes.size()) {
      const auto piece = std::span(hashes).first(std::min(hashes.size(), ready.size() - first));
      ready.read(first, piece);
      use(std::span<const Hash128>(piece), sharing);
    }
  });
}

// The functions below return what the calls do with each piece.
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
    read_levels();  // a level key may be among the refused
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
  const std::optional<KeyColumn> column = column_of(keys);
  const auto take = [&](std::span<const Hash128> hashes) {
    answers.push_back(guarded(Act::kAsk, [&](Sharing) {
      return std::ranges::any_of(hashes, [this](const Hash128& hash) { return filter_->may_contain(hash); });
    }));
  };
  if (column) {
    for_column_by_rule(*column, Act::kAsk, take);
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

// An entry of a block list has a level, too, which its hash does not tell: questions would not find the entry.
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
