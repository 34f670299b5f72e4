#include "python/shared_filter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <pthread.h>
#include <utility>

#include "bloomery/filter/block_list.h"
#include "bloomery/filter/exceptions.h"
#include "python/bool_array.h"
#include "python/key_bytes.h"
#include "python/python_error.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

// The keys of an iterable that are looked at together.
constexpr std::size_t kPiece = 4096;

TextPurpose purpose_of(Act act) {
  if (act == Act::kAsk) {
    return TextPurpose::kAsk;
  }
  return act == Act::kInsert || act == Act::kTestAndInsert ? TextPurpose::kInsert : TextPurpose::kName;
}

// Returns how many forks lie between this process and the one that loaded the module.
std::uint64_t forks() {
  static std::uint64_t count = 0;
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++count; });
  static_cast<void>(registered);
  return count;
}

// Ends a pass over the keys early. Who throws it has kept the reason.
struct Stopped {};

}  // namespace

bool is_one_key(PyObject* object) {
  if (PyMemoryView_Check(object)) {
    return PyMemoryView_GET_BUFFER(object)->itemsize == 1;
  }
  return PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object);
}

SharedFilter::SharedFilter(AnyFilter filter, std::string watched_path)
    : filter_(std::make_unique<AnyFilter>(std::move(filter))),
      watched_path_(std::move(watched_path)),
      forks_(forks()) {
  const FilterType type = filter_->type();
  is_list_ = is_block_list(filter_->key_treatment().form);
  nature_ = {.hash = filter_->hash_spec(),
             .treatment = filter_->key_treatment(),
             .type_name = filter_->type_name(),
             .is_static = filter_->is_static(),
             .is_writable = filter_->is_writable(),
             .knows_secret = knows_its_secret(filter_->native()),
             .changes_alone = type == FilterType::kQuotient || type == FilterType::kExact || is_list_};
  is_plain_text_ = nature_.treatment == KeyTreatment();
}

AnyFilter& SharedFilter::filter() {
  check_fork();
  if (!filter_) {
    throw py::value_error("expected an open filter, found it closed");
  }
  return *filter_;
}

void SharedFilter::check_fork() {
  if (forks_ != forks()) {
    forks_ = forks();
    is_torn_ = busy_ > 0;
  }
  if (is_torn_) {
    throw py::value_error("expected a filter that no other thread was using at the fork, found one in use");
  }
}

void SharedFilter::check_file() {
  if (watched_path_.empty()) {
    return;
  }
  const Status status = reading([](const AnyFilter& open) { return open.native().file_status(); });
  if (!status) {
    raise(status.error().in_file(watched_path_));
  }
}

void SharedFilter::close() {
  check_fork();
  if (busy_ > 0 || in_calls_ > 0) {
    throw py::value_error("expected a filter that no other call is using, found one in use");
  }
  filter_.reset();
}

void SharedFilter::check_writable() {
  static_cast<void>(filter());
  if (!nature_.is_writable) {
    throw py::value_error("expected a filter that may be changed, found a read-only view");
  }
}

void SharedFilter::check_act(Act act) {
  static_cast<void>(filter());
  if (!nature_.knows_secret) {
    throw py::value_error(
        "expected a filter that can hash its keys, found one of ready hashes or without its secret");
  }
  if (act == Act::kAsk || act == Act::kName) {
    return;
  }
  check_writable();
  if (nature_.is_static) {
    throw py::value_error("expected a filter that may be changed, found a ribbon, which never changes");
  }
}

void SharedFilter::read_levels() {
  for (std::unique_ptr<TextKeys>& texts : texts_) {
    texts.reset();
  }
}

void SharedFilter::check_takes_integers() const {
  const KeyForm form = nature_.treatment.form;
  if (nature_.treatment.parts != 1 ||
      (form != KeyForm::kText && form != KeyForm::kInt32 && form != KeyForm::kInt64)) {
    throw py::type_error("expected keys as the filter's rule makes them (" + describe(nature_.treatment) +
                         "), found an int");
  }
}

// ---- The hashes of a key ----

