// Makes, opens, saves and closes filters.
#include <algorithm>
#include <span>
#include <string>

#include "bloomery/base/cut_files.h"
#include "bloomery/filter/plan_for_bytes.h"
#include "c_api/call.h"
#include "c_api/open_filter.h"

namespace bloomery::c_api {
namespace {

Result<FilterOptions> filter_options(const bloomery_filter_options& given) {
  FilterOptions options;
  BLOOMERY_ASSIGN_OR_RETURN(options.keys, treatment_of(given.keys));
  if (given.ready_hashes != 0) {
    if (given.seed != 0 || given.secret != nullptr) {
      return Error::invalid_argument("bloomery_filter_options",
                                     "ready_hashes: expected no seed and no secret, found one");
    }
    options.hash = {.id = HashId::kReadyDigest};
  } else {
    BLOOMERY_ASSIGN_OR_RETURN(options.hash, hash_of(given.hash, given.seed, given.secret));
  }
  if (given.setting != 0 && given.setting != BLOOMERY_FAST && given.setting != BLOOMERY_DENSE) {
    return Error::invalid_argument(
        "bloomery_filter_options",
        "setting: expected BLOOMERY_FAST or BLOOMERY_DENSE, found " + std::to_string(given.setting));
  }
  options.setting = given.setting == BLOOMERY_DENSE ? BlockedSetting::kDense : BlockedSetting::kFast;
  options.growth_doublings = given.growth_doublings;
  options.threads = given.threads;
  if (given.window_kind != BLOOMERY_WINDOW_NONE) {
    options.window = {
        .kind = static_cast<WindowKind>(given.window_kind),
        .length = given.window_length,
        .generations = given.window_generations == 0 ? kUsualGenerations : given.window_generations};
    BLOOMERY_RETURN_IF_ERROR(check_window(options.window));
  }
  return options;
}

Result<FilterPlan> filter_plan(const bloomery_filter_options& given) {
  FilterPlan plan;
  if (given.type > BLOOMERY_EXACT) {
    return Error::invalid_argument(
        "bloomery_filter_options",
        "type: expected BLOOMERY_BLOOM and so on, found " + std::to_string(given.type));
  }
  const auto type = filter_type_of(
      static_cast<std::uint16_t>(given.type == 0 ? std::uint32_t{BLOOMERY_BLOCKED} : given.type));
  plan.type = *type;
  plan.capacity = given.capacity;
  plan.exact_below = given.exact_below;
  if (given.fpp != 0) {
    plan.fpp = given.fpp;
  }
  if (given.bits_per_key != 0) {
    plan.bits_per_key = given.bits_per_key;
  }
  BLOOMERY_ASSIGN_OR_RETURN(plan.options, filter_options(given));
  return given.bytes == 0 ? plan : plan_for_bytes(plan, given.bytes);
}

Result<OpenOptions> open_options(const bloomery_open_options& given, HashSecret& secret) {
  if (given.access > BLOOMERY_COPY_LOCKED) {
    return Error::invalid_argument(
        "bloomery_open_options",
        "access: expected BLOOMERY_MAP and so on, found " + std::to_string(given.access));
  }
  OpenOptions options;
  options.access = static_cast<Access>(given.access);
  options.verify = given.trusts_payload != 0 ? Verify::kHeaderOnly : Verify::kChecksums;
  options.recorded_keys = given.knows_key_rule != 0 ? RecordedKeys::kKnown : RecordedKeys::kRefuse;
  options.while_updated = given.refuses_updates != 0 ? WhileUpdated::kRefuse : WhileUpdated::kServe;
  options.accept_dirty = given.accepts_dirty != 0;
  options.without_secret = given.without_secret != 0;
  if (given.secret != nullptr) {
    std::copy_n(given.secret, secret.bytes.size(), secret.bytes.begin());
    options.secret = &secret;
  }
  return options;
}

int open_with(const bloomery_open_options* given, bloomery_filter** filter, const auto& open) {
  return guarded([&] {
    if (filter == nullptr) {
      return failed_argument("filter", "expected a place for the handle, found null");
    }
    *filter = nullptr;
    bloomery_open_options read = BLOOMERY_OPEN_OPTIONS_INIT;
    if (const Status status = read_struct(read, given, "bloomery_open_options", IfNull::kDefault); !status) {
      return failed(status.error());
    }
    HashSecret secret;
    const Result<OpenOptions> options = open_options(read, secret);
    if (!options) {
      return failed(options.error());
    }
    const int opened = give_filter(open(*options), filter);
    if (opened == BLOOMERY_OK && options->access == Access::kUpdateInPlace) {
      Filters::find(*filter)->begin_update();
    }
    return opened;
  });
}

static_assert(static_cast<int>(Access::kMap) == BLOOMERY_MAP &&
              static_cast<int>(Access::kCopy) == BLOOMERY_COPY &&
              static_cast<int>(Access::kUpdateInPlace) == BLOOMERY_UPDATE_IN_PLACE &&
              static_cast<int>(Access::kMapLocked) == BLOOMERY_MAP_LOCKED &&
              static_cast<int>(Access::kCopyLocked) == BLOOMERY_COPY_LOCKED);

}  // namespace
}  // namespace bloomery::c_api

