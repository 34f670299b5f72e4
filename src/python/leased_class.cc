// The class NativeLeasedFilter of the module, a leased file. python/bloomery/_leased.py makes
// bloomery.LeasedFilter of it.
//
// A call for one key holds the GIL. Batches release it. A child of fork() opens the file again at its first
// call, because a thread of the parent may have held the lock of the opened filter.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/filter/leased_filter.h"
#include "bloomery/hash/hash_secret.h"
#include "python/bytes_or_text.h"
#include "python/file_path.h"
#include "python/filter_options.h"
#include "python/module_parts.h"
#include "python/python_error.h"
#include "python/shared_filter.h"
#include "python/without_gil.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

constexpr std::size_t kKeysOfPiece = 4096;

// Appends the texts of a key, which last as long as the key. Throws TypeError.
void append_texts(const py::handle& key, std::vector<std::string_view>& texts) {
  if (!PyTuple_Check(key.ptr())) {
    texts.push_back(view_of_text(key));
    return;
  }
  for (const py::handle part : key) {
    texts.push_back(view_of_text(part));
  }
}

class OpenLeased {
 public:
  OpenLeased(const py::object& place, const py::object& secret)
      : place_(place), path_(path_of(place)), secret_(secret_of(secret)) {
    open();
  }

  int answer(const py::handle& key) {
    const LeasedFilter& filter = opened();
    std::vector<std::string_view> texts;
    append_texts(key, texts);
    return static_cast<int>(checked(filter.answer(texts)));
  }

  // Returns a bytearray with the answer of each key.
  py::object answers(const py::object& keys) {
    if (is_one_key(keys.ptr())) {
      throw py::type_error("expected many keys, found one: pass a list");
    }
    const LeasedFilter& filter = opened();
    std::string answers;
    std::vector<py::object> piece;
    const auto end_piece = [&] {
      append_answers(filter, piece, answers);
      piece.clear();
      check_signals();
    };
    for (const py::handle key : py::iter(keys)) {
      piece.push_back(py::reinterpret_borrow<py::object>(key));
      if (piece.size() == kKeysOfPiece) {
        end_piece();
      }
    }
    end_piece();
    return py::reinterpret_steal<py::object>(
        PyByteArray_FromStringAndSize(answers.data(), static_cast<Py_ssize_t>(answers.size())));
  }

  // Returns whether the lease holds, the nanoseconds left, the moment of completeness, generation, position.
  py::tuple state() {
    const LeaseState now = opened().state();
    return py::make_tuple(now.holds, now.holds ? now.remaining_ns : 0, now.complete_at_ns, now.generation,
                          now.position);
  }

 private:
  void open() {
    const std::uint64_t now = forks();
    filter_ = std::make_unique<LeasedFilter>(checked(without_gil([&] {
                                                       return LeasedFilter::open(
                                                           path_, {.recorded_keys = RecordedKeys::kKnown,
                                                                   .secret = secret_ ? &*secret_ : nullptr});
                                                     }),
                                                     place_));
    forks_ = now;
  }
  const LeasedFilter& opened() {
    if (forks_ != forks_so_far) {
      static_cast<void>(filter_.release());  // the child leaks it: its lock may be held
      open();
    }
    return *filter_;
  }

  static void append_answers(const LeasedFilter& filter, const std::vector<py::object>& keys,
                             std::string& answers) {
    std::vector<std::string_view> texts;
    std::vector<std::size_t> ends;
    for (const py::object& key : keys) {
      append_texts(key, texts);
      ends.push_back(texts.size());
    }
    check(without_gil([&]() -> Status {
      std::size_t first = 0;
      for (const std::size_t end : ends) {
        BLOOMERY_ASSIGN_OR_RETURN(const LeaseAnswer answer,
                                  filter.answer(std::span(texts).subspan(first, end - first)));
        answers.push_back(static_cast<char>(answer));
        first = end;
      }
      return {};
    }));
  }

  py::object place_;
  std::string path_;
  std::optional<HashSecret> secret_;
  std::unique_ptr<LeasedFilter> filter_;
  std::uint64_t forks_ = 0;
};

}  // namespace

void add_leased_class(py::module_& module) {
  py::class_<OpenLeased>(module, "NativeLeasedFilter")
      .def(py::init<const py::object&, const py::object&>())
      .def("answer", &OpenLeased::answer)
      .def("answers", &OpenLeased::answers)
      .def("state", &OpenLeased::state);
}

}  // namespace bloomery::python
