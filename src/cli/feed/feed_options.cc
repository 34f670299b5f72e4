#include "cli/feed/feed_options.h"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/file.h"
#include "bloomery/filter/default_fpp.h"
#include "bloomery/hash/hash_secret.h"
#include "bloomery/hash/key_form.h"
#include "cli/numbers.h"
#include "cli/redis_keys.h"
#include "cli/secret_file.h"
#include "feed/file_sink.h"
#include "feed/redis_sink.h"
#include "feed/slot_name.h"
#include "filter/leased/lease_page.h"

namespace bloomery::cli {
namespace {

using std::chrono::nanoseconds;

Result<nanoseconds> duration(const char* option, const std::string& text) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t value, parse_duration(option, text));
  return nanoseconds(value);
}

// The smallest --max-log. Even without lag, a slot retains the server's log of the last half minute.
constexpr std::uint64_t kLeastMaxLog = std::uint64_t{1} << 20;

// Splits a list of names at commas. As in SQL, a name may be in double quotes.
Result<std::vector<std::string>> names_of_list(const char* option, std::string_view list) {
  const auto refused = [&] {
    return Error::invalid_argument(option,
                                   "expected names with commas between them, and a name with a comma "
                                   "between double quotes, found '" +
                                       std::string(list) + "'");
  };
  std::vector<std::string> names(1);
  bool is_quoted = false;   // inside quotes
  bool was_quoted = false;  // the current name had quotes
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char letter = list[i];
    if (letter == '"' && is_quoted && list.substr(i + 1).starts_with('"')) {
      names.back() += list[i++];
    } else if (letter == '"' && (is_quoted || (names.back().empty() && !was_quoted))) {
      is_quoted = !is_quoted;
      was_quoted = true;
    } else if (letter == ',' && !is_quoted) {
      names.emplace_back();
      was_quoted = false;
    } else if (was_quoted && !is_quoted) {
      return refused();
    } else {
      names.back() += letter;
    }
  }
  const bool has_empty = std::ranges::any_of(names, [](const std::string& name) { return name.empty(); });
  return is_quoted || has_empty ? refused() : Result<std::vector<std::string>>(std::move(names));
}

}  // namespace

void FeedOptions::add_to(CLI::App& verb) {
  add_source_to(verb);
  add_place_to(verb);
  add_keys_to(verb);
  add_times_to(verb);
  add_reports_to(verb);
}

void FeedOptions::add_source_to(CLI::App& verb) {
  const std::string source = "From where";
  verb.add_option(
          "--db", db_,
          "a URL or connection string of the database (default: PGHOST, PGUSER ... of the environment)")
      ->group(source);
  verb.add_option("--table", table_, "the table, as SQL writes it: users, shop.orders, '\"Users\"' (needed)")
      ->group(source);
  verb.add_option("--key", keys_,
                  "the key column; several, with commas, make a composite key; a name with a comma stands "
                  "between double quotes, as in SQL: '\"a,b\",c'")
      ->group(source);
  verb.add_option("--publication", publication_, "the publication that has the table (default: bloomery)")
      ->group(source);
  verb.add_option(
          "--slot", slot_,
          "the replication slot, which is made if it is missing (default: the one that FILE notes, and a "
          "new name for a new FILE; with --redis one of table and KEY)")
      ->group(source);
  verb.add_option("--max-log", max_log_,
                  "give up a slot that holds more than this of the server's log, and build the filter anew: "
                  "1M or more (default: no limit)")
      ->type_name("SIZE")
      ->group(source);
  verb.add_flag("--insert-only", insert_only_,
                "key columns are never updated, so a publication of inserts is enough")
      ->group(source);
}

