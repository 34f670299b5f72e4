// bloomery feed postgres: keeps a filter current with a table, from the database's own log.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <iostream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/exit_status.h"
#include "cli/feed/feed_options.h"
#include "cli/feed/settings_file.h"
#include "cli/stop_signal.h"
#include "cli/verbs.h"
#include "feed/feed_status.h"
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
REPLICATION and SELECT on the table. SIGUSR1 asks for a rebuild; SIGTERM or Ctrl-C ends it in order. SIGHUP reads the
file of --config again.)";

constexpr std::size_t kStatusBytesMax = 65536;

// Set by SIGUSR1 and SIGHUP. A signal handler can reach nothing else.
std::atomic<bool> rebuild_wanted{false};
std::atomic<bool> reload_wanted{false};

void catch_signal(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  (void)::sigaction(signal, &action, nullptr);
}

// Prints a line with time and level, as text or as JSON.
void log_line(const char* level, const std::string& text, bool as_json) {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  const std::string time = fmt::format(
      "{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(second.time_since_epoch().count()), (now - second).count());
  if (as_json) {
    const nlohmann::ordered_json line{
        {"time", time}, {"level", level}, {"program", kFeedPostgresVerb}, {"message", text}};
    std::cerr << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  } else {
    std::cerr << fmt::format("{} {} bloomery {}: {}\n", time, level, kFeedPostgresVerb, text);
  }
}

// Options of a file cannot name another file, or what is done once.
const std::vector<std::string> kNotInSettings{"help", "config", "section", "check", "drop", "force"};
// What changes while a feeder runs (feed/feed_plan.h).
constexpr std::array<std::string_view, 6> kReloadable{"rebuild-every", "rebuild-after", "rebuild-share",
                                                      "save",          "status",        "metrics"};

// The options of the command line, and those that were made of it and the settings.
using GivenWords = std::map<std::string, std::vector<std::string>>;
struct LoadedOptions {
  CLI::App app;
  FeedOptions options;
};

GivenWords words_of(const CLI::App& verb) {
  GivenWords words;
  for (const CLI::Option* const option : verb.get_options()) {
    if (!option->empty() && !option->get_lnames().empty()) {
      words["--" + option->get_lnames().front()] = option->results();
    }
  }
  return words;
}

Result<std::unique_ptr<LoadedOptions>> load_options(const GivenWords& words, const SettingsPlace& place) {
  auto loaded = std::make_unique<LoadedOptions>();
  loaded->options.add_to(loaded->app);
  for (const auto& [name, values] : words) {
    CLI::Option* const option = loaded->app.get_option(name);
    option->add_result(values);
    option->run_callback();
  }
  if (!place.file.empty()) {
    BLOOMERY_RETURN_IF_ERROR(apply_settings(loaded->app, place, kNotInSettings));
  } else if (!place.section.empty()) {
    return Error::invalid_argument("--section", "expected --config FILE with it, found none");
  }
  return loaded;
}

// Returns the names of the options that differ, with commas. Compares only those for which `counts` is true.
template <typename Counts>
std::string differences(const LoadedOptions& before, const LoadedOptions& after, Counts counts) {
  std::string names;
  for (const CLI::Option* const option : after.app.get_options()) {
    const std::string name = option->get_lnames().empty() ? "" : option->get_lnames().front();
    if (!name.empty() && counts(name) && before.app.get_option("--" + name)->results() != option->results()) {
      names += (names.empty() ? "" : ", ") + name;
    }
  }
  return names;
}

bool is_reloadable(const std::string& name) {
  return std::ranges::find(kReloadable, name) != kReloadable.end();
}

// Reads the settings again when SIGHUP asks for it.
class Reload {
 public:
  Reload(GivenWords words, SettingsPlace place, std::unique_ptr<LoadedOptions> started)
      : words_(std::move(words)), place_(std::move(place)), started_(std::move(started)) {}

  const FeedOptions& options() const { return started_->options; }

  void operator()(feed::FeedPlan& plan) {
    const bool as_json = options().logs_json();
    Result<std::unique_ptr<LoadedOptions>> fresh = load_options(words_, place_);
    const Result<feed::FeedPlan> next =
        fresh ? (*fresh)->options.plan() : Result<feed::FeedPlan>(fresh.error());
    if (!next) {
      log_line("warning", "the settings were not reloaded: " + next.error().to_string(), as_json);
      return;
    }
    const LoadedOptions& last = last_ ? *last_ : *started_;
    const std::string changed = differences(last, **fresh, is_reloadable);
    const std::string pending =
        differences(*started_, **fresh, [](const std::string& name) { return !is_reloadable(name); });
    plan.rebuild_every = next->rebuild_every;
    plan.rebuild_after = next->rebuild_after;
    plan.rebuild_share = next->rebuild_share;
    plan.save = next->save;
    plan.status_file = next->status_file;
    plan.metrics_file = next->metrics_file;
    last_ = std::move(*fresh);
    log_line("info", "reloaded the settings; changed: " + (changed.empty() ? "nothing" : changed), as_json);
    if (!pending.empty()) {
      log_line("warning", "these settings need a restart: " + pending, as_json);
    }
  }

 private:
  GivenWords words_;
  SettingsPlace place_;
  std::unique_ptr<LoadedOptions> started_;
  std::unique_ptr<LoadedOptions> last_;
};

Result<int> check_status(const std::string& path) {
  if (path.empty()) {
    return Error::invalid_argument("--check", "expected --status FILE with it, found none");
  }
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(const File file, files.open(path, OpenFor::kReading));
  std::string text(kStatusBytesMax, '\0');
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t size,
                            files.read_at(file, 0, std::as_writable_bytes(std::span(text))));
  text.resize(size);
  const Result<feed::FeedHealth> health = feed::health_of(text, std::time(nullptr));
  if (!health) {
    return health.error().in_file(path);
  }
  std::cout << health->sentence + "\n";
  return static_cast<int>(health->is_good ? kDone : kNothing);
}

