// Verilator's runtime would end the process on $stop, $fatal and a failed assertion; a library must
// not. Compiled once, with VL_USER_STOP and VL_USER_FATAL.
#include <string>

#include "fault.h"
#include "verilated.h"

static void raise(const char* file, int line, const char* scope, const char* message) {
    throw SimFault(std::string(message && *message ? message : "assertion failed") + " (" + file +
                   ":" + std::to_string(line) + ", " + scope + ")");
}

void vl_stop(const char* file, int line, const char* scope) VL_MT_UNSAFE {
    raise(file, line, scope, "assertion failed");
}

void vl_fatal(const char* file, int line, const char* scope, const char* message) VL_MT_UNSAFE {
    raise(file, line, scope, message);
}