void FeedOptions::add_place_to(CLI::App& verb) {
  const std::string place = "To where";
  verb.add_option("--file", file_, "a leased file, which any number of processes may ask")->group(place);
  verb.add_option("--redis", redis_,
                  "the key KEY of this Redis or Valkey server or cluster, which has the module bloomery.so: "
                  "redis://[USER:PASSWORD@]HOST[:PORT][/DB], rediss:// for TLS, or unix:///PATH; a password "
                  "may be in "
                  "REDISCLI_AUTH or in the file of ?password-file=FILE")
      ->type_name("URL")
      ->group(place);
  verb.add_option("KEY,--redis-key", redis_key_, "with --redis: the key that the filter is")->group(place);
  verb.add_option("-p,--fpp", filter_.fpp,
                  fmt::format("the false-positive probability (default: {:g})", kDefaultFeedFpp))
      ->group(place)
      ->check(refuse_empty);
  verb.add_option("-n,--capacity", filter_.capacity,
                  "keys (default: a quarter more than the rows; built anew when they are more)")
      ->group(place);
  verb.add_option(
          "--key-file", key_file_,
          "the file of the secret that keys are hashed under; made if it is missing (default: FILE.key)")
      ->group(place);
  verb.add_flag("--unkeyed", unkeyed_,
                "hash without a secret: whoever knows the rows can find keys that pass")
      ->group(place);
  verb.add_flag("--force", force_,
                "build FILE or KEY anew if it was made of another table or of other key columns")
      ->group(place);
  verb.add_flag("--drop", drop_,
                "end the feed for good: drop the slot, and remove FILE with its filters and FILE.key, or KEY")
      ->group(place);
}

void FeedOptions::add_keys_to(CLI::App& verb) {
  const std::string keys = "What the key of a row is";
  verb.add_option("--key-form", form_,
                  "text (default), hex, int32, int64 or utf16, as for build and query; timestamptz, for "
                  "columns of that "
                  "type: asked with any offset from UTC")
      ->group(keys);
  verb.add_flag("-i,--ignore-case", ignore_case_, "A-Z count as a-z (ASCII only)")->group(keys);
  verb.add_flag("--trim", trim_, "white space at both ends is not part of the key")->group(keys);
  verb.add_flag("--utc", utc_, "the key may be a timestamptz, and is asked in UTC: 2026-02-03 04:05:06+00")
      ->group(keys);
}

void FeedOptions::add_times_to(CLI::App& verb) {
  const std::string when = "How current";
  verb.add_option("--bound", bound_, "how long a committed row may be denied at most (default: 5s)")
      ->group(when);
  verb.add_option("--watch", watch_,
                  "time between two looks at the server (default: a fifth of the bound, at most 1s)")
      ->group(when);
  verb.add_option("--save", save_,
                  "time between two savings, which the server's log is kept for (default: 1s)")
      ->group(when);
  verb.add_flag("--synchronous", synchronous_,
                "tell each commit at once: for a server whose synchronous_standby_names has the slot's name")
      ->group(when);
  verb.add_option("--rebuild-every", rebuild_every_,
                  "build the filter anew at this interval, without the deleted rows")
      ->group(when);
  verb.add_option("--rebuild-after", rebuild_after_, "build it anew after so many deletes")->group(when);
  verb.add_option("--rebuild-share", rebuild_share_,
                  "per cent of its time that a rebuild works while a filter answers (default: 25)")
      ->group(when);
  verb.add_option("--patience", patience_, "how long the server may be silent (default: 30s)")->group(when);
}

void FeedOptions::add_reports_to(CLI::App& verb) {
  const std::string told = "What it tells";
  verb.add_option("--status", status_, "a JSON file of its state, written twice a second")->group(told);
  verb.add_option("--metrics", metrics_, "a file of metrics in Prometheus' text form, likewise")->group(told);
  verb.add_option(
          "--metrics-listen", metrics_listen_,
          "serve the metrics by HTTP at this port of 127.0.0.1, or at ADDRESS:PORT: /metrics and /healthz")
      ->type_name("PORT")
      ->group(told);
  verb.add_flag("--check", check_,
                "do not feed, but print what the file of --status says: exit status 0 if a no counts, else 1")
      ->group(told);
  verb.add_option("--log-format", log_format_, "the lines of the log: text or json (default: text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->group(told);
  const std::string settings = "Settings";
  verb.add_option(
          "--config", config_,
          "a file of these options, as NAME = \"VALUE\"; the command line has precedence; SIGHUP reads it "
          "again")
      ->type_name("FILE")
      ->group(settings);
  verb.add_option("--section", section_, "the section [NAME] of the file that this feeder is")
      ->type_name("NAME")
      ->group(settings);
}

// Returns the columns of all --key options.
Result<std::vector<std::string>> FeedOptions::columns() const {
  std::vector<std::string> names;
  for (const std::string& list : keys_) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::vector<std::string> more, names_of_list("--key", list));
    names.insert(names.end(), more.begin(), more.end());
  }
  if (names.empty() && !drop_) {
    return Error::invalid_argument("--key", "expected the key column, found none");
  }
  return names;
}

