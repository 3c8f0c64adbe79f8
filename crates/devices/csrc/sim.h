// C interface of one simulated device: a table of functions, the same for every model.
//
// Results: 0 to 3 are AXI responses; the negative ones are below. After SIM_FAULT a model answers
// nothing but SIM_FAULT; `fault` says why.
#pragma once

#include <cstddef>
#include <cstdint>

constexpr int32_t SIM_HANG = -1;         // no handshake for kPatience cycles
constexpr int32_t SIM_FAULT = -2;        // an assertion of the RTL failed
constexpr int32_t SIM_UNSUPPORTED = -3;  // built without waveforms
constexpr int32_t SIM_TIMEOUT = -4;      // `wait` has seen its last cycle

struct SimOps {
    void* (*create)(uint64_t seed);  // reset and ready; null when there is no memory
    void (*destroy)(void*);
    // Registers, one 32-bit word each.
    int32_t (*read32)(void*, uint32_t address, uint32_t* value);
    int32_t (*write32)(void*, uint32_t address, uint32_t value);
    // Data window, in bursts of up to 256 words.
    int32_t (*read_block)(void*, uint32_t address, uint32_t* words, size_t count);
    int32_t (*write_block)(void*, uint32_t address, const uint32_t* words, size_t count);
    // Runs until a register has one of the bits of `mask` (`set` is 1) or none of them (0), at most
    // `cycles`. The register is looked at on an interrupt, and now and then.
    int32_t (*wait)(void*, uint32_t address, uint32_t mask, int32_t set, uint64_t cycles,
                    uint32_t* value);
    int32_t (*step)(void*, uint64_t cycles);
    uint64_t (*cycles)(const void*);
    // Holds back each valid and ready of the bus with this probability.
    void (*set_idle)(void*, uint32_t per_mille, uint64_t seed);
    const char* (*fault)(const void*);
    int32_t (*trace)(void*, const char* path);
};
