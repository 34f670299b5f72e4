// Gives tests and tools a store on an environment of their own.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "bloomery/store/store.h"
#include "store/no_memory.h"
#include "store/recovery.h"

namespace bloomery::store {

struct StoreAccess {
  static Result<Store> create(const Environment& environment, const std::string& root,
                              const StoreOptions& options) {
    return or_no_memory([&]() -> Result<Store> {
      BLOOMERY_ASSIGN_OR_RETURN(auto state, make_store(environment, root, options));
      return Store(std::move(state));
    });
  }
  static Result<Store> open(const Environment& environment, const std::string& root,
                            const StoreOptions& options) {
    return or_no_memory([&]() -> Result<Store> {
      BLOOMERY_ASSIGN_OR_RETURN(auto state, open_store(environment, root, options));
      return Store(std::move(state));
    });
  }
  static const std::shared_ptr<StoreState>& state_of(const Store& store) { return store.state_; }
};

}  // namespace bloomery::store