Result<KeyTreatment> FeedOptions::treatment(std::size_t parts) const {
  const std::optional<KeyForm> form = key_form_from_name(form_);
  if (!form || is_block_list(*form) || *form == KeyForm::kUrl) {
    return Error::invalid_argument(
        "--key-form", "expected text, hex, int32, int64, utf16 or timestamptz, found '" + form_ + "'");
  }
  return KeyTreatment{.form = *form,
                      .trim = trim_,
                      .ignore_case = ignore_case_,
                      .parts = static_cast<std::uint16_t>(std::min<std::size_t>(parts, 1000))};
}

Status FeedOptions::check_place() const {
  const bool at_server = !redis_.empty();
  if (at_server == !file_.empty()) {
    return Error::invalid_argument(at_server ? "--redis" : "--file",
                                   at_server
                                       ? "expected no --file beside it, found one"
                                       : "expected a place for the filter (--file or --redis), found none");
  }
  if (at_server == redis_key_.empty()) {
    return Error::invalid_argument("KEY", at_server
                                              ? "expected the key of the server, found none"
                                              : "expected it with --redis alone, found '" + redis_key_ + "'");
  }
  if (!file_.empty() && (status_ == file_ || metrics_ == file_)) {
    return Error::invalid_argument(status_ == file_ ? "--status" : "--metrics",
                                   "expected another file than --file, which it would replace");
  }
  if (unkeyed_ && !key_file_.empty()) {
    return Error::invalid_argument("--unkeyed", "expected no --key-file beside it, found one");
  }
  if (at_server && !key_file_.empty()) {
    return Error::invalid_argument("--key-file", "expected none with --redis: the secret is the server's");
  }
  return {};
}

Result<postgres::WatchedTable> FeedOptions::watched_table() const {
  if (table_.empty()) {
    return Error::invalid_argument("--table", "expected the table, found none");
  }
  BLOOMERY_ASSIGN_OR_RETURN(std::vector<std::string> names, columns());
  if (!redis_.empty() && names.size() > 1) {
    return Error::invalid_argument(
        "--key",
        "expected one column with --redis, found several: a server's clients ask for one "
        "text; --file takes composite keys");
  }
  if (!slot_.empty() && !is_slot_name(slot_)) {
    return Error::invalid_argument(
        "--slot", "expected at most 63 small letters, digits and underscores, found '" + slot_ + "'");
  }
  return postgres::WatchedTable{
      .table = table_,
      .columns = std::move(names),
      .publication = publication_,
      .slot = slot_.empty() && !redis_.empty() ? feed::slot_name_of(table_, redis_key_) : slot_,
      .application = {},
      .insert_only = insert_only_,
      .trims = trim_,
      .asks_in_utc = utc_,
      .brings_to_utc = form_ == key_form_name(KeyForm::kTimestamptz)};
}

Status FeedOptions::read_times(feed::FeedPlan& plan) const {
  BLOOMERY_ASSIGN_OR_RETURN(plan.bound, duration("--bound", bound_));
  if (plan.bound < std::chrono::milliseconds(100) || plan.bound > std::chrono::hours(24)) {
    return Error::invalid_argument("--bound", "expected 100ms to 24h, found " + bound_);
  }
  plan.watch = std::min<nanoseconds>(plan.bound / 5, std::chrono::seconds(1));
  if (!watch_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(plan.watch, duration("--watch", watch_));
  }
  BLOOMERY_ASSIGN_OR_RETURN(plan.save, duration("--save", save_));
  BLOOMERY_ASSIGN_OR_RETURN(const nanoseconds patience, duration("--patience", patience_));
  plan.answer = std::chrono::duration_cast<std::chrono::milliseconds>(patience);
  if (!rebuild_every_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(plan.rebuild_every, duration("--rebuild-every", rebuild_every_));
  }
  return {};
}

