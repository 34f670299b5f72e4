// bloomery feed postgres: keeps a filter current with a table, from the database's own log.
#include <atomic>
#include <csignal>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/exit_status.h"
#include "cli/feed/feed_options.h"
#include "cli/stop_signal.h"
#include "cli/verbs.h"
#include "feed/feeder.h"

namespace bloomery::cli {
namespace {

constexpr const char* kFeedPostgresVerb = "feed postgres";
constexpr const char* kFeedPostgresDescription =
    R"(Keep a filter current with a table of PostgreSQL, from the database's own log.

  psql -c "CREATE PUBLICATION bloomery FOR TABLE users"
  bloomery feed postgres --table users --key email --file users.leased &
  bloomery query users.leased -e eve@example.org      # prints nothing: no such row
  bloomery feed postgres --table users --key email --redis redis://localhost users &   # a key for all machines
  bloomery feed postgres --table users --file users.leased --drop                      # ends it: slot and file

Every row that commits, by whatever client, is in the filter within the bound. The file carries a lease: once the
feeder is away, behind or in doubt, every answer is maybe. The server needs wal_level = logical, and the role
REPLICATION and SELECT on the table. SIGUSR1 asks for a rebuild; SIGTERM or Ctrl-C ends it in order.)";

// Set by SIGUSR1. A signal handler can reach nothing else.
std::atomic<bool> rebuild_wanted{false};

void catch_rebuild_signal() {
  struct sigaction action {};
  action.sa_handler = [](int) { rebuild_wanted = true; };
  (void)::sigaction(SIGUSR1, &action, nullptr);
}

Result<int> run(const FeedOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(feed::FeedPlan plan, options.plan());
  BLOOMERY_ASSIGN_OR_RETURN(const std::unique_ptr<feed::FilterSink> sink, options.sink(plan));
  if (options.drops()) {
    BLOOMERY_RETURN_IF_ERROR(feed::retire(plan, *sink));
    options.remove_secret();
    return static_cast<int>(kDone);
  }
  const std::atomic<bool>& stop = catch_stop_signals();
  catch_rebuild_signal();
  feed::Feeder feeder(std::move(plan), *sink, stop, rebuild_wanted,
                      [](const std::string& text) { warn(kFeedPostgresVerb, text); });
  BLOOMERY_RETURN_IF_ERROR(feeder.run());
  warn(kFeedPostgresVerb, "stopped");
  return static_cast<int>(kDone);
}

}  // namespace

void add_feed_postgres_verb(CLI::App& feed, int& exit_status) {
  CLI::App* const verb = feed.add_subcommand("postgres", kFeedPostgresDescription);
  const auto options = std::make_shared<FeedOptions>();
  options->add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = run(*options);
    exit_status = status ? *status : report(kFeedPostgresVerb, status.error());
  });
}

}  // namespace bloomery::cli
