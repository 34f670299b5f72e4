#include "filter/scalable/blocked_layers.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "bloomery/filter/native_filter.h"

namespace bloomery {
// ---- making and opening

Result<std::unique_ptr<BlockedLayers::Layer>> BlockedLayers::new_layer(std::uint32_t step,
                                                                       const BlockedShape& shape) {
  auto layer = std::make_unique<Layer>();
  layer->step = step;
  layer->shape = shape;
  BLOOMERY_ASSIGN_OR_RETURN(layer->own, AlignedBuffer::zeroed(shape.words * sizeof(std::uint64_t)));
  layer->words = reinterpret_cast<std::uint64_t*>(layer->own.bytes().data());
  return layer;
}

Result<std::unique_ptr<BlockedLayers>> BlockedLayers::create(const ScalablePlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(const LayerPlan first, plan_layer(plan, 0));
  BLOOMERY_ASSIGN_OR_RETURN(auto layer, new_layer(0, first.shape));
  std::unique_ptr<BlockedLayers> made(new BlockedLayers(plan, Storage()));
  made->writable_ = true;
  made->slots_[0] = std::move(layer);
  made->count_ = 1;
  return made;
}

Result<std::unique_ptr<BlockedLayers>> BlockedLayers::over(Storage payload, const ScalablePlan& plan) {
  std::unique_ptr<BlockedLayers> opened(new BlockedLayers(plan, std::move(payload)));
  BLOOMERY_RETURN_IF_ERROR(opened->open_layers());
  return opened;
}

Status BlockedLayers::open_layers() {
  const std::span<std::byte> bytes = home_.raw();
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<LayerEntry> entries,
                            read_layer_front(bytes, bytes.size(), plan_));
  std::byte* words_at = bytes.data() + layer_front_bytes(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto layer = std::make_unique<Layer>();
    layer->keys = entries[i].keys;
    layer->step = entries[i].step;
    layer->shape = entries[i].shape;
    layer->words = reinterpret_cast<std::uint64_t*>(words_at);
    words_at += layer->shape.words * sizeof(std::uint64_t);
    slots_[i] = std::move(layer);
  }
  count_ = entries.size();
  return {};
}

// ---- queries

// Asks the newest and largest layer first: it has half of all keys, if these came one by one.
bool BlockedLayers::is_in_first(std::size_t layers, std::uint64_t hash) const {
  const BlockedKernel& kernel = chosen_blocked_kernel();
  for (std::size_t i = layers; i-- > 0;) {
    if (kernel.one.may_contain(slots_[i]->table(), hash)) {
      return true;
    }
  }
  return false;
}

// Answers at most kPiece hashes from the first `layers` layers. A key that one layer has answered maybe is
// not asked of another.
BlockedLayers::PieceAnswers BlockedLayers::ask(std::size_t layers, std::span<const Hash128> hashes) const {
  PieceAnswers answers{};
  if (layers == 0) {
    return answers;
  }
  const BlockedKernel& kernel = chosen_blocked_kernel();
  PieceAnswers found;
  std::array<Hash128, kPiece> open;
  std::array<std::uint16_t, kPiece> places;
  std::size_t left = hashes.size();
  std::copy(hashes.begin(), hashes.end(), open.begin());
  std::iota(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(left), std::uint16_t{0});
  for (std::size_t layer = layers; layer-- > 0 && left != 0;) {
    kernel.may_contain_batch(slots_[layer]->table(), std::span(open).first(left), found.data());
    const auto words = std::span(found).first(answer_words(left));
    if (std::all_of(words.begin(), words.end(), [](std::uint64_t word) { return word == 0; })) {
      continue;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left; ++i) {
      if ((found[i / 64] >> (i % 64) & 1) != 0) {
        answers[places[i] / 64U] |= std::uint64_t{1} << (places[i] % 64U);
      } else {
        open[kept] = open[i];
        places[kept++] = places[i];
      }
    }
    left = kept;
  }
  return answers;
}