Status FeedOptions::read_limits(feed::FeedPlan& plan) const {
  BLOOMERY_ASSIGN_OR_RETURN(const FilterChoice choice, filter_.parse());
  plan.capacity = choice.capacity;
  plan.fpp = choice.fpp.value_or(plan.fpp);
  if (!(plan.fpp > 0 && plan.fpp < 1)) {
    return Error::invalid_argument("-p", "expected a probability between 0 and 1, found " + filter_.fpp);
  }
  if (!rebuild_after_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(plan.rebuild_after, parse_count("--rebuild-after", rebuild_after_));
  }
  if (rebuild_share_ < 1 || rebuild_share_ > 100) {
    return Error::invalid_argument("--rebuild-share",
                                   "expected 1 to 100 per cent, found " + std::to_string(rebuild_share_));
  }
  plan.rebuild_share = rebuild_share_ / 100.0;
  if (!max_log_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(plan.max_log, parse_size("--max-log", max_log_));
    if (*plan.max_log < kLeastMaxLog) {
      return Error::invalid_argument("--max-log", "expected 1M or more, found " + max_log_);
    }
  }
  return {};
}

Result<feed::FeedPlan> FeedOptions::plan() const {
  BLOOMERY_RETURN_IF_ERROR(check_place());
  feed::FeedPlan plan;
  plan.url = db_;
  BLOOMERY_ASSIGN_OR_RETURN(plan.table, watched_table());
  plan.older_slot = feed::slot_name_of(table_, file_);
  BLOOMERY_ASSIGN_OR_RETURN(plan.keys, treatment(plan.table.columns.size()));
  BLOOMERY_RETURN_IF_ERROR(read_times(plan));
  BLOOMERY_RETURN_IF_ERROR(read_limits(plan));
  plan.synchronous = synchronous_;
  plan.force = force_;
  plan.status_file = status_;
  plan.metrics_file = metrics_;
  return plan;
}

Result<std::unique_ptr<feed::FilterSink>> FeedOptions::sink(const feed::FeedPlan& plan) const {
  return redis_.empty() ? file_sink(plan) : redis_sink(plan);
}

Result<std::unique_ptr<feed::FilterSink>> FeedOptions::file_sink(const feed::FeedPlan& plan) const {
  feed::FileSinkOptions options{.path = file_,
                                .slot = slot_.empty() ? feed::new_slot_name(table_) : slot_,
                                .fpp = plan.fpp,
                                .filter = {.keys = plan.keys},
                                .bound_ns = static_cast<std::uint64_t>(plan.bound.count())};
  if (!unkeyed_) {
    const std::string name = key_file_.empty() ? key_file_of(file_) : key_file_;
    Result<HashSecret> secret = HashSecret::load(name);
    const bool is_missing = !secret && secret.error().code() == ErrorCode::kNotFound;
    if (is_missing && drop_) {
      return std::unique_ptr<feed::FilterSink>(std::make_unique<feed::FileSink>(std::move(options)));
    }
    if (is_missing) {
      BLOOMERY_ASSIGN_OR_RETURN(const HashSecret made, HashSecret::generate());
      BLOOMERY_RETURN_IF_ERROR(made.save_new(name));
      secret = made;
    }
    if (!secret) {
      return secret.error();
    }
    options.filter.hash = keyed_hash(*secret);
  } else {
    // as in `build`: with this hash the Python package knows that no key is an int
    options.filter.hash.id = HashId::kXxh3;
  }
  std::unique_ptr<feed::FilterSink> sink = std::make_unique<feed::FileSink>(std::move(options));
  return sink;
}

void FeedOptions::remove_secret() const {
  if (file_.empty() || !key_file_.empty() || unkeyed_) {
    return;
  }
  const std::string name = key_file_of(file_);
  if (HashSecret::load(name)) {
    (void)FileSystem::real().remove(name);
  }
}

Result<std::unique_ptr<feed::FilterSink>> FeedOptions::redis_sink(const feed::FeedPlan& plan) const {
  BLOOMERY_ASSIGN_OR_RETURN(redis::Url url, url_with_password(redis_));
  feed::RedisSinkOptions options{.url = std::move(url),
                                 .key = redis_key_,
                                 .slot = plan.table.slot,
                                 .fpp = plan.fpp,
                                 .is_keyed = !unkeyed_,
                                 .bound = plan.bound};
  if (synchronous_) {
    options.settled = {};
  }
  std::unique_ptr<feed::FilterSink> sink = std::make_unique<feed::RedisSink>(std::move(options));
  return sink;
}

}  // namespace bloomery::cli
