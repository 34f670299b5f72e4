#include "bloomery/guard/guard.h"

#include <utility>

#include "guard/guard_body.h"
#include "guard/random_secret.h"

namespace bloomery::guard {

Write::Write(std::shared_ptr<GuardBody> body, std::string_view key, bool is_insert, bool is_held)
    : body_(std::move(body)), key_(key), is_insert_(is_insert), is_held_(is_held) {}

Write::Write(Write&& other) noexcept = default;

Write& Write::operator=(Write&& other) noexcept {
  if (this != &other) {
    (void)end();
    body_ = std::move(other.body_);
    key_ = std::move(other.key_);
    is_insert_ = other.is_insert_;
    is_held_ = other.is_held_;
  }
  return *this;
}

Write::~Write() {
  (void)end();
}

Status Write::end() {
  const std::shared_ptr<GuardBody> body = std::exchange(body_, nullptr);
  return body == nullptr ? Status() : body->end_write(key_, is_insert_, is_held_);
}

Result<std::unique_ptr<Guard>> Guard::make(std::shared_ptr<FilterSource> source,
                                           std::shared_ptr<ValueCache> cache, Loader loader,
                                           const GuardOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_options(options));
  if (source == nullptr || cache == nullptr || !loader) {
    return Error::invalid_argument("guard", "expected a source, a cache and a loader, found one missing");
  }
  auto body = std::make_shared<GuardBody>(std::move(source), std::move(cache), std::move(loader), options,
                                          random_keyed_hash());
  return std::unique_ptr<Guard>(new Guard(std::move(body)));
}

Guard::Guard(std::shared_ptr<GuardBody> body) : body_(std::move(body)) {}

Guard::~Guard() {
  body_->close();
}

Result<Answer> Guard::get(std::string_view key) {
  return body_->get(key);
}

void Guard::get(std::string_view key, std::function<void(Result<Answer>)> done) {
  if (!body_->options.executor) {
    done(Error::invalid_argument("guard", "expected an executor among the options, found none"));
    return;
  }
  body_->get_later(key, std::move(done));
}

bool Guard::rejects(std::string_view key) const {
  return body_->filter.check(key).verdict == Verdict::kRejected;
}

Write Guard::write(std::string_view key) {
  body_->counters.add(kWrites);
  const bool is_held = body_->filter.writes().begin(key);
  // A failed insert into the source is harmless: the open write makes the key pass.
  (void)body_->filter.source().insert(key);
  body_->forget_absence(key);
  return {body_, key, true, is_held};
}

Write Guard::erase(std::string_view key) {
  body_->counters.add(kWrites);
  body_->forget_absence(key);
  return {body_, key, false, false};
}

void Guard::changed(std::string_view key) {
  body_->forget_absence(key);
}

void Guard::set_mode(GuardMode mode) {
  body_->filter.set_mode(mode);
}

GuardMode Guard::mode() const {
  return body_->filter.mode();
}

void Guard::bypass(std::string_view key) {
  body_->filter.bypass(key);
}

void Guard::end_bypass(std::string_view key) {
  body_->filter.end_bypass(key);
}

GuardState Guard::state() const {
  return state_of(body_->filter.source().completeness(), body_->filter.bound(), machine_now_ns());
}

GuardMetrics Guard::metrics() const {
  return body_->metrics();
}

}  // namespace bloomery::guard