Hash128 SharedFilter::hash_of_text(std::string_view text) {
  if (is_plain_text_) {
    return hash_bytes(text, nature_.hash);
  }
  std::unique_ptr<TextKeys>& texts = texts_[static_cast<std::size_t>(TextPurpose::kName)];
  if (!texts) {
    texts = std::make_unique<TextKeys>(nature_.treatment, TextPurpose::kName);
  }
  check(texts->make({&text, 1}));
  return hash_bytes(texts->keys().front(), nature_.hash);
}

Hash128 SharedFilter::hash_of_integer(std::uint64_t bits, bool is_negative) const {
  if (nature_.treatment.form != KeyForm::kInt32) {
    return hash_little_endian(bits, sizeof(bits), nature_.hash);
  }
  KeyWriter writer;
  append_integer(writer, bits, is_negative, KeyForm::kInt32);
  return hash_bytes(writer.bytes(), nature_.hash);
}

void SharedFilter::append_part(KeyWriter& writer, PyObject* part) {
  const std::size_t start = writer.begin_part();
  if (PyUnicode_Check(part)) {
    if (!formed_) {
      formed_.emplace(nature_.treatment);
    }
    check(formed_->append(writer, text_of(part)));
  } else if (PyBytes_Check(part)) {
    append_key(writer, bytes_of(part));
  } else if (is_integer(part)) {
    append_integer(writer, part, nature_.treatment.form);
  } else {
    refuse_key(part);
  }
  writer.end_part(start);
}

Hash128 SharedFilter::hash_of_tuple(PyObject* tuple) {
  const auto parts = static_cast<std::size_t>(PyTuple_GET_SIZE(tuple));
  const std::uint16_t expected = nature_.treatment.parts;
  if (expected != 1 && expected != kVariableParts && parts != expected) {
    throw py::value_error("expected a key of " + std::to_string(expected) + " parts, found " +
                          std::to_string(parts));
  }
  KeyWriter writer;
  for (std::size_t i = 0; i < parts; ++i) {
    append_part(writer, PyTuple_GET_ITEM(tuple, static_cast<Py_ssize_t>(i)));
  }
  return hash_bytes(writer.bytes(), nature_.hash);
}

Hash128 SharedFilter::hash_of(PyObject* key) {
  if (PyUnicode_Check(key)) {
    return hash_of_text(text_of(key));
  }
  if (PyBytes_Check(key)) {
    return hash_bytes(bytes_of(key), nature_.hash);
  }
  if (PyTuple_Check(key)) {
    return hash_of_tuple(key);
  }
  if (PyByteArray_Check(key) || PyMemoryView_Check(key)) {
    const auto bytes = py::reinterpret_steal<py::object>(PyBytes_FromObject(key));
    if (!bytes) {
      throw py::error_already_set();
    }
    return hash_bytes(bytes_of(bytes.ptr()), nature_.hash);
  }
  if (is_integer(key)) {
    check_takes_integers();
    const IntegerBits number = integer_of(key);
    return hash_of_integer(number.bits, number.is_negative);
  }
  refuse_key(key);
}

// Appends the hashes of an entry of a block list, or of the questions of a text.
void SharedFilter::append_entry(std::string_view text, Act act, std::vector<Hash128>& hashes) {
  std::unique_ptr<TextKeys>& texts = texts_[static_cast<std::size_t>(purpose_of(act))];
  if (!texts) {
    texts = std::make_unique<TextKeys>(nature_.treatment, purpose_of(act));
    texts->ask_at(reading([](const AnyFilter& open) { return levels_of(open); }));
  }
  check(texts->make({&text, 1}));
  for (const std::span<const std::byte> made : texts->keys()) {
    hashes.push_back(hash_bytes(made, nature_.hash));
  }
}

void SharedFilter::append_hashes(PyObject* key, Act act, std::vector<Hash128>& hashes) {
  if (!is_list_) {
    hashes.push_back(hash_of(key));
    return;
  }
  if (!PyUnicode_Check(key)) {
    throw py::type_error("expected a str, since the keys are the entries of a block list, found " +
                         std::string(Py_TYPE(key)->tp_name));
  }
  append_entry(text_of(key), act, hashes);
}

