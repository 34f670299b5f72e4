#include "tests/redis_cluster/pair_writer.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace bloomery::redis {
namespace {

constexpr std::size_t kPairsAtOnce = 8;

}  // namespace

void PairWriter::run(const std::atomic<bool>& stop) {
  using Seconds = std::chrono::duration<double>;
  const auto gap = std::chrono::duration_cast<Clock::duration>(
      Seconds(static_cast<double>(kPairsAtOnce) / plan_.pairs_a_second));
  for (auto next = Clock::now(); !stop; next = std::max(next + gap, Clock::now())) {
    std::this_thread::sleep_until(next);
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < kPairsAtOnce; ++i) {
      const auto tag = static_cast<int>(random_() % static_cast<unsigned>(plan_.tags));
      pairs.push_back({tag, std::to_string(plan_.number) + "-" + std::to_string(items_++)});
    }
    write(pairs);
    ask_for_earlier_pair();
  }
}

void PairWriter::write(const std::vector<Pair>& pairs) {
  std::vector<Request> requests;
  for (const Pair& pair : pairs) {
    requests.emplace_back(
        std::vector<Command>{add_item(*plan_.filter, pair.tag, pair.item), set_plain(pair.tag, pair.item)});
    requests.back().waits_for_moving_slots = false;
  }
  const std::vector<Result<Reply>> replies = client_.run(requests);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    settle(pairs[i], replies[i]);
  }
}

void PairWriter::settle(const Pair& pair, const Result<Reply>& reply) {
  if (!reply) {
    if (reply.error().detail().find("'TRYAGAIN ") != std::string::npos) {
      write_in_turn(pair);
    } else {
      fail(reply.error());
    }
    return;
  }
  for (const Reply& one : reply->elements) {
    if (one.is_error()) {
      fail(error_of(one, "EXEC"));
      return;
    }
  }
  acknowledge(pair, counts_.together);
}

void PairWriter::write_in_turn(const Pair& pair) {
  for (const Command& command :
       {add_item(*plan_.filter, pair.tag, pair.item), set_plain(pair.tag, pair.item)}) {
    if (const Result<Reply> reply = client_.run(command); !reply) {
      fail(reply.error());
      return;
    }
  }
  acknowledge(pair, counts_.in_turn);
}

void PairWriter::acknowledge(const Pair& pair, std::uint64_t& count) {
  ledger_.enter(pair.tag, pair.item);
  ++count;
  earlier_.push_back(pair);
}

void PairWriter::fail(const Error& error) {
  if (error.code() == ErrorCode::kIo) {
    ++counts_.unknown;
    return;
  }
  ++counts_.refused;
  if (counts_.first_refusal.empty()) {
    counts_.first_refusal = error.to_string();
  }
}

void PairWriter::ask_for_earlier_pair() {
  if (earlier_.empty()) {
    return;
  }
  const Pair& pair = earlier_[random_() % earlier_.size()];
  Request request({has_plain(pair.tag, pair.item), has_item(*plan_.filter, pair.tag, pair.item)});
  request.waits_for_moving_slots = false;
  const Result<Reply> reply = client_.run(request);
  if (!reply) {
    return;  // its server is away, or its slot moves
  }
  ++counts_.asked;
  const bool has_key = reply->elements[0].integer == 1;
  if (has_key && reply->elements[1].integer != 1) {
    ++counts_.denied;
  }
}

}  // namespace bloomery::redis
