#include "tests/simulation/workers.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

namespace parcelflow::simulation {
namespace {

void write_all(int to, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto n = ::write(to, text.data() + at, text.size() - at);
    if (n <= 0)
      ::_exit(1);
    at += static_cast<std::size_t>(n);
  }
}

std::string read_all(int from) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(from, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  ::close(from);
  return text;
}

} // namespace

std::vector<worker_end>
in_workers(unsigned count,
           const std::function<void(unsigned, const teller&)>& work) {
  struct child {
    pid_t id;
    int from;
  };
  std::fflush(nullptr); // what waits to be printed is printed once
  std::vector<child> children;
  for (unsigned worker = 0; worker < count; ++worker) {
    int ends[2];
    if (::pipe(ends) != 0)
      std::abort();
    const auto id = ::fork();
    if (id < 0)
      std::abort();
    if (id == 0) {
      ::close(ends[0]);
      for (const auto& other : children)
        ::close(other.from);
      work(worker, [to = ends[1]](const auto& text) { write_all(to, text); });
      ::_exit(0);
    }
    ::close(ends[1]);
    children.push_back({id, ends[0]});
  }
  // Each is read by a thread of its own: none waits for another's full pipe.
  std::vector<worker_end> ended(children.size());
  std::vector<std::jthread> readers;
  for (std::size_t i = 0; i < children.size(); ++i)
    readers.emplace_back([&to = ended[i], of = children[i]] {
      to.text = read_all(of.from);
      ::waitpid(of.id, &to.status, 0);
    });
  readers.clear();
  return ended;
}

} // namespace parcelflow::simulation
