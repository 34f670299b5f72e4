#include "tests/store/kills/writer.h"

#include <iostream>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace bloomery::store::kills {

namespace {

void report(int reports, Report::Kind kind, std::size_t thread = 0, std::uint32_t number = 0) {
  const Report bytes{.kind = kind, .thread = static_cast<std::uint8_t>(thread), .number = number};
  if (::write(reports, &bytes, sizeof bytes) != sizeof bytes) {
    ::_exit(1);  // nobody listens
  }
}

void fail(int reports, const std::string& what, const Error& error, std::size_t thread,
          std::uint32_t number) {
  std::cerr << what << ": " << error.to_string() << std::endl;
  report(reports, Report::Kind::kFailed, thread, number);
}

Store open_or_end(const Work& work, int reports) {
  report(reports, Report::Kind::kStarted);
  Result<Store> store = Store::open(work.root, work.options);
  if (!store) {
    fail(reports, "open", store.error(), 0, 0);
    ::_exit(1);
  }
  report(reports, Report::Kind::kOpened);
  return std::move(*store);
}

void work_on(Store& store, Thread thread, std::uint32_t done, State state, int reports) {
  while (true) {
    const Operation operation = operation_of(thread, ++done, state);
    report(reports, Report::Kind::kBegun, thread.index, done);
    const Status status = perform(store, thread, operation);
    if (!status) {
      fail(reports, "operation " + std::to_string(done), status.error(), thread.index, done);
      return;
    }
    apply(operation, state);
    report(reports, Report::Kind::kReturned, thread.index, done);
  }
}

}  // namespace

void write_until_killed(const Work& work, int reports) {
  Store store = open_or_end(work, reports);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&store, &work, i, reports] {
      work_on(store, {.seed = work.seed, .index = i}, work.done[i], work.states[i], reports);
    });
  }
  threads.clear();  // returns if each of them failed
  ::_exit(1);
}

void open_until_killed(const Work& work, int reports) {
  const Store store = open_or_end(work, reports);
  while (true) {
    ::pause();
  }
}

}  // namespace bloomery::store::kills
