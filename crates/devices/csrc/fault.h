// How a failed assertion of the RTL leaves the model: as an exception, not by abort().
#pragma once

#include <stdexcept>

struct SimFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};
