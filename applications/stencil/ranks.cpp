#include "ranks.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(STENCIL_HAS_MPI)
#include <mpi.h>
#endif

namespace stencil {
namespace {

constexpr int limit_milliseconds = 20'000;  ///< longer than a march waits for planes, so that its sentence is first

/// A socket to another process of this host.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int file) : file_(file) {}
  Socket(Socket&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~Socket() {
    if (file_ >= 0) {
      close(file_);
    }
  }

  void write(const void* from, std::size_t bytes) const {
    const char* next = static_cast<const char*>(from);
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t sent = send(file_, next + done, bytes - done, MSG_NOSIGNAL);
      advance(sent, done);
    }
  }
  void read(void* to, std::size_t bytes) const {
    char* const next = static_cast<char*>(to);
    for (std::size_t done = 0; done < bytes;) {
      pollfd waits{file_, POLLIN, 0};
      if (poll(&waits, 1, limit_milliseconds) == 0) {
        throw LostNeighbour("stencil: another process of this run says nothing; start again from the last checkpoint");
      }
      const ssize_t received = recv(file_, next + done, bytes - done, 0);
      advance(received, done);
    }
  }

 private:
  static void advance(ssize_t moved, std::size_t& done) {
    if (moved > 0) {
      done += static_cast<std::size_t>(moved);
    } else if (moved == 0 || errno != EINTR) {
      throw LostNeighbour("stencil: another process of this run has ended; start again from the last checkpoint");
    }
  }

  int file_ = -1;
};

/// Processes of one host, each with a socket to the first.
class ForkedRanks final : public Ranks {
 public:
  explicit ForkedRanks(int count) : count_(count) {
    for (int rank = 1; rank < count; ++rank) {
      int files[2];
      if (socketpair(AF_UNIX, SOCK_STREAM, 0, files) != 0) {
        throw std::runtime_error(std::string("stencil: no socket between processes: ") + std::strerror(errno));
      }
      const pid_t child = fork();
      if (child < 0) {
        throw std::runtime_error(std::string("stencil: no process for a slab: ") + std::strerror(errno));
      }
      Socket ours(files[0]);
      Socket theirs(files[1]);
      if (child == 0) {
        rank_ = rank;
        children_.clear();
        sockets_.clear();
        sockets_.push_back(std::move(theirs));
        return;
      }
      children_.push_back(child);
      sockets_.push_back(std::move(ours));
    }
  }
  ForkedRanks(const ForkedRanks&) = delete;
  ForkedRanks& operator=(const ForkedRanks&) = delete;
  /// Where this process fails the others end too: they would wait for its planes.
  ~ForkedRanks() override {
    sockets_.clear();
    for (const pid_t child : children_) {
      if (std::uncaught_exceptions() > 0) {
        kill(child, SIGTERM);
      }
      waitpid(child, nullptr, 0);
    }
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int count() const override { return count_; }
  void all_gather(const void* own, std::size_t bytes, void* all) const override {
    const std::size_t all_bytes = bytes * static_cast<std::size_t>(count_);
    if (rank_ != 0) {
      sockets_.front().write(own, bytes);
      sockets_.front().read(all, all_bytes);
      return;
    }
    char* const place = static_cast<char*>(all);
    std::memcpy(place, own, bytes);
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      sockets_[i].read(place + (i + 1) * bytes, bytes);
    }
    for (const Socket& socket : sockets_) {
      socket.write(all, all_bytes);
    }
  }

 private:
  int rank_ = 0;
  int count_;
  std::vector<Socket> sockets_;  ///< of the first to the others; of another to the first
  std::vector<pid_t> children_;
};

#if defined(STENCIL_HAS_MPI)
class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  /// Without its end where this process fails, so that mpirun ends the others.
  ~MpiRanks() override {
    if (std::uncaught_exceptions() == 0) {
      MPI_Finalize();
    }
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int count() const override { return count_; }
  /// MPI's default ends all ranks where one has ended.
  void all_gather(const void* own, std::size_t bytes, void* all) const override {
    if (bytes > INT_MAX) {
      throw std::length_error("stencil: MPI gathers at most 2 GiB of each rank at once; use planes of fewer points");
    }
    const int count = static_cast<int>(bytes);
    MPI_Allgather(own, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD);
  }

 private:
  int rank_ = 0;
  int count_ = 1;
};

/// Whether a launcher of Open MPI, MPICH or Slurm has started this process.
bool is_started_by_mpi() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) {
      return true;
    }
  }
  return false;
}
#endif

}  // namespace

std::unique_ptr<Ranks> fork_ranks(int count) { return std::make_unique<ForkedRanks>(count); }

std::unique_ptr<Ranks> mpi_ranks() {
#if defined(STENCIL_HAS_MPI)
  if (is_started_by_mpi()) {
    return std::make_unique<MpiRanks>();
  }
#endif
  return nullptr;
}

}  // namespace stencil