// ---- One key ----

bool SharedFilter::ask(PyObject* key) {
  check_act(Act::kAsk);
  const InCall in_call(*this, Act::kAsk);
  bool maybe = false;
  if (!is_list_) {
    const Hash128 hash = hash_of(key);
    maybe = guarded(Act::kAsk, [&] { return filter_->may_contain(hash); });
  } else {
    std::vector<Hash128> hashes;
    append_hashes(key, Act::kAsk, hashes);
    maybe = guarded(Act::kAsk, [&] {
      return std::ranges::any_of(hashes, [this](const Hash128& hash) { return filter_->may_contain(hash); });
    });
  }
  if (!maybe) {
    check_file();
  }
  return maybe;
}

void SharedFilter::insert(PyObject* key) {
  check_act(Act::kInsert);
  const InCall in_call(*this, Act::kInsert);
  bool in = false;
  if (!is_list_) {
    const Hash128 hash = hash_of(key);
    in = guarded(Act::kInsert, [&] { return filter_->insert(hash); });
  } else {
    std::vector<Hash128> hashes;
    append_hashes(key, Act::kInsert, hashes);
    in = guarded(Act::kInsert, [&] {
      return std::ranges::all_of(hashes, [this](const Hash128& hash) { return filter_->insert(hash); });
    });
  }
  if (!in) {
    raise_full(1);
  }
}

bool SharedFilter::test_and_insert(PyObject* key) {
  check_act(Act::kTestAndInsert);
  const InCall in_call(*this, Act::kTestAndInsert);
  std::vector<Hash128> hashes;
  append_hashes(key, Act::kTestAndInsert, hashes);
  bool refused = false;
  bool is_new = false;
  guarded(Act::kTestAndInsert, [&] {
    for (const Hash128& hash : hashes) {  // the last one is the key's, the others are levels
      const TestedInsert tested = filter_->test_and_insert(hash);
      refused = refused || tested.refused;
      is_new = tested.is_new;
    }
    return 0;
  });
  if (refused) {
    raise_full(1);
  }
  check_file();
  return is_new;
}

namespace {

[[noreturn]] void refuse_removal(const std::string& type) {
  throw py::value_error("expected a type that removes and counts keys (counting, quotient), found " + type);
}

}  // namespace

bool SharedFilter::remove(PyObject* key) {
  check_act(Act::kRemove);
  const InCall in_call(*this, Act::kRemove);
  std::vector<Hash128> hashes;
  append_hashes(key, Act::kRemove, hashes);
  const auto removed = guarded(Act::kRemove, [&] {
    return filter_->can_remove() ? std::optional(filter_->remove(hashes.back())) : std::nullopt;
  });
  if (!removed) {
    refuse_removal(nature_.type_name);
  }
  check_file();
  return *removed;
}

std::optional<std::uint64_t> SharedFilter::count_at_most(PyObject* key) {
  check_act(Act::kName);
  const InCall in_call(*this, Act::kName);
  std::vector<Hash128> hashes;
  append_hashes(key, Act::kName, hashes);
  bool counts = false;
  const auto count = guarded(Act::kAsk, [&]() -> std::optional<std::uint64_t> {
    counts = filter_->can_remove();
    return counts ? filter_->count_at_most(hashes.back()) : std::nullopt;
  });
  if (!counts) {
    refuse_removal(nature_.type_name);
  }
  check_file();
  return count;
}

// ---- Many keys ----

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

// Calls use(first, hashes, sharing) for pieces of a column, all without the GIL.
template <typename Use>
void SharedFilter::for_column(const KeyColumn& column, Act act, const Use& use) {
  const HashSpec hash = nature_.hash;
  run_piece(act, [&](Sharing sharing) {
    std::array<Hash128, 512> hashes;
    for (std::size_t first = 0; first < column.size(); first += hashes.size()) {
      const std::size_t count = std::min(hashes.size(), column.size() - first);
      if (const char* packed = column.packed_64()) {
        for (std::size_t i = 0; i < count; ++i) {
          std::uint64_t bits = 0;
          std::memcpy(&bits, packed + (first + i) * sizeof(bits), sizeof(bits));
          hashes[i] = hash_little_endian(bits, sizeof(bits), hash);
        }
      } else {
        for (std::size_t i = 0; i < count; ++i) {
          hashes[i] = column.is_integer() ? hash_little_endian(column.integer(first + i).bits, 8, hash)
                                          : hash_bytes(column.bytes(first + i), hash);
        }
      }
      use(first, std::span<const Hash128>(hashes).first(count), sharing);
    }
  });
}

