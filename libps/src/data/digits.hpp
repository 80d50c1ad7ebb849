// Where the handwritten digits lie.
#pragma once

#include <string>

namespace ps {

/// The image file of the training part: in $SUPERSTEP_DIGITS if that is set, else in ../shared/data/digits, else in
/// ./digits, packed or not. Throws InputError that names the places. Local.
[[nodiscard]] std::string find_digits();

} // namespace ps
