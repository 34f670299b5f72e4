// Does what texts.c does, as a program in C++ does it: by NativeFilter::key_of() and BlockList. The two answer alike (tests/c_api/forms).
//
//   texts ask FILTER        prints the lines of standard input that may be in
//   texts insert FILTER     inserts the lines, in place
//   texts like OLD NEW      makes an empty filter NEW of the rule, size and fpp of OLD
//
// Parts of a composite key stand between tabs. Exit status 77: the library alone does not make keys of this form.
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/block_list.h"

namespace bloomery {
namespace {

constexpr int kNotMadeHere = 77;

[[noreturn]] void fail(const Error& error) {
  std::cerr << "texts: " << error.to_string() << '\n';
  std::exit(error.code() == ErrorCode::kUnsupported ? kNotMadeHere : 1);  // NOLINT(concurrency-mt-unsafe)
}

template <typename Value>
Value taken(Result<Value> result) {
  if (!result) {
    fail(result.error());
  }
  return std::move(*result);
}

void check(const Status& status) {
  if (!status) {
    fail(status.error());
  }
}

// Cuts a line into at most `most` parts; the last one may have tabs.
std::vector<std::string_view> parts_of(std::string_view line, std::size_t most) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < most && line.find('\t') != std::string_view::npos) {
    parts.push_back(line.substr(0, line.find('\t')));
    line.remove_prefix(line.find('\t') + 1);
  }
  parts.push_back(line);
  return parts;
}

AnyFilter opened(const std::string& path, Access access) {
  return taken(AnyFilter::open(path, {.access = access, .recorded_keys = RecordedKeys::kKnown}));
}

void ask(const BlockList& list) {
  for (std::string line; std::getline(std::cin, line);) {
    if (taken(list.may_contain(line))) {
      std::cout << line << '\n';
    }
  }
}

void insert(BlockList& list) {
  for (std::string line; std::getline(std::cin, line);) {
    if (!taken(list.insert(line))) {
      fail(Error::capacity("texts", "expected room for an entry, found none"));
    }
  }
  check(list.filter().native().finish_update());
}

void ask(const AnyFilter& filter) {
  for (std::string line; std::getline(std::cin, line);) {
    const auto parts = parts_of(line, filter.key_treatment().parts);
    if (filter.may_contain(taken(filter.key_of(parts)))) {
      std::cout << line << '\n';
    }
  }
}

void insert(AnyFilter& filter) {
  for (std::string line; std::getline(std::cin, line);) {
    const auto parts = parts_of(line, filter.key_treatment().parts);
    if (!filter.insert(taken(filter.key_of(parts)))) {
      fail(Error::capacity("texts", "expected room for a key, found none"));
    }
  }
  check(filter.native().finish_update());
}

void make_like(const AnyFilter& old, const std::string& path) {
  const AnyFilter made =
      taken(make_filter({.type = old.type(),
                         .capacity = old.capacity(),
                         .fpp = old.target_fpp(),
                         .options = {.hash = old.hash_spec(), .keys = old.key_treatment()}}));
  check(made.save(path, {.replace = true}));
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  using namespace bloomery;
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2 || (words[0] == "like") != (words.size() == 3)) {
    std::cerr << "usage: texts ask|insert FILTER, texts like OLD NEW\n";
    return 2;
  }
  AnyFilter filter = opened(words[1], words[0] == "insert" ? Access::kUpdateInPlace : Access::kMap);
  if (words[0] == "like") {
    make_like(filter, words[2]);
  } else if (const KeyForm form = filter.key_treatment().form; form == KeyForm::kUrlPrefix) {
    return kNotMadeHere;  // its entries are canonical URLs
  } else if (is_block_list(form)) {
    BlockList list = taken(BlockList::of(std::move(filter)));
    words[0] == "ask" ? ask(list) : insert(list);
  } else {
    words[0] == "ask" ? ask(filter) : insert(filter);
  }
  return 0;
}
