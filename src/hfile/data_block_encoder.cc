#include "hfile/data_block_encoder.h"

namespace bloomery::hfile {

DataBlockEncoder::DataBlockEncoder(DataEncoding encoding, const CellLayout& layout)
    : encoding_(encoding), encoder_(PlainEncoder(layout)) {
  switch (encoding) {
    case DataEncoding::kNone:
      break;
    case DataEncoding::kPrefix:
      encoder_.emplace<PrefixEncoder>(layout);
      break;
    case DataEncoding::kDiff:
      encoder_.emplace<DiffEncoder>(layout);
      break;
    case DataEncoding::kFastDiff:
      encoder_.emplace<FastDiffEncoder>(layout);
      break;
    case DataEncoding::kRowIndexV1:
      encoder_.emplace<RowIndexEncoder>(layout);
      break;
  }
}

}  // namespace bloomery::hfile
