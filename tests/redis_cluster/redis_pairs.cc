// The load of scripts/redis_cluster, and the look at what is left of it.
//
//   redis_pairs create URL FILTER TAGS
//   redis_pairs write URL FILTER TAGS LEDGER THREADS PAIRS_A_SECOND     until the end of standard input
//   redis_pairs check URL FILTER LEDGER
//
// FILTER is a name of kFilterCommands. Counts go to standard output, a line "NAME NUMBER" each. Of a check:
//
//   pairs         acknowledged pairs in the ledger
//   whole         both are there
//   lost_both     neither is: the server lost what it had acknowledged
//   lost_plain    only the filter has it: as lost_both, and a false positive of the filter
//   lost_in_filter   only the plain key is there. This must be 0
//
// Exit status: 0; 2 for errors. What the counts mean is for the script.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/redis_cluster/pair_writer.h"
#include "tests/redis_cluster/pairs.h"

namespace {

using namespace bloomery::redis;
using bloomery::Error;
using bloomery::Result;
using bloomery::Status;

using Milliseconds = std::chrono::milliseconds;

// Short, so that one server that is away does not keep a thread from the others. scripts/redis_cluster relies on the total:
// it waits longer after a slot has moved.
constexpr Limits kWriting = {
    .connect = Milliseconds(500), .answer = Milliseconds(1000), .total = Milliseconds(1000)};
constexpr Limits kChecking = {
    .connect = Milliseconds(5000), .answer = Milliseconds(30000), .total = Milliseconds(60000)};

Result<Client> connect(const std::string& text, const Limits& limits) {
  BLOOMERY_ASSIGN_OR_RETURN(const Url url, parse_url(text));
  return Client::connect(url, limits);
}

Result<const FilterCommands*> commands_of(const std::string& name) {
  for (const FilterCommands& row : kFilterCommands) {
    if (row.name == name) {
      return &row;
    }
  }
  return Error::invalid_argument("FILTER", "expected bf or set, found '" + name + "'");
}

Status create(const std::vector<std::string>& words) {
  BLOOMERY_ASSIGN_OR_RETURN(Client client, connect(words[1], kChecking));
  BLOOMERY_ASSIGN_OR_RETURN(const FilterCommands* const filter, commands_of(words[2]));
  for (int tag = 0; tag < std::stoi(words[3]) && !filter->create.empty(); ++tag) {
    if (const Result<Reply> made = client.run(create_filter(*filter, tag)); !made) {
      return made.error();
    }
  }
  return {};
}

void print(const std::vector<std::unique_ptr<PairWriter>>& writers) {
  WriterCounts sum;
  ClientCounts clients;
  for (const auto& writer : writers) {
    const WriterCounts& counts = writer->counts();
    sum.together += counts.together;
    sum.in_turn += counts.in_turn;
    sum.unknown += counts.unknown;
    sum.refused += counts.refused;
    sum.asked += counts.asked;
    sum.denied += counts.denied;
    if (!counts.first_refusal.empty()) {
      std::cerr << "redis_pairs: " << counts.first_refusal << '\n';
    }
    clients.redirections += writer->client_counts().redirections;
    clients.repeats += writer->client_counts().repeats;
    clients.connections += writer->client_counts().connections;
  }
  std::cout << "together " << sum.together << "\nin_turn " << sum.in_turn << "\nunknown " << sum.unknown
            << "\nrefused " << sum.refused << "\nasked " << sum.asked << "\ndenied " << sum.denied
            << "\nredirections " << clients.redirections << "\nrepeats " << clients.repeats
            << "\nconnections " << clients.connections << '\n';
}

Status write(const std::vector<std::string>& words) {
  BLOOMERY_ASSIGN_OR_RETURN(const FilterCommands* const filter, commands_of(words[2]));
  const int threads = std::stoi(words[5]);
  std::ofstream file(words[4]);
  Ledger ledger(file);
  std::vector<std::unique_ptr<PairWriter>> writers;
  for (int number = 0; number < threads; ++number) {
    BLOOMERY_ASSIGN_OR_RETURN(Client client, connect(words[1], kWriting));
    const PairWriter::Plan plan = {.filter = filter,
                                   .number = number,
                                   .tags = std::stoi(words[3]),
                                   .pairs_a_second = std::stod(words[6]) / threads};
    writers.push_back(std::make_unique<PairWriter>(std::move(client), plan, ledger));
  }
  std::atomic<bool> stop = false;
  std::vector<std::thread> running;
  for (const auto& writer : writers) {
    running.emplace_back([&] { writer->run(stop); });
  }
  std::string ignored;
  while (std::getline(std::cin, ignored)) {
  }
  stop = true;
  for (std::thread& thread : running) {
    thread.join();
  }
  print(writers);
  return file.flush() ? Status() : Status(Error(bloomery::ErrorCode::kIo, words[4], "could not be written"));
}

struct Left {
  std::uint64_t whole = 0;
  std::uint64_t lost_both = 0;
  std::uint64_t lost_plain = 0;
  std::uint64_t lost_in_filter = 0;
};

Status look(Client& client, std::vector<Request>& questions, const std::vector<std::string>& lines,
            Left& left) {
  const std::vector<Result<Reply>> replies = client.run(questions);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Result<Reply>& plain = replies[2 * i];
    const Result<Reply>& item = replies[2 * i + 1];
    if (!plain || !item) {
      return plain ? item.error() : plain.error();
    }
    const bool has_key = plain->integer == 1;
    const bool has_item = item->integer == 1;
    ++(has_key ? (has_item ? left.whole : left.lost_in_filter)
               : (has_item ? left.lost_plain : left.lost_both));
    if (has_key && !has_item && left.lost_in_filter <= 10) {
      std::cerr << "redis_pairs: only the filter lost " << lines[i] << '\n';
    }
  }
  questions.clear();
  return {};
}

Status check(const std::vector<std::string>& words) {
  BLOOMERY_ASSIGN_OR_RETURN(Client client, connect(words[1], kChecking));
  BLOOMERY_ASSIGN_OR_RETURN(const FilterCommands* const filter, commands_of(words[2]));
  std::ifstream file(words[3]);
  Left left;
  std::vector<Request> questions;
  std::vector<std::string> lines;
  std::uint64_t pairs = 0;
  for (std::string line; std::getline(file, line);) {
    const std::size_t space = line.find(' ');
    const int tag = std::stoi(line.substr(0, space));
    const std::string item = line.substr(space + 1);
    questions.emplace_back(has_plain(tag, item));
    questions.emplace_back(has_item(*filter, tag, item));
    lines.push_back(line);
    ++pairs;
    if (lines.size() == 1000) {
      BLOOMERY_RETURN_IF_ERROR(look(client, questions, lines, left));
      lines.clear();
    }
  }
  BLOOMERY_RETURN_IF_ERROR(look(client, questions, lines, left));
  std::cout << "pairs " << pairs << "\nwhole " << left.whole << "\nlost_both " << left.lost_both
            << "\nlost_plain " << left.lost_plain << "\nlost_in_filter " << left.lost_in_filter << '\n';
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  const std::string mode = words.empty() ? "" : words[0];
  Status done = Error::invalid_argument("arguments", "expected those that the head of redis_pairs.cc names");
  if (mode == "create" && words.size() == 4) {
    done = create(words);
  } else if (mode == "write" && words.size() == 7) {
    done = write(words);
  } else if (mode == "check" && words.size() == 4) {
    done = check(words);
  }
  if (!done) {
    std::cerr << "redis_pairs: " << done.error().to_string() << '\n';
  }
  return done ? 0 : 2;
}