Result<int> run(Reload& reload) {
  const FeedOptions& options = reload.options();
  if (options.checks()) {
    return check_status(options.status_file());
  }
  BLOOMERY_ASSIGN_OR_RETURN(feed::FeedPlan plan, options.plan());
  BLOOMERY_ASSIGN_OR_RETURN(const std::unique_ptr<feed::FilterSink> sink, options.sink(plan));
  if (options.drops()) {
    BLOOMERY_RETURN_IF_ERROR(feed::retire(plan, *sink));
    options.remove_secret();
    return static_cast<int>(kDone);
  }
  std::unique_ptr<feed::MetricsServer> server;
  if (!options.metrics_address().empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(server, feed::MetricsServer::listen(options.metrics_address()));
  }
  const std::atomic<bool>& stop = catch_stop_signals();
  catch_signal(SIGUSR1, [](int) { rebuild_wanted = true; });
  if (!options.config().empty()) {
    catch_signal(SIGHUP, [](int) { reload_wanted = true; });
  }
  const bool as_json = options.logs_json();
  feed::Feeder feeder(std::move(plan), *sink, stop,
                      {.rebuild_wanted = rebuild_wanted,
                       .reload_wanted = reload_wanted,
                       .reload = [&reload](feed::FeedPlan& running) { reload(running); },
                       .tell =
                           [as_json](feed::FeedEvent event, const std::string& text) {
                             log_line(event == feed::FeedEvent::kInfo ? "info" : "warning", text, as_json);
                           },
                       .server = server.get()});
  BLOOMERY_RETURN_IF_ERROR(feeder.run());
  log_line("info", "stopped", as_json);
  return static_cast<int>(kDone);
}

// Reads the settings, and does what the options want.
Result<int> load_and_run(const CLI::App& verb, const FeedOptions& given) {
  const SettingsPlace place{.file = given.config(), .section = given.section()};
  const GivenWords words = words_of(verb);
  BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<LoadedOptions> started, load_options(words, place));
  Reload reload(words, place, std::move(started));
  return run(reload);
}

}  // namespace

void add_feed_postgres_verb(CLI::App& feed, int& exit_status) {
  CLI::App* const verb = feed.add_subcommand("postgres", kFeedPostgresDescription);
  const auto options = std::make_shared<FeedOptions>();
  options->add_to(*verb);
  verb->callback([verb, options, &exit_status] {
    const Result<int> status = load_and_run(*verb, *options);
    exit_status = status ? *status : report(kFeedPostgresVerb, status.error());
  });
}

}  // namespace bloomery::cli
