// One thread of the load: it writes pairs at a steady rate, and enters each that was acknowledged into the ledger.
//
// A pair is written as one (MULTI ... EXEC), so that no server can have half of it. While its slot moves, the server refuses
// that (TRYAGAIN). Then the item is added first, alone, and the plain key is set once the item was acknowledged. Nothing may
// be killed then and for some seconds after, or the item could be lost with one server and the plain key be kept by another.
//
// After every eight pairs the writer asks for an earlier one, both halves as one too. If the plain key is there, the item must
// be there.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "connect/redis/client.h"
#include "tests/redis_cluster/pairs.h"

namespace bloomery::redis {

struct WriterCounts {
  std::uint64_t together = 0;  // pairs that were acknowledged as one
  std::uint64_t in_turn = 0;   // pairs that were acknowledged one after the other
  std::uint64_t unknown = 0;   // pairs of which at least one answer never came
  std::uint64_t refused = 0;   // pairs that the server answered with an error of its own
  std::uint64_t asked = 0;     // earlier pairs that were asked for
  std::uint64_t denied = 0;    // of these, the plain key was there and the filter said no
  std::string first_refusal;
};

// Lines "TAG ITEM" of acknowledged pairs. Thread-safe.
class Ledger {
 public:
  explicit Ledger(std::ostream& out) : out_(out) {}
  void enter(int tag, const std::string& item) {
    const std::scoped_lock lock(mutex_);
    out_ << tag << ' ' << item << '\n';
  }

 private:
  std::mutex mutex_;
  std::ostream& out_;
};

class PairWriter {
 public:
  struct Plan {
    const FilterCommands* filter;
    int number;  // of this thread
    int tags;
    double pairs_a_second;
  };

  PairWriter(Client client, const Plan& plan, Ledger& ledger)
      : client_(std::move(client)),
        plan_(plan),
        ledger_(ledger),
        random_(static_cast<unsigned>(plan.number)) {}

  // Writes until `stop`.
  void run(const std::atomic<bool>& stop);
  const WriterCounts& counts() const { return counts_; }
  const ClientCounts& client_counts() const { return client_.counts(); }

 private:
  struct Pair {
    int tag;
    std::string item;
  };

  void write(const std::vector<Pair>& pairs);
  void settle(const Pair& pair, const Result<Reply>& reply);
  void write_in_turn(const Pair& pair);
  void acknowledge(const Pair& pair, std::uint64_t& count);
  void fail(const Error& error);
  void ask_for_earlier_pair();

  Client client_;
  Plan plan_;
  Ledger& ledger_;
  std::mt19937 random_;
  std::uint64_t items_ = 0;
  std::vector<Pair> earlier_;
  WriterCounts counts_;
};

}  // namespace bloomery::redis
