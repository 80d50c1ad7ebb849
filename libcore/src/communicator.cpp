// Communicators, and the cache of MPI datatypes that lives as long as MPI does.
#include "core/communicator.hpp"

#include <climits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "core/datatype.hpp"
#include "core/error.hpp"
#include "core/fault_tolerance.hpp"
#include "core/node_slots.hpp"

namespace core {

Communicator::Communicator(MPI_Comm handle, bool owned) : handle_(handle), owned_(owned) {
  // The default handler would end the process inside MPI, without a line a user can read.
  check_mpi(MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(handle, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(handle, &size_), "MPI_Comm_size");
}

Communicator Communicator::world() {
  return {MPI_COMM_WORLD, false};
}
Communicator Communicator::adopt(MPI_Comm handle) {
  return {handle, true};
}

Communicator::Communicator(Communicator&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_COMM_NULL)),
      owned_(std::exchange(other.owned_, false)),
      slots_(std::move(other.slots_)),
      rank_(other.rank_),
      size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  if (this != &other) {
    release();
    handle_ = std::exchange(other.handle_, MPI_COMM_NULL);
    owned_ = std::exchange(other.owned_, false);
    slots_ = std::move(other.slots_);
    rank_ = other.rank_;
    size_ = other.size_;
  }
  return *this;
}

Communicator::~Communicator() {
  release();
}

void Communicator::release() noexcept {
  slots_.reset();
  if (!owned_ || handle_ == MPI_COMM_NULL) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Comm_free(&handle_);
  handle_ = MPI_COMM_NULL;
  owned_ = false;
}

Communicator Communicator::duplicate() const {
  MPI_Comm copy = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(handle_, &copy), "MPI_Comm_dup");
  return adopt(copy);
}

Communicator Communicator::split(int color, int key) const {
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(handle_, color, key, &part), "MPI_Comm_split");
  return adopt(part);
}

Communicator Communicator::split_shared() const {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(handle_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  return adopt(node);
}

bool Communicator::use_node_memory() {
  // Larger than what a superstep with a small frontier exchanges; with 64 ranks two slots each are 8 MiB together.
  constexpr std::size_t kSlotBytes = std::size_t{64} << 10;
  slots_.reset();
  if (size_ == 1 || survives_failures()) return false;
  if (split_shared().size() < size_) return false; // the same on all ranks: all on one node, or none has all
  try {
    slots_ = std::make_shared<NodeSlots>(*this, kSlotBytes);
  } catch (const MpiError&) {
    throw;
  } catch (const Error&) {
    return false; // no room, on any rank: MPI serves as well
  }
  return true;
}

bool built_with_ulfm() noexcept {
  // MPICH declares the same names, but its revoke and failure_ack are not to be relied on.
#if defined(OPEN_MPI) && defined(MPIX_ERR_PROC_FAILED)
  return true;
#else
  return false;
#endif
}

namespace {

struct CachedType {
  std::size_t bytes;
  MPI_Datatype type;
};

// A program uses a handful of element sizes: a linear search beats a map.
std::vector<CachedType>& type_cache() {
  static std::vector<CachedType> cache;
  return cache;
}

// MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else: the standard's place for clean-up.
extern "C" int superstep_free_cached_types(MPI_Comm, int, void*, void*) {
  for (CachedType& cached : type_cache()) MPI_Type_free(&cached.type);
  type_cache().clear();
  return MPI_SUCCESS;
}

void free_types_at_finalize() {
  int key = MPI_KEYVAL_INVALID;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, superstep_free_cached_types, &key, nullptr),
            "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
  check_mpi(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");
}

} // namespace

MPI_Datatype bytes_datatype(std::size_t bytes) {
  for (const CachedType& cached : type_cache())
    if (cached.bytes == bytes) return cached.type;
  if (bytes == 0 || bytes > static_cast<std::size_t>(INT_MAX))
    throw Error(fmt::format("no MPI datatype for elements of {} bytes", bytes));
  if (type_cache().empty()) free_types_at_finalize();
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type), "MPI_Type_contiguous");
  check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
  type_cache().push_back({bytes, type});
  return type;
}

} // namespace core