// Calls take(hashes) for each key, with the GIL held.
template <typename Take>
void SharedFilter::for_keys(const py::object& keys, const std::optional<KeyColumn>& column, Act act,
                            const Take& take) {
  std::vector<Hash128> hashes;
  const auto take_object = [&](PyObject* key) {
    hashes.clear();
    append_hashes(key, act, hashes);
    take(hashes);
  };
  if (column) {
    for (std::size_t i = 0; i < column->size(); ++i) {
      hashes.clear();
      if (is_list_) {
        append_entry(column->bytes(i), act, hashes);
      } else if (column->is_integer()) {
        const IntegerBits number = column->integer(i);
        hashes.push_back(hash_of_integer(number.bits, number.is_negative));
      } else {
        hashes.push_back(hash_of_text(column->bytes(i)));
      }
      take(hashes);
    }
  } else if (PyList_CheckExact(keys.ptr())) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys.ptr()); ++i) {  // a key's code may change the list
      const auto key = py::reinterpret_borrow<py::object>(PyList_GET_ITEM(keys.ptr(), i));
      take_object(key.ptr());
    }
  } else {
    const auto iterator = py::reinterpret_steal<py::object>(PyObject_GetIter(keys.ptr()));
    if (!iterator) {
      throw py::error_already_set();
    }
    while (const auto key = py::reinterpret_steal<py::object>(PyIter_Next(iterator.ptr()))) {
      take_object(key.ptr());
    }
    if (PyErr_Occurred() != nullptr) {
      throw py::error_already_set();
    }
  }
}

namespace {

// Throws where one key, or a mapping, is given for many.
void check_many(const py::object& keys) {
  if (is_one_key(keys.ptr())) {
    throw py::type_error("expected many keys, found one " + std::string(Py_TYPE(keys.ptr())->tp_name));
  }
}

}  // namespace

