// The options of `bloomery feed postgres`, and the FeedPlan made from them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "cli/filter_choice.h"
#include "cli/option_parser.h"
#include "feed/feed_plan.h"
#include "feed/filter_sink.h"

namespace bloomery::cli {

class FeedOptions {
 public:
  void add_to(CLI::App& verb);

  // Errors: kInvalidArgument.
  Result<feed::FeedPlan> plan() const;
  // Returns true for --drop: the feed is to be removed for good (feed/feeder.h).
  bool drops() const { return drop_; }
  // Returns true for --check: the status of a feeder is to be judged.
  bool checks() const { return check_; }
  const std::string& status_file() const { return status_; }
  // The address of --metrics-listen; may be empty.
  const std::string& metrics_address() const { return metrics_listen_; }
  // The file of settings, and its section; may be empty.
  const std::string& config() const { return config_; }
  const std::string& section() const { return section_; }
  bool logs_json() const { return log_format_ == "json"; }
  // Removes the secret that the feeder generated, if it has the default name.
  void remove_secret() const;
  // Opens the destination of the filter: a file, or a key of a server. Errors: kInvalidArgument; errors of
  // reading or making the file of the secret.
  Result<std::unique_ptr<feed::FilterSink>> sink(const feed::FeedPlan& plan) const;

 private:
  void add_source_to(CLI::App& verb);
  void add_place_to(CLI::App& verb);
  void add_keys_to(CLI::App& verb);
  void add_times_to(CLI::App& verb);
  void add_reports_to(CLI::App& verb);
  Result<std::vector<std::string>> columns() const;
  Result<postgres::WatchedTable> watched_table() const;
  Status read_times(feed::FeedPlan& plan) const;
  Status read_limits(feed::FeedPlan& plan) const;
  Result<KeyTreatment> treatment(std::size_t parts) const;
  Status check_place() const;
  Result<std::unique_ptr<feed::FilterSink>> file_sink(const feed::FeedPlan& plan) const;
  Result<std::unique_ptr<feed::FilterSink>> redis_sink(const feed::FeedPlan& plan) const;

  std::string db_;
  std::string table_;
  std::vector<std::string> keys_;  // each element is a list of columns
  std::string publication_ = "bloomery";
  std::string slot_;
  std::string file_;
  std::string redis_;
  std::string redis_key_;
  std::string form_ = "text";
  bool ignore_case_ = false;
  bool trim_ = false;
  bool utc_ = false;
  bool unkeyed_ = false;
  bool force_ = false;
  bool drop_ = false;
  std::string key_file_;
  FilterWish filter_;  // -n, -p
  std::string bound_ = "5s";
  std::string watch_;
  std::string save_ = "1s";
  std::string rebuild_every_;
  std::string rebuild_after_;
  std::string max_log_;
  int rebuild_share_ = 25;
  std::string patience_ = "30s";
  std::string status_;
  std::string metrics_;
  std::string metrics_listen_;
  bool check_ = false;
  std::string config_;
  std::string section_;
  std::string log_format_ = "text";
  bool insert_only_ = false;
  bool synchronous_ = false;
};

}  // namespace bloomery::cli
