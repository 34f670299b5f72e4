// bloomery copy: brings a filter file into a key of a Redis or Valkey server, and out of it. With --all, it
// brings all filters of one server to another.
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/atomic_file.h"
#include "base/file.h"
#include "cli/copy_all.h"
#include "cli/exit_status.h"
#include "cli/redis_keys.h"
#include "cli/replaced_file.h"
#include "cli/secret_file.h"
#include "cli/stop_signal.h"
#include "cli/summary.h"
#include "cli/verbs.h"
#include "connect/redis/file_transfer.h"

namespace bloomery::cli {
namespace {

constexpr const char* kCopyVerb = "copy";
constexpr const char* kCopyDescription =
    R"(Bring a filter file into a key of a Redis or Valkey server, or out of it. The server needs the module bloomery.so.

  bloomery build -o blacklist.ribbon -t ribbon -p 1e-4 blacklist.txt
  bloomery copy blacklist.ribbon blacklist --redis redis://localhost    # now BLOOM.EXISTS blacklist ITEM answers
  bloomery copy blacklist -o again.ribbon --redis redis://localhost     # the same bytes

The key answers as before until the file is in it, whole. A copy that was cut goes on where it was for an hour.

  bloomery copy --all redis://OLD redis://NEW    # all filters: of RedisBloom, Redis 8 and Bloomery

Every filter is verified, and its time to live is kept. A key that exists with other contents is refused, unless
--replace is given. A run that was cut is repeated: it skips the filters that are equal. The status is 0 if all are.)";

struct CopyOptions {
  std::string first;
  std::string second;
  std::string server;
  std::string output;
  std::string key_file;
  bool all = false;
  bool replace = false;
  bool force = false;
  bool allow_empty = false;
  SummaryChoice summary;
};

Status into_key(const CopyOptions& options, redis::Client& client, const std::atomic<bool>& stop) {
  // Every byte is verified before the first is sent.
  BLOOMERY_ASSIGN_OR_RETURN(const AnyFilter filter, open_filter(options.first, options.key_file,
                                                                {.recorded_keys = RecordedKeys::kKnown}));
  BLOOMERY_RETURN_IF_ERROR(check_whole(filter, options.first));
  // It would answer no to everything.
  if (filter.inserted() == 0 && !options.allow_empty) {
    return Error::invalid_argument(options.first, "expected keys in it, found none; --allow-empty copies it");
  }
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(const File file, files.open(options.first, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const MappedFile mapping,
                            files.map(file, filter.file_bytes(), MapAccess::kReadOnly));
  const HashSpec& hash = filter.hash_spec();
  BLOOMERY_RETURN_IF_ERROR(redis::load_file(client, mapping.bytes(), options.second,
                                            hash.id == HashId::kSipHash ? &hash.secret : nullptr,
                                            [&](std::uint64_t /*done*/) { return !stop; }));
  if (options.summary.wanted()) {
    warn(kCopyVerb, fmt::format("{} bytes are in the key {} of {}", mapping.bytes().size(), options.second,
                                client.name()));
  }
  return {};
}

Status out_of_key(const CopyOptions& options, redis::Client& client, const std::atomic<bool>& stop) {
  if (options.force) {
    BLOOMERY_RETURN_IF_ERROR(check_filter_may_replace(options.output));
  }
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(
      AtomicFile file,
      AtomicFile::create(
          files, options.output,
          {.if_exists = options.force ? IfExists::kReplace : IfExists::kRefuse, .cancelled = &stop}));
  std::uint64_t bytes = 0;
  BLOOMERY_RETURN_IF_ERROR(redis::dump_file(client, options.first, [&](std::span<const std::byte> piece) {
    bytes += piece.size();
    return file.append(piece);
  }));
  BLOOMERY_RETURN_IF_ERROR(file.commit());
  if (options.summary.wanted()) {
    warn(kCopyVerb, fmt::format("{} bytes of the key {} are in {}", bytes, options.first, options.output));
  }
  return {};
}

Result<int> copy_filters(const CopyOptions& options) {
  if (!options.server.empty() || !options.output.empty() || options.second.empty()) {
    return Error::invalid_argument("copy --all",
                                   "expected the URLs of two servers, and neither --redis nor -o");
  }
  return copy_all_filters(options.first, options.second,
                          options.replace ? redis::IfOther::kReplace : redis::IfOther::kRefuse,
                          options.summary, catch_stop_signals());
}

Status copy_file(const CopyOptions& options) {
  const bool is_out = !options.output.empty();
  if (options.server.empty()) {
    return Error::invalid_argument("copy", "expected --redis URL");
  }
  if (options.replace) {
    return Error::invalid_argument("copy", "expected --replace only with --all");
  }
  if (is_out == !options.second.empty()) {
    return Error::invalid_argument("copy", is_out ? "expected a key alone with -o, found two names"
                                                  : "expected a file and a key, or a key and -o FILE");
  }
  const std::atomic<bool>& stop = catch_stop_signals();
  BLOOMERY_ASSIGN_OR_RETURN(const redis::Url url, url_with_password(options.server));
  BLOOMERY_ASSIGN_OR_RETURN(redis::Client client, redis::Client::connect(url));
  return is_out ? out_of_key(options, client, stop) : into_key(options, client, stop);
}

Result<int> copy(const CopyOptions& options) {
  if (options.all) {
    return copy_filters(options);
  }
  BLOOMERY_RETURN_IF_ERROR(copy_file(options));
  return static_cast<int>(kDone);
}

}  // namespace

void add_copy_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("copy", kCopyDescription);
  const auto options = std::make_shared<CopyOptions>();
  verb->add_option(
          "FILE", options->first,
          "the filter file; with -o the key that was loaded from one; with --all the URL of the source")
      ->required();
  verb->add_option("KEY", options->second,
                   "the key that the file goes into; with --all the URL of the destination");
  verb->add_option("--redis", options->server,
                   "the server or cluster: redis://[USER:PASSWORD@]HOST[:PORT][/DB], rediss:// for TLS, "
                   "or unix:///PATH; a password may be in REDISCLI_AUTH")
      ->type_name("URL");
  verb->add_flag("--all", options->all, "copy all filters of one server to another: --all FROM TO");
  verb->add_flag("--replace", options->replace, "with --all: replace keys that differ (default: refused)");
  verb->add_option("-o,--output", options->output, "the file that is written")->type_name("FILE");
  verb->add_flag("--force", options->force, "replace the filter of -o");
  verb->add_flag("--allow-empty", options->allow_empty,
                 "copy a filter without any key too (default: refused)");
  verb->add_option("--key-file", options->key_file, "the secret of a keyed filter (default: FILE.key)")
      ->type_name("FILE");
  options->summary.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = copy(*options);
    exit_status = status ? *status : report(kCopyVerb, status.error());
  });
}

}  // namespace bloomery::cli
