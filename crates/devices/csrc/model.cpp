// One simulated device behind the functions of sim.h. Compiled once for each model, with
//   MODEL         class that Verilator made
//   MODEL_HEADER  its header
//   MODEL_OPS     name of the exported function
//   MODEL_FST     1 with waveforms
// The top has clk_i, rst_ni, irq_o, an AXI4-Lite slave s_axil_* and an AXI4 slave s_axi_*.
#include "sim.h"

#include <algorithm>
#include <memory>
#include <string>

#include "fault.h"
#include "verilated.h"
#if MODEL_FST
#include "verilated_fst_c.h"
#endif
#include MODEL_HEADER

namespace {

constexpr uint64_t kPatience = 10000;   // cycles without a handshake before a bus counts as hung
constexpr uint64_t kPollEvery = 4096;   // cycles between two looks at a register in `wait`
constexpr uint64_t kPollClear = 64;     // the same for a state that raises no interrupt
constexpr uint32_t kBurst = 256;        // beats
constexpr uint32_t kBorder = 4096;      // bytes; no AXI burst crosses a multiple of it
constexpr int kOutstanding = 2;         // bursts whose responses are still to come

struct Model {
    VerilatedContext context;
    std::unique_ptr<MODEL> top;
#if MODEL_FST
    std::unique_ptr<VerilatedFstC> trace;
#endif
    uint64_t cycles = 0;
    uint32_t idle_per_mille = 0;
    uint64_t random = 1;
    std::string fault;

    explicit Model(uint64_t seed) {
        // Registers start random, so that a design that leans on initial values fails.
        context.randReset(2);
        context.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
        context.traceEverOn(MODEL_FST);
        top = std::make_unique<MODEL>(&context);
        top->clk_i = 0;
        top->rst_ni = 0;
        top->s_axil_awvalid = 0;
        top->s_axil_awprot = 0;
        top->s_axil_wvalid = 0;
        top->s_axil_bready = 0;
        top->s_axil_arvalid = 0;
        top->s_axil_arprot = 0;
        top->s_axil_rready = 0;
        top->s_axi_awvalid = 0;
        top->s_axi_wvalid = 0;
        top->s_axi_bready = 0;
        top->s_axi_arvalid = 0;
        top->s_axi_rready = 0;
        for (int i = 0; i < 4; ++i) cycle();
        top->rst_ni = 1;
        for (int i = 0; i < 2; ++i) cycle();
    }

    ~Model() {
        try {
#if MODEL_FST
            if (trace) trace->close();
#endif
            top->final();
        } catch (const SimFault&) {
            // Nobody is left to hear it.
        }
    }

    // Inputs are set while the clock is low; after `settle` the outputs of this cycle stand.
    void settle() {
        top->clk_i = 0;
        top->eval();
        dump();
    }
    void edge() {
        context.timeInc(1);
        top->clk_i = 1;
        top->eval();
        dump();
        context.timeInc(1);
        ++cycles;
    }
    void cycle() {
        settle();
        edge();
    }
    void dump() {
#if MODEL_FST
        if (trace) trace->dump(context.time());
#endif
    }

    // Whether the master acts in this cycle (xorshift; any generator will do).
    bool acts() {
        if (idle_per_mille == 0) return true;
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return random % 1000 >= idle_per_mille;
    }

    int32_t write32(uint32_t address, uint32_t value) {
        bool aw = false, w = false, aw_done = false, w_done = false;
        for (uint64_t i = 0; i < kPatience; ++i) {
            aw = aw || (!aw_done && acts());
            w = w || (!w_done && acts());
            top->s_axil_awvalid = aw;
            top->s_axil_awaddr = address;
            top->s_axil_wvalid = w;
            top->s_axil_wdata = value;
            top->s_axil_wstrb = 0xf;
            top->s_axil_bready = aw_done && w_done && acts();
            settle();
            const bool aw_now = aw && top->s_axil_awready;
            const bool w_now = w && top->s_axil_wready;
            const bool b_now = top->s_axil_bready && top->s_axil_bvalid;
            const int32_t response = top->s_axil_bresp;
            edge();
            if (aw_now) { aw = false; aw_done = true; top->s_axil_awvalid = 0; }
            if (w_now) { w = false; w_done = true; top->s_axil_wvalid = 0; }
            if (b_now) { top->s_axil_bready = 0; return response; }
        }
        return hang();
    }