void BlockedLayers::contains_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  const std::size_t layers = count();
  if (layers == 1 && !hashes.empty()) {
    chosen_blocked_kernel().may_contain_batch(slots_[0]->table(), hashes, answers.data());
    return;
  }
  for (std::size_t first = 0; first < hashes.size(); first += kPiece) {
    const auto piece = hashes.subspan(first, std::min(kPiece, hashes.size() - first));
    const PieceAnswers found = ask(layers, piece);
    std::copy_n(found.begin(), answer_words(piece.size()),
                answers.begin() + static_cast<std::ptrdiff_t>(first / 64));
  }
}

// ---- inserts

BlockedLayers::Outcome BlockedLayers::insert_alone(std::uint64_t hash) {
  if (is_in_first(count() - 1, hash)) {
    return Outcome::kKnown;
  }
  const Outcome outcome = put_in_last(hash);
  return outcome == Outcome::kRefused && grow() ? put_in_last(hash) : outcome;
}

void BlockedLayers::insert_piece(std::span<const Hash128> hashes, std::span<Outcome> outcomes) {
  for (std::size_t done = 0; done < hashes.size();) {
    done += insert_until_growth(hashes.subspan(done), outcomes.subspan(done));
  }
}

// Inserts keys up to the one that needs a next layer, or all, and returns how many. The layers before the
// last are asked for all keys at once. Once there is a new last layer, one more layer stands before it.
std::size_t BlockedLayers::insert_until_growth(std::span<const Hash128> hashes, std::span<Outcome> outcomes) {
  constexpr std::size_t kAhead = 16;
  const std::size_t before = count() - 1;
  const PieceAnswers known = ask(before, hashes);
  const BlockedTable last = slots_[before]->table();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) {
      prefetch_window(place_of(last, hashes[i + kAhead].low));
    }
    const bool is_known = (known[i / 64] >> (i % 64) & 1) != 0;
    outcomes[i] = is_known ? Outcome::kKnown : put_in_last(hashes[i].low);
    if (outcomes[i] == Outcome::kRefused && grow()) {
      return i;
    }
  }
  return hashes.size();
}

// Inserts into the last layer. The outcome is kRefused if the layer is full and does not know the key.
BlockedLayers::Outcome BlockedLayers::put_in_last(std::uint64_t hash) {
  const BlockedKernel& kernel = chosen_blocked_kernel();
  Layer& last = *slots_[count() - 1];
  const std::uint64_t keys = last.keys.load(std::memory_order_relaxed);
  if (keys >= capacity_of(last)) {
    return kernel.one.may_contain(last.table(), hash) ? Outcome::kKnown : Outcome::kRefused;
  }
  if (!kernel.one.insert(last.table(), hash)) {
    return Outcome::kKnown;
  }
  last.keys.store(keys + 1, std::memory_order_relaxed);
  return Outcome::kNew;
}

// Adds a layer of the next step. Returns false if there is no such layer, no memory for it, or no slot.
bool BlockedLayers::grow() {
  const std::size_t layers = count();
  const std::uint32_t step = slots_[layers - 1]->step + 1;
  if (layers == kMostScalableLayers) {
    return false;
  }
  if (planned_step_ != step) {
    const Result<LayerPlan> plan = plan_layer(plan_, step);
    planned_ = plan ? std::optional(plan->shape) : std::nullopt;
    planned_step_ = step;
  }
  if (!planned_ || !layer_may_follow(slots_[layers - 1]->shape.words, planned_->words)) {
    return false;
  }
  auto layer = new_layer(step, *planned_);
  if (!layer) {
    return false;
  }
  slots_[layers] = std::move(*layer);
  count_.store(layers + 1, std::memory_order_release);
  return true;
}

// ---- merging

