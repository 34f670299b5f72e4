// Keeps clients between calls. Each client serves one thread at a time.
//
// A call borrows an idle client, or makes one. So there are as many clients as concurrent calls; up to
// `kMostIdle` idle ones are kept.
//
// Threads: all calls may run together.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace bloomery {

template <typename Client>
class IdleClients {
 public:
  // Returns an idle client, or the result of `make`, which may be an error.
  template <typename Make>
  auto borrow(Make make) -> decltype(make()) {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        Client client = std::move(idle_.back());
        idle_.pop_back();
        return client;
      }
    }
    return make();
  }
  void give_back(Client client) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMostIdle) {
      idle_.push_back(std::move(client));
    }
  }

 private:
  static constexpr std::size_t kMostIdle = 256;

  std::mutex mutex_;  // guards `idle_`
  std::vector<Client> idle_;
};

}  // namespace bloomery
