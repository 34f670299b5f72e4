#include "python/shared_filter.h"

#include <algorithm>
#include <array>
#include <utility>

#include <pybind11/numpy.h>

#include "bloomery/filter/block_list.h"
#include "bloomery/filter/exceptions.h"
#include "python/key_bytes.h"
#include "python/python_error.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

// The keys of an iterable that are looked at together: their objects are kept alive meanwhile.
constexpr std::size_t kPiece = 4096;

TextPurpose purpose_of(Act act) {
  if (act == Act::kAsk) {
    return TextPurpose::kAsk;
  }
  return act == Act::kInsert || act == Act::kTestAndInsert ? TextPurpose::kInsert : TextPurpose::kName;
}

}  // namespace

bool is_one_key(PyObject* object) {
  return PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object);
}

SharedFilter::SharedFilter(AnyFilter filter) : filter_(std::make_unique<AnyFilter>(std::move(filter))) {
  is_plain_text_ = filter_->key_treatment() == KeyTreatment();
  is_list_ = is_block_list(filter_->key_treatment().form);
}

AnyFilter& SharedFilter::filter() {
  if (!filter_) {
    throw py::value_error("expected an open filter, found it closed");
  }
  return *filter_;
}

void SharedFilter::close() {
  if (busy_ > 0) {
    throw py::value_error("expected a filter that no other thread is using, found one in use");
  }
  filter_.reset();
}

bool SharedFilter::inserts_alone() const {
  return filter_->type() == FilterType::kQuotient || filter_->type() == FilterType::kExact || is_list_;
}

void SharedFilter::check_act(Act act) {
  const AnyFilter& open = filter();
  if (act != Act::kName && act != Act::kAsk && (!open.is_writable() || open.is_static())) {
    throw py::value_error("expected a filter that may be changed, found " +
                          std::string(open.is_static() ? "a ribbon, which never changes" : "a read-only view"));
  }
  if (act == Act::kRemove && !open.can_remove()) {
    throw py::value_error("expected a type that removes keys (counting, quotient), found " + open.type_name());
  }
  if (!knows_its_secret(open.native())) {
    throw py::value_error("expected a filter that can hash its keys, found one of ready hashes or without its secret");
  }
}

void SharedFilter::read_levels() {
  if (is_list_) {
    for (std::unique_ptr<TextKeys>& texts : texts_) {
      texts.reset();
    }
  }
}

void SharedFilter::check_takes_integers() const {
  const KeyTreatment& treatment = filter_->key_treatment();
  const KeyForm form = treatment.form;
  if (treatment.parts != 1 || (form != KeyForm::kText && form != KeyForm::kInt32 && form != KeyForm::kInt64)) {
    throw py::type_error("expected keys as the filter's rule makes them (" + describe(treatment) + "), found an int");
  }
}

void SharedFilter::append_part(KeyWriter& writer, PyObject* part) {
  const KeyTreatment& treatment = filter_->key_treatment();
  const std::size_t start = writer.begin_part();
  if (PyUnicode_Check(part)) {
    FormedText formed(treatment);
    check(formed.append(writer, text_of(part)));
  } else if (PyBytes_Check(part)) {
    append_key(writer, bytes_of(part));
  } else if (is_integer(part)) {
    append_integer(writer, part, treatment.form);
  } else {
    refuse_key(part);
  }
  writer.end_part(start);
}

void SharedFilter::append_hashes(PyObject* key, Act act, std::vector<Hash128>& hashes) {
  const HashSpec& hash = filter_->hash_spec();
  const KeyTreatment& treatment = filter_->key_treatment();
  if (PyUnicode_Check(key)) {
    const std::string_view text = text_of(key);
    if (is_plain_text_) {
      hashes.push_back(hash_bytes(text, hash));
      return;
    }
    std::unique_ptr<TextKeys>& texts = texts_[static_cast<std::size_t>(purpose_of(act))];
    if (!texts) {
      texts = std::make_unique<TextKeys>(treatment, purpose_of(act));
      texts->ask_at(levels_of(*filter_));
    }
    check(texts->make({&text, 1}));
    for (const std::span<const std::byte> made : texts->keys()) {
      hashes.push_back(hash_bytes(made, hash));
    }
    return;
  }
  if (PyTuple_Check(key) && !is_list_) {
    const auto parts = static_cast<std::size_t>(PyTuple_GET_SIZE(key));
    if (treatment.parts != 1 && treatment.parts != kVariableParts && parts != treatment.parts) {
      throw py::value_error("expected a key of " + std::to_string(treatment.parts) + " parts, found " +
                            std::to_string(parts));
    }
    KeyWriter writer;
    for (std::size_t i = 0; i < parts; ++i) {
      append_part(writer, PyTuple_GET_ITEM(key, static_cast<Py_ssize_t>(i)));
    }
    hashes.push_back(hash_bytes(writer.bytes(), hash));
    return;
  }
  if (is_list_) {
    throw py::type_error("expected a str, since the keys are the entries of a block list");
  }
  if (PyBytes_Check(key)) {
    hashes.push_back(hash_bytes(bytes_of(key), hash));
    return;
  }
  if (is_integer(key)) {
    check_takes_integers();
    if (treatment.form != KeyForm::kInt32) {
      hashes.push_back(hash_little_endian(integer_of(key), sizeof(std::uint64_t), hash));
      return;
    }
    KeyWriter writer;
    append_integer(writer, key, treatment.form);
    hashes.push_back(hash_bytes(writer.bytes(), hash));
    return;
  }
  if (PyObject_CheckBuffer(key) != 0 && (PyByteArray_Check(key) || PyMemoryView_Check(key))) {
    const auto bytes = py::reinterpret_steal<py::object>(PyBytes_FromObject(key));
    if (!bytes) {
      throw py::error_already_set();
    }
    hashes.push_back(hash_bytes(bytes_of(bytes.ptr()), hash));
    return;
  }
  refuse_key(key);
}

