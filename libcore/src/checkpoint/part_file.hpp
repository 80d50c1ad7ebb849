// The file of one rank's tables. HDF5 lays it out (contiguous datasets, /TABLE/COLUMN) and closes it; the data then
// goes in with plain large writes, checksummed block by block while a block is in the cache. Reading takes no HDF5 at
// all: the record says where everything is.
//
// All functions are local.
#pragma once

#include <string>

#include <hdf5.h>

#include "core/checkpoint/table.hpp"
#include "core/hdf5.hpp"
#include "record.hpp"

namespace core::checkpoint {

/// "part-00003.h5"
[[nodiscard]] std::string part_name(int part);

/// HDF5's type for elements; opaque ones are HDF5's opaque bytes.
[[nodiscard]] hdf5::Datatype hdf5_type(const ElementType& type);

/// Writes `tables` into `directory` as part number `part`, synced and under its final name. Throws core::Error.
[[nodiscard]] PartRecord write_part(const std::string& directory, int part, const Part& tables);

/// Reads a part and verifies all of it. Throws core::Error naming the file, and the dataset where it is one's fault.
[[nodiscard]] Part read_part(const std::string& directory, const PartRecord& record);

} // namespace core::checkpoint
