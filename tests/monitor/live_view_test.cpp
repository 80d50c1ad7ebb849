// The parts of the live view that need no job: bounded curves, Prometheus' text, the server's routes and its port, and
// the story that a restarted job hears. A small client of its own reads what is served.
#include "monitor/live_view.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "core/communicator.hpp"
#include "core/error.hpp"
#include "monitor/history.hpp"
#include "monitor/prometheus.hpp"
#include "monitor/server.hpp"

namespace {

/// A socket; whether it is connected to the port.
std::pair<int, bool> connect_to(int port) {
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  return {s, connect(s, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0};
}

/// The whole answer to GET `path`, headers too; empty if nobody listens.
std::string get(int port, const std::string& path) {
  const auto [s, connected] = connect_to(port);
  std::string answer;
  if (connected) {
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    if (send(s, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
      char buffer[4096];
      for (ssize_t n = 0; (n = read(s, buffer, sizeof buffer)) > 0;) answer.append(buffer, static_cast<std::size_t>(n));
    }
  }
  close(s);
  return answer;
}

std::string body(const std::string& answer) {
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

struct Count {
  int points = 1;
  int last = 0;
  void merge(const Count& later) {
    points += later.points;
    last = later.last;
  }
};

/// A view with one number.
class SmallView final : public monitor::LiveView {
 public:
  explicit SmallView(int port) : LiveView({"127.0.0.1", port}, {{"program", "small"}}) {}
  ~SmallView() override { stop_serving(); }

 private:
  void describe(nlohmann::json& status) const override { status["number"] = 7; }
  void measure(monitor::PrometheusText& text) const override {
    text.gauge("number", "A number.");
    text.sample(7);
  }
};

} // namespace

TEST(History, KeepsEveryPointInABoundedNumberOfEntries) {
  monitor::History<Count> history(8);
  for (int n = 1; n <= 1000; ++n) {
    history.add({1, n});
    int points = 0;
    for (const Count& entry : history.entries()) points += entry.points;
    ASSERT_EQ(points, n);
    ASSERT_LE(history.entries().size(), 8U);
    ASSERT_EQ(history.entries().back().last, n);
    for (std::size_t i = 0; i + 1 < history.entries().size(); ++i)
      ASSERT_EQ(history.entries()[i].points, static_cast<int>(history.stride()));
  }
  EXPECT_EQ(history.stride(), 128U);
  history.clear();
  history.add({1, 5});
  EXPECT_EQ(history.stride(), 1U);
  EXPECT_EQ(history.entries().size(), 1U);
}

TEST(Prometheus, EscapesLabelsAndWritesWhatIsNoNumber) {
  monitor::PrometheusText text;
  text.counter("things_total", "Things.");
  text.sample(3);
  text.sample(0.5, {{"name", "a\"b\\c\nd"}, {"rank", "1"}});
  text.gauge("loss", "Loss.");
  text.sample(std::nan(""));
  text.sample(-INFINITY);
  EXPECT_EQ(text.text(),
            "# HELP superstep_things_total Things.\n# TYPE superstep_things_total counter\nsuperstep_things_total 3\n"
            "superstep_things_total{name=\"a\\\"b\\\\c\\nd\",rank=\"1\"} 0.5\n"
            "# HELP superstep_loss Loss.\n# TYPE superstep_loss gauge\nsuperstep_loss NaN\nsuperstep_loss -Inf\n");
}

TEST(Server, AnswersItsRoutesAndNothingElse) {
  const monitor::Server server({}, {[] { return R"({"a":1})"; }, [] { return "m 1\n"; }});
  ASSERT_GT(server.port(), 0);
  const std::string status = get(server.port(), "/status.json");
  EXPECT_NE(status.find("HTTP/1.1 200"), std::string::npos);
  EXPECT_NE(status.find("Content-Type: application/json"), std::string::npos);
  EXPECT_EQ(body(status), R"({"a":1})");
  const std::string metrics = get(server.port(), "/metrics");
  EXPECT_NE(metrics.find("text/plain; version=0.0.4"), std::string::npos);
  EXPECT_EQ(body(metrics), "m 1\n");
  const std::string page = get(server.port(), "/");
  EXPECT_NE(page.find("text/html"), std::string::npos);
  EXPECT_NE(page.find("</html>"), std::string::npos); // to its end
  EXPECT_EQ(page.find("http://"), std::string::npos); // nothing from elsewhere
  EXPECT_EQ(page.find("https://"), std::string::npos);
  EXPECT_NE(get(server.port(), "/etc/passwd").find("HTTP/1.1 404"), std::string::npos);
}

TEST(Server, APortIsHadByOneAndByTheNextAtOnce) {
  const monitor::Texts texts{[] { return "first"; }, [] { return ""; }};
  int port = 0;
  {
    const monitor::Server first({}, texts);
    port = first.port();
    EXPECT_THROW(monitor::Server({"127.0.0.1", port}, texts), core::InputError);
    EXPECT_EQ(body(get(port, "/status.json")), "first"); // leaves a connection that has just been closed
  }
  const monitor::Server next({"127.0.0.1", port}, {[] { return "next"; }, [] { return ""; }});
  EXPECT_EQ(body(get(port, "/status.json")), "next");
}

TEST(Server, WaitsForAPortThatIsAboutToBeFree) {
  const monitor::Texts texts{[] { return "new"; }, [] { return ""; }};
  auto old = std::make_unique<monitor::Server>(monitor::Endpoint{}, texts);
  const int port = old->port();
  const monitor::Server heir({"127.0.0.1", port}, texts, 20);
  EXPECT_EQ(heir.port(), 0);
  old.reset();
  for (int tries = 0; heir.port() == 0 && tries < 2000; ++tries) usleep(10000);
  ASSERT_EQ(heir.port(), port);
  std::string answer;
  for (int tries = 0; answer.empty() && tries < 500; ++tries, usleep(10000)) answer = get(port, "/status.json");
  EXPECT_EQ(body(answer), "new");
}

TEST(Server, LeavesSignalsAsTheyWere) {
  struct sigaction before {
  }, after{};
  sigaction(SIGPIPE, nullptr, &before);
  {
    const monitor::Server server({}, {[] { return ""; }, [] { return ""; }});
  }
  sigaction(SIGPIPE, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(Server, ASlowClientDoesNotKeepTheJob) {
  std::vector<int> sockets;
  std::atomic<bool> over{false};
  std::thread client;
  const core::Stopwatch watch;
  {
    const monitor::Server server({}, {[] { return ""; }, [] { return ""; }});
    for (int n = 0; n < 6; ++n) { // more than it has threads
      const auto [s, connected] = connect_to(server.port());
      ASSERT_TRUE(connected);
      sockets.push_back(s);
    }
    client = std::thread([&] {
      while (!over) {
        for (const int s : sockets) static_cast<void>(send(s, "G", 1, MSG_NOSIGNAL));
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  const double seconds = watch.seconds();
  over = true;
  client.join();
  for (const int s : sockets) close(s);
  EXPECT_LT(seconds, 4);
}

TEST(Server, SlowClientsDoNotKeepThePageFromOthers) {
  const monitor::Server server({}, {[] { return "here"; }, [] { return ""; }});
  std::vector<int> sockets;
  for (int n = 0; n < 12; ++n) { // more than it has threads
    const auto [s, connected] = connect_to(server.port());
    ASSERT_TRUE(connected);
    sockets.push_back(s);
  }
  std::atomic<bool> over{false};
  std::thread client([&] {
    while (!over) {
      for (const int s : sockets) static_cast<void>(send(s, "G", 1, MSG_NOSIGNAL));
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const core::Stopwatch watch;
  std::string answer;
  while (answer.empty() && watch.seconds() < 20) answer = get(server.port(), "/status.json"); // may be shown out too
  EXPECT_TRUE(answer.ends_with("here"));
  EXPECT_LT(watch.seconds(), 5) << "the slow ones may stay 2 s";
  over = true;
  client.join();
  for (const int s : sockets) close(s);
}

TEST(Server, AnEndlessUrlIsCutOff) {
  const auto resident_megabytes = [] {
    std::ifstream statm("/proc/self/statm");
    long total = 0, resident = 0;
    statm >> total >> resident;
    return resident * sysconf(_SC_PAGESIZE) / 1e6;
  };
  const monitor::Server server({}, {[] { return "here"; }, [] { return ""; }});
  const double before = resident_megabytes();
  const auto [s, connected] = connect_to(server.port());
  ASSERT_TRUE(connected);
  std::string request = "GET /";
  request.resize(std::size_t{1} << 16, 'a');
  const core::Stopwatch watch;
  double most = before;
  bool taken = true;
  while (taken && watch.seconds() < 20) {
    taken = send(s, request.data(), request.size(), MSG_NOSIGNAL) > 0;
    most = std::max(most, resident_megabytes());
  }
  EXPECT_FALSE(taken) << "still taken after " << watch.seconds() << " s";
  EXPECT_LT(most - before, 100);
  close(s);
  EXPECT_EQ(body(get(server.port(), "/status.json")), "here") << "others are served";
}

TEST(LiveView, Rank0ServesAndEventsAreTold) {
  const core::Communicator world = core::Communicator::world();
  SmallView view(0);
  view.serve(world, true);
  const int port = view.port();
  EXPECT_GT(port, 0); // all know it: the next one to serve takes the same
  EXPECT_EQ(view.serves(), world.rank() == 0);
  view.enter_phase("running");
  view.add_event("checkpoint", 40, "written");
  view.add_event("failure", 42, "rank 1 lost \xff"); // no UTF-8
  if (world.rank() == 0) {
    const nlohmann::json status = nlohmann::json::parse(body(get(port, "/status.json")));
    EXPECT_EQ(status.at("program"), "small");
    EXPECT_EQ(status.at("phase"), "running");
    EXPECT_EQ(status.at("number"), 7);
    EXPECT_EQ(status.at("failures"), 1);
    EXPECT_EQ(status.at("checkpoints"), 1);
    ASSERT_EQ(status.at("events").size(), 2U);
    EXPECT_EQ(status.at("events")[0].at("at"), 40);
    EXPECT_NE(body(get(port, "/metrics")).find("\nsuperstep_number 7\n"), std::string::npos);
  }
  core::barrier(world);
}

TEST(LiveView, APortInUseIsRefusedOnAllRanks) {
  const core::Communicator world = core::Communicator::world();
  std::unique_ptr<monitor::Server> other;
  if (world.rank() == 0)
    other =
        std::make_unique<monitor::Server>(monitor::Endpoint{}, monitor::Texts{[] { return ""; }, [] { return ""; }});
  SmallView view(core::broadcast_value(world, other ? other->port() : 0, 0));
  EXPECT_THROW(view.serve(world, true), core::InputError);
}

TEST(LiveView, CheckpointsDoNotPushFailuresOut) {
  SmallView view(0);
  const core::Communicator world = core::Communicator::world();
  view.serve(world, true);
  view.add_event("failure", 1, "rank 1 lost");
  for (std::uint64_t k = 0; k < 1000; ++k) view.add_event("checkpoint", k, "written");
  if (world.rank() == 0) {
    const nlohmann::json status = nlohmann::json::parse(body(get(view.port(), "/status.json")));
    EXPECT_LE(status.at("events").size(), 200U);
    EXPECT_EQ(status.at("events").front().at("kind"), "failure");
    EXPECT_EQ(status.at("events").back().at("at"), 999);
    EXPECT_EQ(status.at("checkpoints"), 1000);
  }
  core::barrier(world);
}

TEST(LiveView, ARestartedJobKnowsWhy) {
  setenv("SUPERSTEP_RESTARTS",
         R"([{"time":100.5,"failure":"rank 2 failed: killed","ranks_before":4,"ranks_after":3,"restart_time":101.5}])",
         1);
  const std::vector<monitor::Event> story = monitor::story_of_restarts();
  ASSERT_EQ(story.size(), 2U);
  EXPECT_EQ(story[0].kind, "failure");
  EXPECT_EQ(story[0].time, 100.5);
  EXPECT_EQ(story[0].text, "rank 2 failed: killed");
  EXPECT_EQ(story[1].kind, "restart");
  EXPECT_EQ(story[1].text, "started again on 3 ranks");
  setenv("SUPERSTEP_RESTARTS", "[{]", 1);
  EXPECT_TRUE(monitor::story_of_restarts().empty());
  setenv("SUPERSTEP_RESTARTS", "[1, {\"time\": \"soon\"}]", 1);
  EXPECT_NO_THROW((void)monitor::story_of_restarts());
  unsetenv("SUPERSTEP_RESTARTS");
}