// Runs a call for one key. The GIL is held, so the lock is needed only beside a batch.
template <typename Run>
auto SharedFilter::guarded(Act act, const Run& run) {
  if (busy_ == 0) {
    return run();
  }
  const bool alone = act != Act::kAsk && inserts_alone();
  const Busy busy(*this);
  const py::gil_scoped_release released;
  if (alone) {
    const std::unique_lock lock(mutex_);
    return run();
  }
  const std::shared_lock lock(mutex_);
  return run();
}

Hash128 SharedFilter::hash_of(PyObject* key, Act act) {
  std::vector<Hash128> hashes;
  append_hashes(key, act, hashes);
  return hashes.back();
}

bool SharedFilter::ask(PyObject* key) {
  check_act(Act::kAsk);
  one_.clear();
  append_hashes(key, Act::kAsk, one_);
  if (one_.size() == 1) {
    const Hash128 hash = one_.front();
    return guarded(Act::kAsk, [&] { return filter_->may_contain(hash); });
  }
  const std::vector<Hash128> hashes = one_;
  return guarded(Act::kAsk, [&] {
    return std::ranges::any_of(hashes, [this](const Hash128& hash) { return filter_->may_contain(hash); });
  });
}

void SharedFilter::insert(PyObject* key) {
  check_act(Act::kInsert);
  std::vector<Hash128> hashes;
  Hash128 one;
  std::span<const Hash128> all;
  if (PyUnicode_Check(key) && is_list_) {
    append_hashes(key, Act::kInsert, hashes);
    all = hashes;
  } else {
    one_.clear();
    append_hashes(key, Act::kInsert, one_);
    one = one_.front();
    all = {&one, 1};
  }
  const bool in = guarded(Act::kInsert, [&] {
    return std::ranges::all_of(all, [this](const Hash128& hash) { return filter_->insert(hash); });
  });
  if (is_list_) { // asks are to know the level
    texts_[static_cast<std::size_t>(TextPurpose::kAsk)].reset();
  }
  if (!in) {
    raise_full(1);
  }
}

bool SharedFilter::test_and_insert(PyObject* key) {
  check_act(Act::kTestAndInsert);
  std::vector<Hash128> hashes;
  append_hashes(key, Act::kTestAndInsert, hashes);
  bool refused = false;
  bool is_new = false;
  guarded(Act::kTestAndInsert, [&] {
    for (const Hash128& hash : hashes) { // the last one is the key's, the others are levels
      const TestedInsert tested = filter_->test_and_insert(hash);
      refused = refused || tested.refused;
      is_new = tested.is_new;
    }
    return 0;
  });
  if (is_list_) {
    texts_[static_cast<std::size_t>(TextPurpose::kAsk)].reset();
  }
  if (refused) {
    raise_full(1);
  }
  return is_new;
}

bool SharedFilter::remove(PyObject* key) {
  check_act(Act::kRemove);
  const Hash128 hash = hash_of(key, Act::kRemove);
  return guarded(Act::kRemove, [&] { return filter_->remove(hash); });
}

std::optional<std::uint64_t> SharedFilter::count_at_most(PyObject* key) {
  check_act(Act::kName);
  if (!filter_->can_remove()) {
    throw py::value_error("expected a type that counts keys (counting, quotient), found " + filter_->type_name());
  }
  const Hash128 hash = hash_of(key, Act::kName);
  return guarded(Act::kAsk, [&] { return filter_->count_at_most(hash); });
}

// Runs use() without the GIL, under the lock that the act needs.
template <typename Use>
void SharedFilter::run_piece(Act act, const Use& use) {
  if (act != Act::kAsk && inserts_alone()) {
    alone(use);
  } else {
    beside_readers(use);
  }
}

