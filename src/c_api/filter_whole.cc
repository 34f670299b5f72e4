// The calls for an entire filter: merge, clear, exceptions, facts.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bloomery/filter/exceptions.h"
#include "c_api/call.h"
#include "c_api/open_filter.h"

namespace bloomery::c_api {
namespace {

// Runs `act` on the filter of a handle.
template <typename Act>
int with_filter(bloomery_filter* filter, const Act& act) {
  OpenFilter* open = Filters::find(filter);
  return open == nullptr ? failed_handle("bloomery_filter") : guarded([&] { return act(*open); });
}
template <typename Act>
int with_filter(const bloomery_filter* filter, const Act& act) {
  const OpenFilter* open = Filters::find(filter);
  return open == nullptr ? failed_handle("bloomery_filter") : guarded([&] { return act(*open); });
}

int refused_change(const OpenFilter& open) {
  return failed_argument("bloomery_filter", "expected a filter that may be changed, found a " +
                                                open.filter().type_name() + " filter that may not");
}

bloomery_facts facts_of(const OpenFilter& open) {
  const AnyFilter& filter = open.filter();
  const NativeFilter& native = filter.native();
  const auto* blocked = std::get_if<BlockedBloomFilter>(&filter.variant());
  bloomery_facts facts = {};
  facts.capacity = filter.capacity();
  facts.target_fpp = filter.target_fpp();
  facts.inserted = filter.inserted();
  facts.byte_size = filter.byte_size();
  facts.file_bytes = filter.file_bytes();
  facts.bits = filter.bits();
  facts.exceptions = native.exception_count();
  facts.seed = filter.hash_spec().seed;
  facts.secret_id = native.hash_key_id();
  facts.type = static_cast<std::uint32_t>(filter.type());
  facts.setting = blocked == nullptr ? 0 : static_cast<std::uint32_t>(blocked->shape().setting);
  facts.hash_count = filter.hash_count();
  facts.hash = static_cast<std::uint32_t>(filter.hash_spec().id);
  facts.is_static = filter.is_static() ? 1 : 0;
  facts.can_remove = filter.can_remove() ? 1 : 0;
  facts.is_writable = open.is_writable() ? 1 : 0;
  facts.updates_in_place = filter.updates_in_place() ? 1 : 0;
  return facts;
}

}  // namespace
}  // namespace bloomery::c_api

using namespace bloomery;         // NOLINT(google-build-using-namespace): C names have no namespace
using namespace bloomery::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

int bloomery_filter_merge(bloomery_filter* filter, const bloomery_filter* other) {
  return with_filter(filter, [&](OpenFilter& open) {
    const OpenFilter* with = Filters::find(other);
    if (with == nullptr) {
      return failed_handle("bloomery_filter");
    }
    if (with == &open) {
      return failed_argument("other", "expected another filter, found the same one");
    }
    if (!open.is_writable()) {
      return refused_change(open);
    }
    const int merged = result_of(open.filter().merge(with->filter()));
    open.keys_came();
    return merged;
  });
}

int bloomery_filter_clear(bloomery_filter* filter) {
  return with_filter(filter, [](OpenFilter& open) {
    if (!open.is_writable()) {
      return refused_change(open);
    }
    const int cleared = result_of(open.filter().clear());
    open.keys_came();
    return cleared;
  });
}

int bloomery_filter_add_exceptions(bloomery_filter* filter, const bloomery_hash* hashes, size_t count,
                                   uint64_t* added) {
  return with_filter(filter, [&](OpenFilter& open) {
    if (hashes == nullptr && count > 0) {
      return failed_argument("hashes", "expected hashes, found null");
    }
    std::vector<Hash128> read;
    read.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      read.push_back({.low = hashes[i].low, .high = hashes[i].high});
    }
    const Result<std::uint64_t> matched = add_exceptions(open.filter(), read);
    if (!matched) {
      return failed(matched.error());
    }
    if (added != nullptr) {
      *added = *matched;
    }
    return static_cast<int>(BLOOMERY_OK);
  });
}

int bloomery_filter_exceptions(const bloomery_filter* filter, bloomery_hash** hashes, size_t* count) {
  return with_filter(filter, [&](const OpenFilter& open) {
    const std::vector<Hash128> all = open.filter().exceptions();
    void* bytes = nullptr;
    std::size_t size = 0;
    if (hashes == nullptr || count == nullptr) {
      return failed_argument("hashes", "expected a place for pointer and count, found null");
    }
    const Status given =
        give_bytes({reinterpret_cast<const char*>(all.data()), all.size() * sizeof(Hash128)}, &bytes, &size);
    if (!given) {
      return failed(given.error());
    }
    *hashes = static_cast<bloomery_hash*>(bytes);
    *count = all.size();
    return static_cast<int>(BLOOMERY_OK);
  });
}

int bloomery_filter_advance(bloomery_filter* filter) {
  return with_filter(filter, [](OpenFilter& open) {
    auto* windowed = std::get_if<WindowedFilter>(&open.filter().variant());
    if (windowed == nullptr || !open.is_writable()) {
      return failed_argument("bloomery_filter", "expected a windowed filter that may be changed, found " +
                                                    open.filter().type_name());
    }
    windowed->advance();
    return static_cast<int>(BLOOMERY_OK);
  });
}

int bloomery_filter_metadata(const bloomery_filter* filter, const char** text, size_t* length) {
  return with_filter(filter, [&](const OpenFilter& open) {
    if (text == nullptr || length == nullptr) {
      return failed_argument("text", "expected a place for pointer and length, found null");
    }
    *text = open.filter().metadata().c_str();
    *length = open.filter().metadata().size();
    return static_cast<int>(BLOOMERY_OK);
  });
}

int bloomery_filter_set_metadata(bloomery_filter* filter, const char* text, size_t length) {
  return with_filter(filter, [&](OpenFilter& open) {
    return is_key(text, length) ? result_of(open.filter().set_metadata(std::string(view_of(text, length))))
                                : failed_argument("text", "expected bytes, found null");
  });
}

int bloomery_filter_verify(const bloomery_filter* filter) {
  return with_filter(filter, [](const OpenFilter& open) {
    const int verified = result_of(open.filter().verify());
    return verified == BLOOMERY_OK ? result_of(open.filter().native().file_status()) : verified;
  });
}

int bloomery_filter_facts(const bloomery_filter* filter, bloomery_facts* facts) {
  return with_filter(filter, [&](const OpenFilter& open) {
    return result_of(write_struct(facts, facts_of(open), "bloomery_facts"));
  });
}

int bloomery_filter_keys(const bloomery_filter* filter, bloomery_key_rule* rule) {
  return with_filter(filter, [&](const OpenFilter& open) {
    return result_of(write_struct(rule, rule_of(open.filter().key_treatment()), "bloomery_key_rule"));
  });
}

int bloomery_filter_estimates(const bloomery_filter* filter, bloomery_estimates* estimates) {
  return with_filter(filter, [&](const OpenFilter& open) {
    bloomery_estimates found = {};
    found.fill_ratio = open.filter().fill_ratio();
    found.current_fpp = open.filter().current_fpp();
    found.estimated_count = open.filter().estimated_count();
    found.over_capacity = open.filter().over_capacity() ? 1 : 0;
    return result_of(write_struct(estimates, found, "bloomery_estimates"));
  });
}

}  // extern "C"
