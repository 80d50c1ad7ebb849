// Whether a run can go on from what a directory holds, and how it tells that it is done: what every kind of job that
// keeps checkpoints asks in the same way.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace core::checkpoint {

/// Makes the checkpoint directory if it is not there. InputError unless it can be read and written. Local.
void require_usable_directory(const std::string& directory);

/// A directory belongs to one program: InputError, naming the other, when it holds checkpoints of another one than
/// `program` ("pregel", "pstrain"). Local.
void refuse_checkpoints_of_others(const std::string& directory, std::string_view program);

/// The first option of `wanted` that was another one when `saved` was written: "--damping was 0.85, now it is 0.9".
/// Both are objects that map options to values; what is null or empty was not given. `before_all` is compared first:
/// where it differs, so do others that follow from it. Nothing if they agree. Local.
[[nodiscard]] std::optional<std::string> first_difference(const nlohmann::json& wanted, const nlohmann::json& saved,
                                                          const std::string& before_all = {});

} // namespace core::checkpoint
