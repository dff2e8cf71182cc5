// A profile: its text, and each of its lines as a flag.
#include "app/config.hpp"
#include "support/assert.hpp"
#include "support/ini_file.hpp"
#include "tests/fuzz/targets.hpp"

namespace parcelflow::fuzz {

void settings(std::string_view input) {
  const auto read = support::parse_ini(input, "profile.ini");
  PF_ASSERT(!read.fault || !read.fault->text().empty());
  app::config_sources sources;
  while (!input.empty()) {
    const auto end = input.find('\n');
    sources.flags.push_back("--" + std::string(input.substr(0, end)));
    input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
  }
  const auto loaded = app::load_config(sources);
  if (loaded)
    (void)app::show_config(*loaded);
  else
    PF_ASSERT(!loaded.why().detail.empty());
}

} // namespace parcelflow::fuzz
