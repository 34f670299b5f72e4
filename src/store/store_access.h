// Gives tests and tools a store on an environment of their own.
#pragma once

#include <string>

#include "bloomery/store/store.h"
#include "store/environment.h"

namespace bloomery::store {

struct StoreAccess {
  static Result<Store> create(const Environment& environment, const std::string& root,
                              const StoreOptions& options);
  static Result<Store> open(const Environment& environment, const std::string& root,
                            const StoreOptions& options);
  static const std::shared_ptr<StoreState>& state_of(const Store& store) { return store.state_; }
};

}  // namespace bloomery::store