    int32_t read32(uint32_t address, uint32_t* value) {
        bool ar = false, ar_done = false;
        for (uint64_t i = 0; i < kPatience; ++i) {
            ar = ar || (!ar_done && acts());
            top->s_axil_arvalid = ar;
            top->s_axil_araddr = address;
            top->s_axil_rready = acts();
            settle();
            const bool ar_now = ar && top->s_axil_arready;
            const bool r_now = top->s_axil_rready && top->s_axil_rvalid;
            const int32_t response = top->s_axil_rresp;
            const uint32_t data = top->s_axil_rdata;
            edge();
            if (ar_now) { ar = false; ar_done = true; top->s_axil_arvalid = 0; }
            if (r_now) { top->s_axil_rready = 0; *value = data; return response; }
        }
        return hang();
    }

    // Beats of the burst that starts at word `first` of `count`.
    static uint32_t beats(uint32_t address, size_t first, size_t count) {
        const uint64_t byte = uint64_t{address} + 4 * first;
        const uint64_t to_border = (kBorder - byte % kBorder) / 4;
        return static_cast<uint32_t>(
            std::min<uint64_t>({kBurst, to_border, static_cast<uint64_t>(count - first)}));
    }

    int32_t write_block(uint32_t address, const uint32_t* words, size_t count) {
        size_t addressed = 0;            // words whose burst has been announced
        size_t sent = 0;                 // words taken
        uint32_t left = 0;               // beats of the present burst
        int outstanding = 0;
        bool aw = false, w = false;
        int32_t worst = 0;
        for (uint64_t quiet = 0; quiet < kPatience; ++quiet) {
            if (!aw && addressed < count && outstanding < kOutstanding) aw = acts();
            if (!w && sent < addressed) w = acts();
            const uint32_t announced = aw ? beats(address, addressed, count) : 0;
            top->s_axi_awvalid = aw;
            if (aw) {
                top->s_axi_awid = 0;
                top->s_axi_awaddr = static_cast<uint32_t>(address + 4 * addressed);
                top->s_axi_awlen = announced - 1;
                top->s_axi_awsize = 2;
                top->s_axi_awburst = 1;
            }
            if (w && left == 0) left = beats(address, sent, count);
            top->s_axi_wvalid = w;
            if (w) {
                top->s_axi_wdata = words[sent];
                top->s_axi_wstrb = 0xf;
                top->s_axi_wlast = left == 1;
            }
            top->s_axi_bready = acts();
            settle();
            const bool aw_now = aw && top->s_axi_awready;
            const bool w_now = w && top->s_axi_wready;
            const bool b_now = top->s_axi_bready && top->s_axi_bvalid;
            const int32_t response = top->s_axi_bresp;
            edge();
            if (aw_now) { aw = false; addressed += announced; ++outstanding; top->s_axi_awvalid = 0; }
            if (w_now) { w = false; ++sent; --left; top->s_axi_wvalid = 0; }
            if (b_now) { --outstanding; worst = std::max(worst, response); }
            if (aw_now || w_now || b_now) quiet = 0;
            if (sent == count && outstanding == 0) { top->s_axi_bready = 0; return worst; }
        }
        return hang();
    }

    int32_t read_block(uint32_t address, uint32_t* words, size_t count) {
        size_t addressed = 0;
        size_t received = 0;
        int outstanding = 0;
        bool ar = false;
        int32_t worst = 0;
        for (uint64_t quiet = 0; quiet < kPatience; ++quiet) {
            if (!ar && addressed < count && outstanding < kOutstanding) ar = acts();
            const uint32_t announced = ar ? beats(address, addressed, count) : 0;
            top->s_axi_arvalid = ar;
            if (ar) {
                top->s_axi_arid = 0;
                top->s_axi_araddr = static_cast<uint32_t>(address + 4 * addressed);
                top->s_axi_arlen = announced - 1;
                top->s_axi_arsize = 2;
                top->s_axi_arburst = 1;
            }
            top->s_axi_rready = acts();
            settle();
            const bool ar_now = ar && top->s_axi_arready;
            const bool r_now = top->s_axi_rready && top->s_axi_rvalid;
            const int32_t response = top->s_axi_rresp;
            const uint32_t data = top->s_axi_rdata;
            const bool last = top->s_axi_rlast;
            edge();
            if (ar_now) { ar = false; addressed += announced; ++outstanding; top->s_axi_arvalid = 0; }
            if (r_now) {
                words[received++] = data;
                worst = std::max(worst, response);
                if (last) --outstanding;
            }
            if (ar_now || r_now) quiet = 0;
            if (received == count) { top->s_axi_rready = 0; return worst; }
        }
        return hang();
    }

