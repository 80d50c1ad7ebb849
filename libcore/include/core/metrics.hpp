// The stamp that every metrics file carries, so that a number can be traced to what produced it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace core {

/// {version, commit, build_type, build_flags, compiler, native, mpi, ulfm, hostname, started}. Local.
[[nodiscard]] nlohmann::json build_stamp();

/// Writes `document` indented, by AtomicFile. Local; rank 0 calls it. NaN and infinity become null.
void write_json(const std::string& path, const nlohmann::json& document);

} // namespace core
