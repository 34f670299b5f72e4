#include "codec/parquet/value_dictionary.h"

#include <utility>

#include "base/message.h"
#include "codec/parquet/hybrid_runs.h"

namespace bloomery::parquet {
namespace {

constexpr const char* kDictionarySubject = "parquet dictionary";

}  // namespace

Result<ValueDictionary> ValueDictionary::read(const EncodedValues& values,
                                              std::shared_ptr<MemoryBudget> memory) {
  // A value has at least one byte, or its length of four.
  if (values.count > values.bytes.size()) {
    return Error::corruption(kDictionarySubject, values.offset,
                             message(values.count, " values in ", values.bytes.size(), " bytes"));
  }
  MemoryShare share(memory);
  BLOOMERY_RETURN_IF_ERROR(
      share.add(kDictionarySubject, values.count * (sizeof(std::string_view) + sizeof(std::uint8_t))));
  ValueDictionary dictionary(std::move(share));
  dictionary.values_.reserve(values.count);
  dictionary.is_marked_.resize(values.count);
  const UseValues keep = [&](std::span<const std::string_view> some) -> Status {
    dictionary.values_.insert(dictionary.values_.end(), some.begin(), some.end());
    return {};
  };
  ValueBatch batch(keep, std::move(memory));
  BLOOMERY_RETURN_IF_ERROR(read_page_values(values, batch));
  BLOOMERY_RETURN_IF_ERROR(batch.flush());
  return dictionary;
}

Status ValueDictionary::mark(const EncodedValues& indices) {
  if (indices.count == 0) {  // some writers omit the width then
    return {};
  }
  const auto width = indices.bytes.empty() ? 0xffU : std::to_integer<unsigned>(indices.bytes.front());
  if (width > 32) {
    return Error::corruption(kDictionarySubject, indices.offset,
                             "expected indices of at most 32 bits, found others");
  }
  // DuckDB 1.5 writes more bytes after the indices of a page.
  return read_hybrid_runs(indices.bytes.subspan(1), indices.offset, width, indices.count,
                          [this](std::uint64_t index, std::uint64_t) {
                            if (index >= is_marked_.size()) {
                              return false;
                            }
                            is_marked_[index] = 1;
                            return true;
                          });
}

Status ValueDictionary::add_marked(ValueBatch& batch) const {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (is_marked_[i] != 0) {
      BLOOMERY_RETURN_IF_ERROR(batch.add(std::as_bytes(std::span(values_[i]))));
    }
  }
  return {};
}

}  // namespace bloomery::parquet
