// The calls for ribbons and fuse filters, which are built from all their keys at once.
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "bloomery/filter/fuse_builder.h"
#include "bloomery/filter/ribbon_builder.h"
#include "c_api/call.h"
#include "c_api/handle_pool.h"
#include "c_api/key_pieces.h"
#include "c_api/open_filter.h"

namespace bloomery::c_api {
namespace {

// A builder. `is_done` is set once it has failed or finished.
struct OpenRibbon {
  std::variant<RibbonBuilder, FuseBuilder> builder;
  HashSpec hash;
  bool is_done = false;
};
using Ribbons = HandlePool<OpenRibbon, 0x8100f21bb0>;

Result<RibbonBuildOptions> build_options(const bloomery_ribbon_options& given) {
  RibbonBuildOptions options;
  BLOOMERY_ASSIGN_OR_RETURN(options.filter.keys, treatment_of(given.keys));
  BLOOMERY_ASSIGN_OR_RETURN(options.filter.hash, hash_of(given.hash, given.seed, given.secret));
  if (given.type != 0 && given.type != BLOOMERY_RIBBON && given.type != BLOOMERY_FUSE) {
    return Error::invalid_argument(
        "type", "expected BLOOMERY_RIBBON or BLOOMERY_FUSE, found " + std::to_string(given.type));
  }
  if (given.setting != 0 && given.setting != BLOOMERY_FAST && given.setting != BLOOMERY_DENSE) {
    return Error::invalid_argument(
        "setting", "expected BLOOMERY_FAST or BLOOMERY_DENSE, found " + std::to_string(given.setting));
  }
  options.filter.setting = given.setting == BLOOMERY_DENSE ? BlockedSetting::kDense : BlockedSetting::kFast;
  options.filter.threads = given.threads;
  options.capacity = given.capacity;
  if (given.memory_bytes != 0) {
    options.memory_bytes = given.memory_bytes;
  }
  if (given.spool_directory != nullptr) {
    options.spool_directory = given.spool_directory;
  }
  return options;
}

// Begins a build as an OpenRibbon.
template <typename Builder>
int begin(double fpp, const StaticBuildOptions& options, bloomery_ribbon** ribbon) {
  Result<Builder> builder = Builder::create(fpp, options);
  if (!builder) {
    return failed(builder.error());
  }
  void* handle = Ribbons::open({.builder = std::move(*builder), .hash = options.filter.hash});
  if (handle == nullptr) {
    return failed(BLOOMERY_CAPACITY, "memory", "expected room for a handle, found none");
  }
  *ribbon = static_cast<bloomery_ribbon*>(handle);
  return BLOOMERY_OK;
}

Status add_to(OpenRibbon& open, std::span<const Hash128> hashes) {
  return std::visit([hashes](auto& builder) { return builder.add(hashes); }, open.builder);
}

// Runs `act` on an unfinished builder. An error other than BLOOMERY_INVALID_ARGUMENT ends the build;
// `act` may end it after any error.
template <typename Act>
int with_ribbon(bloomery_ribbon* ribbon, const Act& act) {
  OpenRibbon* open = Ribbons::find(ribbon);
  if (open == nullptr) {
    return failed_handle("bloomery_ribbon");
  }
  if (open->is_done) {
    return failed_argument("bloomery_ribbon", "expected a build that goes on, found one that has ended");
  }
  const int result = guarded([&] { return act(*open); });
  open->is_done = open->is_done || (result < 0 && result != BLOOMERY_INVALID_ARGUMENT);
  return result;
}

// Reports the progress to the caller's function. If that returns a number other than 0, the build is
// stopped.
class Watch {
 public:
  Watch(bloomery_progress tell, void* context) : tell_(tell), context_(context) {}
  RibbonBuilder::Progress progress() {
    return [this](std::uint32_t done, std::uint32_t total) {
      if (tell_ != nullptr && tell_(done, total, context_) != 0) {
        stop_ = true;
      }
    };
  }
  const std::atomic<bool>* stop() const { return &stop_; }