// Decides where each layer of another filter goes, and allocates what that takes. Only then it changes
// anything.
class BlockedLayers::Merger {
 public:
  explicit Merger(BlockedLayers& into) : into_(into), keys_(into.count()) {
    std::transform(into.slots_.begin(), into.slots_.begin() + static_cast<std::ptrdiff_t>(keys_.size()),
                   keys_.begin(), [](const auto& layer) { return layer->keys.load(); });
  }

  Status take(const Layer& layer) {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const Layer& ours = into_[i];
      if (ours.step == layer.step && ours.shape == layer.shape &&
          layer.keys <= into_.capacity_of(ours) - keys_[i]) {
        joins_.emplace_back(i, &layer);
        keys_[i] += layer.keys;
        return {};
      }
    }
    if (keys_.size() + added_.size() == kMostScalableLayers) {
      return Error::capacity("merge", "expected filters that have at most " +
                                          std::to_string(kMostScalableLayers) +
                                          " layers together, found more");
    }
    BLOOMERY_ASSIGN_OR_RETURN(auto copy, new_layer(layer.step, layer.shape));
    copy->keys = layer.keys.load();
    std::ranges::copy(layer.bits(), copy->words);
    added_.push_back(std::move(copy));
    return {};
  }

  void commit() {
    for (const auto& [i, theirs] : joins_) {
      Layer& ours = *into_.slots_[i];
      std::ranges::transform(ours.bits(), theirs->bits(), ours.words, std::bit_or<>());
      ours.keys = keys_[i];
    }
    const std::size_t count = keys_.size() + added_.size();
    std::move(added_.begin(), added_.end(), into_.slots_.begin() + static_cast<std::ptrdiff_t>(keys_.size()));
    // Among the layers of a step the one with the fewest keys comes last, where it may be filled.
    std::stable_sort(into_.slots_.begin(), into_.slots_.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const auto& a, const auto& b) {
                       return a->step != b->step ? a->step < b->step : a->keys > b->keys;
                     });
    into_.count_ = count;
  }

 private:
  BlockedLayers& into_;
  std::vector<std::uint64_t> keys_;  // keys of our layers, once all layers are joined
  std::vector<std::pair<std::size_t, const Layer*>> joins_;
  std::vector<std::unique_ptr<Layer>> added_;
};

Status BlockedLayers::merge(const BlockedLayers& other) {
  Merger merger(*this);
  for (std::size_t i = 0; i < other.count(); ++i) {
    BLOOMERY_RETURN_IF_ERROR(merger.take(other[i]));
  }
  merger.commit();
  return {};
}

// ---- bytes

std::uint64_t BlockedLayers::byte_size() const {
  const std::size_t layers = count();
  std::uint64_t bytes = layer_front_bytes(layers);
  for (std::size_t i = 0; i < layers; ++i) {
    bytes += slots_[i]->bits().size_bytes();
  }
  return bytes;
}

std::vector<LayerEntry> BlockedLayers::entries() const {
  std::vector<LayerEntry> entries;
  for (std::size_t i = 0; i < count(); ++i) {
    entries.push_back({.step = slots_[i]->step,
                       .shape = slots_[i]->shape,
                       .keys = slots_[i]->keys.load(std::memory_order_relaxed)});
  }
  return entries;
}

SegmentedPayload::Image BlockedLayers::image() const {
  const std::vector<LayerEntry> layers = entries();
  Image image;
  image.front = write_layer_front(layers);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    image.pieces.push_back(std::as_bytes(slots_[i]->bits()));
  }
  return image;
}

void BlockedLayers::clear() {
  const std::size_t layers = count();
  count_ = 1;
  std::for_each(slots_.begin() + 1, slots_.begin() + static_cast<std::ptrdiff_t>(layers),
                [](auto& layer) { layer.reset(); });
  Layer& first = *slots_[0];
  first.keys = 0;
  std::fill_n(first.words, first.shape.words, 0);
}

}  // namespace bloomery
