#include "store/table_settings.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "table/layout/attributes.h"

namespace bloomery::store {
TableSettings settings_of(const TableSchema& schema, const StoreOptions& options) {
  TableSettings settings{.compacts = options.compacts, .flush_bytes = options.flush_bytes};
  const auto durability = std::ranges::find(kDurabilityNames, table::attribute_text(schema, "DURABILITY"));
  if (durability != kDurabilityNames.end() && durability != kDurabilityNames.begin()) {
    settings.durability = static_cast<Durability>(durability - kDurabilityNames.begin());
  }
  settings.is_read_only = table::attribute_text(schema, "READONLY") == "true";
  settings.compacts = settings.compacts && table::attribute_text(schema, "COMPACTION_ENABLED") != "false";
  const std::string_view bytes = table::attribute_text(schema, "MEMSTORE_FLUSHSIZE");
  (void)std::from_chars(bytes.data(), bytes.data() + bytes.size(), settings.flush_bytes);
  return settings;
}

std::uint64_t major_compaction_period(const TableSchema& schema, const FamilySchema& family,
                                      const StoreOptions& options) {
  const std::string_view own = table::attribute_text(family, table::kMajorCompaction);
  const std::string_view text = own.empty() ? table::attribute_text(schema, table::kMajorCompaction) : own;
  std::uint64_t period = options.major_compaction_ms;
  (void)std::from_chars(text.data(), text.data() + text.size(), period);
  return period;
}

}  // namespace bloomery::store
