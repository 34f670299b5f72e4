#include "feed/feed_status.h"

#include <ctime>
#include <span>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/temporary_name.h"
#include "bloomery/guard/prometheus.h"

namespace bloomery::feed {

const char* feed_state_name(FeedState state) {
  switch (state) {
    case FeedState::kLoading:
      return "loading";
    case FeedState::kActive:
      return "active";
    case FeedState::kStale:
      return "stale";
    case FeedState::kWaiting:
      return "waiting";
    case FeedState::kStopped:
      return "stopped";
  }
  return "unknown";
}

std::string status_json(const FeedStatus& status) {
  const nlohmann::ordered_json json{
      {"state", feed_state_name(status.state)},
      {"reason", status.reason},
      {"table", status.table},
      {"slot", status.slot},
      {"filter", status.sink},
      {"server", status.server},
      {"system", std::to_string(status.record.system)},
      {"timeline", status.record.timeline},
      {"generation", status.record.generation},
      {"applied", postgres::to_text(status.applied)},
      {"saved", postgres::to_text(status.saved)},
      {"lag_bytes", status.lag_bytes},
      {"held_bytes", status.held_bytes},
      {"lag_seconds", status.lag_seconds},
      {"bound_seconds", status.bound_seconds},
      {"wal_status", status.wal_status},
      {"sync_state", status.sync_state},
      {"keys", status.record.keys},
      {"capacity", status.facts.capacity},
      {"bytes", status.facts.bytes},
      {"target_fpp", status.facts.target_fpp},
      {"deletes", status.record.deletes},
      {"inserts_seen", status.counts.inserts},
      {"updates_seen", status.counts.updates},
      {"transactions_seen", status.counts.transactions},
      {"rows_without_key", status.without_key},
      {"rebuilding", status.is_rebuilding},
      {"rebuild_rows", status.rebuild_rows},
      {"rebuilds", status.rebuilds},
      {"rebuild_seconds", status.rebuild_seconds},
      {"connections", status.connections},
      {"pid", status.pid},
      {"time", static_cast<std::int64_t>(std::time(nullptr))},
  };
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<FeedHealth> health_of(const std::string& status, std::int64_t now) {
  const nlohmann::json json = nlohmann::json::parse(status, nullptr, false);
  const auto text = [&](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
  };
  const auto number = [&](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_number() ? found->get<double>() : 0;
  };
  if (!json.is_object() || text("state").empty() || number("time") <= 0) {
    return Error(ErrorCode::kCorruption, "status",
                 "expected the status of a feeder (--status), found another text");
  }
  const double age = static_cast<double>(now) - number("time");
  const bool is_active = text("state") == feed_state_name(FeedState::kActive);
  if (is_active && age > number("bound_seconds") + 1) {  // the time has full seconds
    return FeedHealth{.is_good = false,
                      .sentence = fmt::format("gone: the last status is {:.0f} s old and says active; the "
                                              "lease of {:g} s is over",
                                              age, number("bound_seconds"))};
  }
  FeedHealth health{.is_good = is_active, .sentence = text("state")};
  if (!text("reason").empty()) {
    health.sentence += ": " + text("reason");
  }
  health.sentence +=
      fmt::format("; {:.0f} keys, lag {:.1f} s of {:g} s, the slot holds {:.0f} bytes of the log",
                  number("keys"), number("lag_seconds"), number("bound_seconds"), number("held_bytes"));
  return health;
}

std::string metrics_text(const FeedStatus& status) {
  // One collector may have the files of many feeders.
  guard::PrometheusText text(fmt::format("table=\"{}\",filter=\"{}\"", guard::escaped_label(status.table),
                                         guard::escaped_label(status.sink)));
  for (const FeedState state : {FeedState::kLoading, FeedState::kActive, FeedState::kStale,
                                FeedState::kWaiting, FeedState::kStopped}) {
    text.gauge("bloomery_feed_state", "The state that has the value 1.", state == status.state ? 1 : 0,
               fmt::format("state=\"{}\"", feed_state_name(state)));
  }
  const auto gauge = [&text](const char* name, const char* help, auto value) {
    text.gauge(std::string("bloomery_feed_") + name, help, static_cast<double>(value));
  };
  const auto counter = [&text](const char* name, const char* help, std::uint64_t value) {
    text.counter(std::string("bloomery_feed_") + name, help, value);
  };
  gauge("lag_bytes", "Bytes of the log that are not in the filter.", status.lag_bytes);
  gauge("held_bytes", "Bytes of the server's log that the slot holds.", status.held_bytes);
  gauge("lag_seconds", "Seconds since nothing was missing for the last time.", status.lag_seconds);
  gauge("bound_seconds", "How old a row may be that is denied.", status.bound_seconds);
  gauge("generation", "The number of the filter that answers.", status.record.generation);
  gauge("keys", "Keys that were put into the filter since its build.", status.record.keys);
  gauge("capacity_keys", "Keys for which the filter was made.", status.facts.capacity);
  gauge("filter_bytes", "Bytes of the filter.", status.facts.bytes);
  gauge("deletes", "Deletes since the build.", status.record.deletes);
  counter("inserts_total", "Inserts that the log brought.", status.counts.inserts);
  counter("updates_total", "Updates that the log brought.", status.counts.updates);
  counter("transactions_total", "Transactions that the log brought.", status.counts.transactions);
  counter("rows_without_key_total", "Rows whose text is not of the key form.", status.without_key);
  counter("rebuilds_total", "Rebuilds that were finished.", status.rebuilds);
  gauge("rebuild_seconds", "Seconds that the last rebuild took.", status.rebuild_seconds);
  counter("connections_total", "Connections to the database.", status.connections);
  return text.text();
}

Status write_whole(const std::string& path, const std::string& text) {
  FileSystem& files = FileSystem::real();
  const std::string temporary = path + temporary_name(".");
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(temporary, OpenFor::kCreatingExclusively));
  Status replaced = file.write_all(std::as_bytes(std::span(text)));
  if (replaced) {
    replaced = files.set_permissions(file, new_file_permissions());
  }
  if (replaced) {
    replaced = files.rename(temporary, path);
  }
  if (!replaced) {
    (void)files.remove(temporary);
  }
  return replaced;
}

}  // namespace bloomery::feed
