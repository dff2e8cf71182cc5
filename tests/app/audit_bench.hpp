// What the damage tests share: a copy of the lab, and what the audit is
// expected to say of it. Each kind of damage is planted in a copy of a store
// that was clean; the audit names the row and the promise that it breaks, and
// nothing else: no row of the other tenant, who lived through the same.
#pragma once

#include "storage/outbox.hpp"
#include "tests/app/audit_lab.hpp"

namespace parcelflow::test::damage {

using domain::audit_rule;
using storage::audit_mode;
using storage::kind;
using storage::owner;

inline constexpr auto fulfillment = domain::fulfillment_consumer;
inline constexpr auto notification = domain::notification_consumer;
inline constexpr auto inventory = domain::inventory_consumer;
inline const std::string t = "tn-a";

/// What the lab left when it was closed; slow to build, so once for all cases.
struct kept_lab {
  kept_lab() {
    audit_lab lab;
    for (const auto& tenant : audit_lab::tenants())
      tenants[tenant] = lab.of(tenant);
    now = lab.engine().clock.now();
    lab.engine().close();
    std::filesystem::copy(lab.engine().settings.data.directory, directory,
                          std::filesystem::copy_options::recursive);
  }
  temp_directory files;
  std::string directory = files / "data";
  std::map<std::string, lab_tenant> tenants;
  unix_ms now = 0;
};

inline const kept_lab& lab() {
  static const kept_lab one;
  return one;
}

struct expected {
  audit_rule rule;
  owner of;
  std::string key;
};

inline std::string line(std::string_view rule, const storage::row_name& row,
                        const std::string& what) {
  std::string text(rule);
  text += " " + row.family + "/" + row.kind + " [" + row.tenant + "]";
  for (const auto& [name, value] : row.key)
    text += " " + name + "=" + value;
  return text + ": " + what + "\n";
}

/// Of which rows and rules there are findings; log rows have no tenant in the
/// key, so it is left out of the comparison and looked at by itself.
inline std::vector<std::string> said(const storage::audit_report& report) {
  std::vector<std::string> lines;
  for (const auto& one : report.findings) {
    auto row = one.row;
    CHECK(row.tenant != "tn-b");
    row.tenant.clear();
    lines.push_back(line(to_string(one.rule), row, ""));
  }
  std::ranges::sort(lines);
  return lines;
}

class bench : public damaged_store {
public:
  bench() : damaged_store(lab().directory) {}

  [[nodiscard]] static const lab_tenant& a() { return lab().tenants.at(t); }

  /// The audit says exactly this, in whatever order.
  void expect(const std::vector<expected>& all,
              audit_mode mode = audit_mode::running) {
    const auto report = audit(lab().now, mode);
    std::vector<std::string> lines;
    for (const auto& one : all) {
      auto row = storage::name_of(one.of, one.key);
      row.tenant.clear();
      lines.push_back(line(to_string(one.rule), row, ""));
    }
    std::ranges::sort(lines);
    std::string text;
    for (const auto& one : report.findings)
      text += line(to_string(one.rule), one.row, one.what);
    CHECK_MESSAGE(said(report) == lines, text);
    CHECK(report.complete);
  }

  domain::order order(const std::string& id) {
    return *domain::decode_order(t, id, get(owner::order, order_key(id)));
  }
  static std::string order_key(const std::string& id) {
    return storage::order_key(t, id);
  }
  static std::string outbox(std::uint64_t position) {
    return storage::outbox_key(storage::the_lane, position);
  }
  static std::string stream(std::string_view consumer, std::string_view a) {
    return storage::stream_key(t, consumer, a);
  }
  void edit_order(const std::string& id, const auto& change) {
    edit(
      owner::order, order_key(id),
      [&](auto bytes) { return domain::decode_order(t, id, bytes); }, change);
  }
  void edit_stream(owner of, std::string_view consumer, std::string_view a,
                   const auto& change) {
    edit(of, stream(consumer, a), domain::decode_stream, change);
  }
  /// The dead letter of a stream of fulfillment.
  domain::dead_letter letter(std::string_view aggregate) {
    std::optional<domain::dead_letter> found;
    const auto prefix = storage::key_writer(kind::dead_letter).text(t).take();
    read().scan(owner::dead_letter, prefix, storage::prefix_end(prefix),
                [&](auto key, auto value) {
                  storage::key_reader in(key);
                  in.text();
                  auto one = domain::decode_dead_letter(t, in.text(), value);
                  REQUIRE(one.ok());
                  if (one->aggregate_id == aggregate
                      && one->consumer == fulfillment)
                    found = *one;
                  return !found;
                });
    REQUIRE(found.has_value());
    return *found;
  }
};

inline std::string letter_key(const domain::dead_letter& of) {
  return storage::dead_letter_key(of.tenant_id, of.dead_letter_id);
}

} // namespace parcelflow::test::damage