using namespace bloomery;         // NOLINT(google-build-using-namespace): C names have no namespace
using namespace bloomery::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

int bloomery_filter_make(const bloomery_filter_options* options, bloomery_filter** filter) {
  return guarded([&] {
    if (filter == nullptr) {
      return failed_argument("filter", "expected a place for the handle, found null");
    }
    *filter = nullptr;
    bloomery_filter_options read = BLOOMERY_FILTER_OPTIONS_INIT;
    if (const Status status = read_struct(read, options, "bloomery_filter_options"); !status) {
      return failed(status.error());
    }
    const Result<FilterPlan> plan = filter_plan(read);
    return plan ? give_filter(make_filter(*plan), filter) : failed(plan.error());
  });
}

int bloomery_filter_open(const char* path, const bloomery_open_options* options, bloomery_filter** filter) {
  if (path == nullptr) {
    return failed_argument("path", "expected the name of a file, found null");
  }
  return open_with(options, filter, [&](const OpenOptions& read) { return AnyFilter::open(path, read); });
}

int bloomery_filter_view(const void* bytes, size_t bytes_count, const bloomery_open_options* options,
                         bloomery_filter** filter) {
  if (!is_key(bytes, bytes_count)) {
    return failed_argument("bytes", "expected the bytes of a filter, found null");
  }
  return open_with(options, filter, [&](const OpenOptions& read) -> Result<AnyFilter> {
    if (read.access != Access::kMap && read.access != Access::kCopy) {
      return Error::invalid_argument("bloomery_open_options",
                                     "access: expected BLOOMERY_MAP or BLOOMERY_COPY for bytes in memory");
    }
    return AnyFilter::view(std::as_bytes(std::span(view_of(bytes, bytes_count))), read);
  });
}

int bloomery_filter_save(const bloomery_filter* filter, const char* path, int replace) {
  const OpenFilter* open = Filters::find(filter);
  if (open == nullptr) {
    return failed_handle("bloomery_filter");
  }
  if (path == nullptr) {
    return failed_argument("path", "expected the name of a file, found null");
  }
  return guarded([&] { return result_of(open->filter().save(path, {.replace = replace != 0})); });
}

int bloomery_filter_finish_update(bloomery_filter* filter) {
  OpenFilter* open = Filters::find(filter);
  if (open == nullptr) {
    return failed_handle("bloomery_filter");
  }
  if (!open->is_updating()) {
    return failed_argument("bloomery_filter",
                           "expected a filter that was opened with BLOOMERY_UPDATE_IN_PLACE and "
                           "is not finished, found another one");
  }
  return guarded([&] {
    open->end_update();
    return result_of(open->filter().native().finish_update());
  });
}

int bloomery_filter_bytes(const bloomery_filter* filter, void** bytes, size_t* bytes_count) {
  const OpenFilter* open = Filters::find(filter);
  if (open == nullptr) {
    return failed_handle("bloomery_filter");
  }
  return guarded([&] {
    std::string file;
    file.reserve(open->filter().file_bytes());
    open->filter().serialize(file);
    return result_of(give_bytes(file, bytes, bytes_count));
  });
}

int bloomery_filter_close(bloomery_filter* filter) {
  return filter == nullptr || Filters::close(filter) ? static_cast<int>(BLOOMERY_OK)
                                                     : failed_handle("bloomery_filter");
}

int bloomery_survive_cut_files(void) {
  return guarded([] {
    survive_cut_files();
    return BLOOMERY_OK;
  });
}

}  // extern "C"