// Calls use(first, hashes) for pieces of a column, all without the GIL.
template <typename Use>
void SharedFilter::for_column(const KeyColumn& column, Act act, const Use& use) {
  const HashSpec hash = filter_->hash_spec();
  run_piece(act, [&] {
    std::array<Hash128, 512> hashes;
    for (std::size_t first = 0; first < column.size(); first += hashes.size()) {
      const std::size_t count = std::min(hashes.size(), column.size() - first);
      for (std::size_t i = 0; i < count; ++i) {
        bool is_negative = false;
        hashes[i] = column.is_integer() ? hash_little_endian(column.integer(first + i, is_negative), 8, hash)
                                        : hash_bytes(column.bytes(first + i), hash);
      }
      use(first, std::span<const Hash128>(hashes).first(count));
    }
    return 0;
  });
}

// Calls use(first, hashes) for pieces of the keys. A key of a block list that is asked about has several hashes, so these
// go through ask_all() alone. The objects of a piece live until it is done.
template <typename Use>
void SharedFilter::for_pieces(const py::object& keys, Act act, const Use& use) {
  check_act(act);
  if (is_one_key(keys.ptr())) {
    throw py::type_error("expected many keys, found one " + std::string(Py_TYPE(keys.ptr())->tp_name));
  }
  const std::optional<KeyColumn> column = KeyColumn::of(keys);
  const bool by_column = column && (column->is_integer() ? filter_->key_treatment().form != KeyForm::kInt32
                                                         : is_plain_text_ || !column->is_text());
  if (by_column && !is_list_) {
    if (column->is_integer()) {
      check_takes_integers();
    }
    for_column(*column, act, use);
    return;
  }
  std::size_t first = 0;
  std::vector<Hash128> hashes;
  const auto flush = [&] {
    run_piece(act, [&] {
      use(first, std::span<const Hash128>(hashes));
      return 0;
    });
    first += hashes.size();
    hashes.clear();
  };
  for (const py::handle key : keys.attr("__iter__")()) {
    append_hashes(key.ptr(), act, hashes);
    if (hashes.size() >= kPiece && hashes.size() % 64 == 0) {
      flush();
    }
  }
  flush();
}

void SharedFilter::insert_all(const py::object& keys) {
  std::uint64_t refused = 0;
  for_pieces(keys, Act::kInsert, [&](std::size_t, std::span<const Hash128> hashes) {
    refused += filter_->insert_batch(hashes);
  });
  texts_[static_cast<std::size_t>(TextPurpose::kAsk)].reset();
  if (refused > 0) {
    raise_full(refused);
  }
}

namespace {

py::array_t<bool> array_of(const std::vector<std::uint64_t>& words, std::size_t count) {
  py::array_t<bool> answers(static_cast<py::ssize_t>(count));
  bool* at = answers.mutable_data();
  for (std::size_t i = 0; i < count; ++i) {
    at[i] = ((words[i / 64] >> (i % 64)) & 1) != 0;
  }
  return answers;
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
  if (is_list_) {
    check_act(Act::kAsk);
    std::vector<bool> answers;
    for (const py::handle key : keys.attr("__iter__")()) {
      answers.push_back(ask(key.ptr()));
    }
    py::array_t<bool> array(static_cast<py::ssize_t>(answers.size()));
    std::ranges::copy(answers, array.mutable_data());
    return array;
  }
  Collected collected;
  for_pieces(keys, Act::kAsk, [&](std::size_t first, std::span<const Hash128> hashes) {
    filter_->may_contain_batch(hashes, collected.room_for(first, hashes.size()));
  });
  return array_of(collected.words, collected.count);
}

py::object SharedFilter::test_and_insert_all(const py::object& keys) {
  if (is_list_) {
    throw py::value_error("expected a filter that is no block list; use update()");
  }
  Collected collected;
  std::uint64_t refused = 0;
  for_pieces(keys, Act::kTestAndInsert, [&](std::size_t first, std::span<const Hash128> hashes) {
    refused += filter_->test_and_insert_batch(hashes, collected.room_for(first, hashes.size()));
  });
  if (refused > 0) {
    raise_full(refused);
  }
  return array_of(collected.words, collected.count);
}

py::object SharedFilter::remove_all(const py::object& keys) {
  Collected collected;
  for_pieces(keys, Act::kRemove, [&](std::size_t first, std::span<const Hash128> hashes) {
    filter_->remove_batch(hashes, collected.room_for(first, hashes.size()));
  });
  return array_of(collected.words, collected.count);
}

void SharedFilter::hash_all(const py::object& keys, const std::function<Status(std::span<const Hash128>)>& use) {
  Status used;
  for_pieces(keys, Act::kInsert, [&](std::size_t, std::span<const Hash128> hashes) {
    if (used) {
      used = use(hashes);
    }
  });
  check(used);
}

std::uint64_t SharedFilter::add_exceptions(const py::object& keys) {
  std::vector<Hash128> all;
  for_pieces(keys, Act::kName, [&](std::size_t, std::span<const Hash128> hashes) {
    all.insert(all.end(), hashes.begin(), hashes.end());
  });
  return checked(alone([&] { return bloomery::add_exceptions(*filter_, all); }));
}

}  // namespace bloomery::python