    int32_t wait(uint32_t address, uint32_t mask, bool set, uint64_t limit, uint32_t* value) {
        const uint64_t end = cycles + limit;
        for (;;) {
            const int32_t response = read32(address, value);
            if (response != 0 || ((*value & mask) != 0) == set) return response;
            if (cycles >= end) return SIM_TIMEOUT;
            const uint64_t pause = std::min(cycles + (set ? kPollEvery : kPollClear), end);
            while (cycles < pause && !top->irq_o) cycle();
            if (top->irq_o && cycles < end) cycle();  // a cause may be enabled that is not waited for
        }
    }

    int32_t hang() {
        top->s_axil_awvalid = top->s_axil_wvalid = top->s_axil_bready = 0;
        top->s_axil_arvalid = top->s_axil_rready = 0;
        top->s_axi_awvalid = top->s_axi_wvalid = top->s_axi_bready = 0;
        top->s_axi_arvalid = top->s_axi_rready = 0;
        return SIM_HANG;
    }
};

// Runs `body` on a model that has had no fault; keeps the fault it ends with.
template <typename Body>
int32_t guarded(void* handle, Body body) {
    Model& model = *static_cast<Model*>(handle);
    if (!model.fault.empty()) return SIM_FAULT;
    try {
        return body(model);
    } catch (const std::exception& fault) {
        model.fault = fault.what();
        return SIM_FAULT;
    }
}

void* create(uint64_t seed) {
    try {
        return new Model(seed);
    } catch (const std::exception&) {
        return nullptr;
    }
}
void destroy(void* handle) { delete static_cast<Model*>(handle); }
int32_t read32(void* handle, uint32_t address, uint32_t* value) {
    return guarded(handle, [=](Model& m) { return m.read32(address, value); });
}
int32_t write32(void* handle, uint32_t address, uint32_t value) {
    return guarded(handle, [=](Model& m) { return m.write32(address, value); });
}
int32_t read_block(void* handle, uint32_t address, uint32_t* words, size_t count) {
    return guarded(handle, [=](Model& m) { return m.read_block(address, words, count); });
}
int32_t write_block(void* handle, uint32_t address, const uint32_t* words, size_t count) {
    return guarded(handle, [=](Model& m) { return m.write_block(address, words, count); });
}
int32_t wait(void* handle, uint32_t address, uint32_t mask, int32_t set, uint64_t limit,
             uint32_t* value) {
    return guarded(handle, [=](Model& m) { return m.wait(address, mask, set != 0, limit, value); });
}
int32_t step(void* handle, uint64_t count) {
    return guarded(handle, [=](Model& m) {
        for (uint64_t i = 0; i < count; ++i) m.cycle();
        return 0;
    });
}
uint64_t get_cycles(const void* handle) { return static_cast<const Model*>(handle)->cycles; }
void set_idle(void* handle, uint32_t per_mille, uint64_t seed) {
    Model& model = *static_cast<Model*>(handle);
    model.idle_per_mille = std::min(per_mille, 999u);  // at 1000 the bus would stand still
    model.random = seed | 1;
}
const char* get_fault(const void* handle) {
    return static_cast<const Model*>(handle)->fault.c_str();
}
int32_t trace(void* handle, const char* path) {
#if MODEL_FST
    return guarded(handle, [=](Model& m) {
        m.trace = std::make_unique<VerilatedFstC>();
        m.top->trace(m.trace.get(), 99);
        m.trace->open(path);
        return m.trace->isOpen() ? 0 : SIM_HANG;
    });
#else
    (void)handle;
    (void)path;
    return SIM_UNSUPPORTED;
#endif
}

constexpr SimOps kOps = {create, destroy, read32, write32, read_block, write_block, wait,
                         step,   get_cycles, set_idle, get_fault, trace};

}  // namespace

extern "C" const SimOps* MODEL_OPS() { return &kOps; }