 private:
  bloomery_progress tell_;
  void* context_;
  std::atomic<bool> stop_ = false;
};

}  // namespace
}  // namespace bloomery::c_api

using namespace bloomery;         // NOLINT(google-build-using-namespace): C names have no namespace
using namespace bloomery::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

int bloomery_ribbon_begin(const bloomery_ribbon_options* options, bloomery_ribbon** ribbon) {
  return guarded([&] {
    if (ribbon == nullptr) {
      return failed_argument("ribbon", "expected a place for the handle, found null");
    }
    *ribbon = nullptr;
    bloomery_ribbon_options read = BLOOMERY_RIBBON_OPTIONS_INIT;
    if (const Status status = read_struct(read, options, "bloomery_ribbon_options"); !status) {
      return failed(status.error());
    }
    const Result<RibbonBuildOptions> build = build_options(read);
    if (!build) {
      return failed(build.error());
    }
    return read.type == BLOOMERY_FUSE ? begin<FuseBuilder>(read.fpp, *build, ribbon)
                                      : begin<RibbonBuilder>(read.fpp, *build, ribbon);
  });
}

int bloomery_ribbon_add(bloomery_ribbon* ribbon, const bloomery_keys* keys) {
  return with_ribbon(ribbon, [&](OpenRibbon& open) {
    const Result<bloomery_keys> checked = checked_keys(keys);
    if (!checked) {
      return failed(checked.error());
    }
    Status added;
    for_each_hashed_piece_of(*checked, open.hash, [&](std::size_t, std::span<const Hash128> hashes) {
      if (added) {
        added = add_to(open, hashes);
      }
    });
    open.is_done = !added;
    return result_of(added);
  });
}

int bloomery_ribbon_add_hashes(bloomery_ribbon* ribbon, const bloomery_hash* hashes, size_t count) {
  return with_ribbon(ribbon, [&](OpenRibbon& open) {
    if (hashes == nullptr && count > 0) {
      return failed_argument("hashes", "expected hashes, found null");
    }
    if (count == 0) {
      return static_cast<int>(BLOOMERY_OK);
    }
    const Status added = add_to(open, std::span(reinterpret_cast<const Hash128*>(hashes), count));
    open.is_done = !added;
    return result_of(added);
  });
}

int bloomery_ribbon_finish(bloomery_ribbon* ribbon, bloomery_progress progress, void* context,
                           bloomery_filter** filter) {
  return with_ribbon(ribbon, [&](OpenRibbon& open) {
    if (filter == nullptr) {
      return failed_argument("filter", "expected a place for the handle, found null");
    }
    *filter = nullptr;
    open.is_done = true;
    Watch watch(progress, context);
    return std::visit(
        [&](auto& builder) {
          auto built = builder.finish(watch.progress(), watch.stop());
          return built ? give_filter(AnyFilter(std::move(*built)), filter) : failed(built.error());
        },
        open.builder);
  });
}

int bloomery_ribbon_save(bloomery_ribbon* ribbon, const char* path, int replace, bloomery_progress progress,
                         void* context) {
  return with_ribbon(ribbon, [&](OpenRibbon& open) {
    if (path == nullptr) {
      return failed_argument("path", "expected the name of a file, found null");
    }
    open.is_done = true;
    Watch watch(progress, context);
    const SaveTo to{.replace = replace != 0, .cancelled = watch.stop()};
    const auto written =
        std::visit([&](auto& builder) { return builder.finish(path, to, watch.progress()); }, open.builder);
    return written ? static_cast<int>(BLOOMERY_OK) : failed(written.error());
  });
}

int bloomery_ribbon_close(bloomery_ribbon* ribbon) {
  return ribbon == nullptr || Ribbons::close(ribbon) ? static_cast<int>(BLOOMERY_OK)
                                                     : failed_handle("bloomery_ribbon");
}

}  // extern "C"