// Calls use(first, hashes, sharing) for pieces of the keys, without the GIL. Not for what is asked of a block list, where a key
// has several hashes. Where a key is refused, those before it are inserted as an update of a set would insert them.
template <typename Use>
void SharedFilter::for_pieces(const py::object& keys, Act act, const Use& use) {
  check_act(act);
  const InCall in_call(*this, act);
  check_many(keys);
  const std::optional<KeyColumn> column = KeyColumn::of(keys);
  if (column && column->is_integer()) {
    check_takes_integers();
  }
  if (column && is_list_ && !column->is_text()) {
    throw py::type_error(
        "expected text, since the keys are the entries of a block list, found an array of bytes");
  }
  if (column && !is_list_ &&
      (column->is_integer() ? nature_.treatment.form != KeyForm::kInt32
                            : is_plain_text_ || !column->is_text())) {
    for_column(*column, act, use);
    return;
  }
  std::size_t first = 0;
  std::vector<Hash128> hashes;
  const auto flush = [&] {
    run_piece(act, [&](Sharing sharing) { use(first, std::span<const Hash128>(hashes), sharing); });
    first += hashes.size();
    hashes.clear();
  };
  try {
    for_keys(keys, column, act, [&](const std::vector<Hash128>& more) {
      hashes.insert(hashes.end(), more.begin(), more.end());
      if (hashes.size() >= kPiece && (hashes.size() % 64 == 0 || is_list_)) {
        flush();
      }
    });
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

void SharedFilter::insert_all(const py::object& keys) {
  std::uint64_t refused = 0;
  for_pieces(keys, Act::kInsert, [&](std::size_t, std::span<const Hash128> hashes, Sharing sharing) {
    refused += filter_->insert_batch(hashes, sharing);
  });
  if (refused > 0) {
    read_levels();  // a level key may be among the refused
    raise_full(refused);
  }
}

namespace {

py::object array_of(const std::vector<std::uint64_t>& words, std::size_t count) {
  return bool_array(count, [&](std::size_t i) { return ((words[i / 64] >> (i % 64)) & 1) != 0; });
}

// Collects the answers of pieces that begin at multiples of 64.
struct Collected {
  std::vector<std::uint64_t> words;
  std::size_t count = 0;

  std::span<std::uint64_t> room_for(std::size_t first, std::size_t more) {
    count = first + more;
    words.resize(answer_words(count));
    return std::span(words).subspan(first / 64);
  }
};

}  // namespace

py::object SharedFilter::ask_all(const py::object& keys) {
  if (!is_list_) {
    Collected collected;
    for_pieces(keys, Act::kAsk, [&](std::size_t first, std::span<const Hash128> hashes, Sharing) {
      filter_->may_contain_batch(hashes, collected.room_for(first, hashes.size()));
    });
    check_file();
    check_file();
    return array_of(collected.words, collected.count);
  }
  check_act(Act::kAsk);
  const InCall in_call(*this, Act::kAsk);
  check_many(keys);
  const std::optional<KeyColumn> column = KeyColumn::of(keys);
  if (column && !column->is_text()) {
    throw py::type_error(
        "expected text, since the keys are the entries of a block list, found another array");
  }
  std::vector<bool> answers;
  for_keys(keys, column, Act::kAsk, [&](const std::vector<Hash128>& hashes) {
    answers.push_back(guarded(Act::kAsk, [&] {
      return std::ranges::any_of(hashes, [this](const Hash128& hash) { return filter_->may_contain(hash); });
    }));
  });
  check_file();
  return bool_array(answers.size(), [&](std::size_t i) { return answers[i]; });
}

py::object SharedFilter::test_and_insert_all(const py::object& keys) {
  if (is_list_) {
    throw py::value_error("expected a filter that is no block list; use update()");
  }
  Collected collected;
  std::uint64_t refused = 0;
  for_pieces(
      keys, Act::kTestAndInsert, [&](std::size_t first, std::span<const Hash128> hashes, Sharing sharing) {
        refused += filter_->test_and_insert_batch(hashes, collected.room_for(first, hashes.size()), sharing);
      });
  if (refused > 0) {
    raise_full(refused);
  }
  check_file();
  return array_of(collected.words, collected.count);
}

py::object SharedFilter::remove_all(const py::object& keys) {
  Collected collected;
  check_act(Act::kRemove);
  try {
    for_pieces(keys, Act::kRemove, [&](std::size_t first, std::span<const Hash128> hashes, Sharing) {
      if (!filter_->can_remove()) {
        throw Stopped();
      }
      filter_->remove_batch(hashes, collected.room_for(first, hashes.size()));
    });
  } catch (const Stopped&) {
    refuse_removal(nature_.type_name);
  }
  check_file();
  return array_of(collected.words, collected.count);
}

void SharedFilter::hash_all(const py::object& keys,
                            const std::function<Status(std::span<const Hash128>)>& use) {
  Status used;
  try {
    for_pieces(keys, Act::kInsert, [&](std::size_t, std::span<const Hash128> hashes, Sharing) {
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
  std::vector<Hash128> all;
  for_pieces(keys, Act::kName, [&](std::size_t, std::span<const Hash128> hashes, Sharing) {
    all.insert(all.end(), hashes.begin(), hashes.end());
  });
  return checked(alone([&] { return bloomery::add_exceptions(*filter_, all); }));
}

void SharedFilter::merge(SharedFilter& other) {
  check_writable();
  const AnyFilter& with = other.filter();
  if (&other == this) {
    return;
  }
  const auto merged = [&] {
    const Busy busy(*this);
    const Busy other_busy(other);
    const py::gil_scoped_release released;
    const std::scoped_lock lock(mutex_, other.mutex_);
    return filter_->merge(with);
  }();
  check(merged);
  read_levels();
}

}  // namespace bloomery::python
