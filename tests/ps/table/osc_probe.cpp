// Can the one-sided component that the environment asks for run on this machine? Bare MPI, none of our code: a failure
// here is the machine's, and the test is skipped; a failure after this is ours.
#include <cstdint>
#include <cstdio>

#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::int64_t* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate(sizeof(std::int64_t), sizeof(std::int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  *memory = 0;
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::int64_t one = 1;
  MPI_Accumulate(&one, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_SUM, window);
  MPI_Win_flush(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  std::int64_t sum = 0;
  MPI_Get_accumulate(nullptr, 0, MPI_INT64_T, &sum, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_NO_OP, window);
  MPI_Win_flush(0, window);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return sum == size ? 0 : 1;
}
