// AXI4 slave in front of plain memories: 32-bit words, one beat a cycle in each direction.
//
// A byte address is {region, byte offset}: the top `RegionBits` bits choose a region, each with
// `RegionWords` words from its start and its own direction (`Writable`, `Readable`: one bit a
// region). Bursts: INCR, 4 bytes a beat, 1 to 256 beats; they may run past a 4 KiB border.
//
// SLVERR without any access, for every beat it concerns:
//   * WRAP or FIXED bursts and beats narrower than a word: the whole burst;
//   * a word outside its region, or a region of the other direction; a burst does not wrap;
//   * a write with some but not all strobes (none at all is a beat without effect, as AXI says);
//   * while `busy_i`: the memories belong to the core. Looked at in each beat, not once a burst.
// A refused burst still takes or gives all its beats, so no master waits for ever; refused reads
// give 0. `err_busy_o` and `err_addr_o` pulse in the cycle of a refused beat.
//
// Memory side: `wr_req_o` and `rd_req_o` are taken in the cycle they are high; `rd_data_i` belongs
// to the request `ReadLatency` cycles before. Words are numbered from the start of a region.
//
// Latency: first read beat ReadLatency + 3 cycles after the address was taken; write response 1
// cycle after the last beat. Throughput: one beat a cycle; no bubble between bursts of more than
// one beat. All outputs to the bus come from registers (no path from one channel to another).
// Parameters: AddrWidth (bits of a byte address), RegionBits, RegionWords, Writable, Readable,
// IdWidth, ReadLatency (1 or more).
module axi_mem_window #(
  parameter int unsigned AddrWidth = 19,
  parameter int unsigned RegionBits = 2,
  parameter int unsigned RegionWords = 32768,
  parameter bit [(1<<RegionBits)-1:0] Writable = 'b0011,
  parameter bit [(1<<RegionBits)-1:0] Readable = 'b0100,
  parameter int unsigned IdWidth = 4,
  parameter int unsigned ReadLatency = 1,
  localparam int unsigned WordBits = AddrWidth - RegionBits - 2
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic                 s_axi_awvalid,
  output logic                 s_axi_awready,
  input  logic [IdWidth-1:0]   s_axi_awid,
  input  logic [AddrWidth-1:0] s_axi_awaddr,
  input  logic [7:0]           s_axi_awlen,
  input  logic [2:0]           s_axi_awsize,
  input  logic [1:0]           s_axi_awburst,
  input  logic                 s_axi_wvalid,
  output logic                 s_axi_wready,
  input  logic [31:0]          s_axi_wdata,
  input  logic [3:0]           s_axi_wstrb,
  input  logic                 s_axi_wlast,
  output logic                 s_axi_bvalid,
  input  logic                 s_axi_bready,
  output logic [IdWidth-1:0]   s_axi_bid,
  output logic [1:0]           s_axi_bresp,
  input  logic                 s_axi_arvalid,
  output logic                 s_axi_arready,
  input  logic [IdWidth-1:0]   s_axi_arid,
  input  logic [AddrWidth-1:0] s_axi_araddr,
  input  logic [7:0]           s_axi_arlen,
  input  logic [2:0]           s_axi_arsize,
  input  logic [1:0]           s_axi_arburst,
  output logic                 s_axi_rvalid,
  input  logic                 s_axi_rready,
  output logic [IdWidth-1:0]   s_axi_rid,
  output logic [31:0]          s_axi_rdata,
  output logic [1:0]           s_axi_rresp,
  output logic                 s_axi_rlast,

  output logic                  wr_req_o,
  output logic [RegionBits-1:0] wr_region_o,
  output logic [WordBits-1:0]   wr_addr_o,
  output logic [31:0]           wr_data_o,
  output logic                  rd_req_o,
  output logic [RegionBits-1:0] rd_region_o,
  output logic [WordBits-1:0]   rd_addr_o,
  input  logic [31:0]           rd_data_i,

  input  logic busy_i,
  output logic err_busy_o,
  output logic err_addr_o
);

  if (AddrWidth < RegionBits + 3 || RegionBits == 0) begin : gen_bad_widths
    $error("axi_mem_window: %0d address bits hold no word behind %0d region bits (1 or more)",
           AddrWidth, RegionBits);
  end
  if (RegionWords == 0 || RegionWords > (1 << WordBits)) begin : gen_bad_words
    $error("axi_mem_window: RegionWords %0d is not between 1 and %0d", RegionWords, 1 << WordBits);
  end
  if (ReadLatency == 0) begin : gen_bad_latency
    $error("axi_mem_window: ReadLatency is 0, must be 1 or more");
  end

  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlverr = 2'b10;
  localparam logic [1:0] BurstIncr = 2'b01;
  localparam logic [2:0] SizeWord = 3'd2;

  // A burst that is waiting or in progress. One spare bit in `word` sees it leave the region.
  typedef struct packed {
    logic [IdWidth-1:0]    id;
    logic [RegionBits-1:0] region;
    logic [WordBits:0]     word;
    logic [7:0]            left;    // beats after the present one
    logic                  refused; // the whole burst
  } burst_t;

  // After `RegionWords` the count may stop: a burst that has left its region does not come back.
  function automatic burst_t next_beat(burst_t burst);
    burst_t result = burst;
    if (!burst.word[WordBits]) result.word = burst.word + 1'b1;
    result.left = burst.left - 8'd1;
    return result;
  endfunction

  // ---- writes ----------------------------------------------------------------------------------

  burst_t aw_in, aw_wait_q, aw_q;
  logic   aw_wait_valid_q, aw_valid_q, aw_bad_q;
  logic   w_beat, w_last, aw_load, w_allowed, w_partial, w_bad;

  assign aw_in = '{
    id: s_axi_awid,
    region: s_axi_awaddr[AddrWidth-1-:RegionBits],
    word: {1'b0, s_axi_awaddr[2+:WordBits]},
    left: s_axi_awlen,
    refused: s_axi_awsize != SizeWord || s_axi_awburst != BurstIncr
  };

  // The last beat waits for the response before it to be gone.
  assign s_axi_awready = !aw_wait_valid_q;
  assign s_axi_wready = aw_valid_q && (aw_q.left != '0 || !s_axi_bvalid);
  assign w_beat = s_axi_wvalid && s_axi_wready;
  assign w_last = w_beat && aw_q.left == '0;
  assign aw_load = aw_wait_valid_q && (!aw_valid_q || w_last);

  assign w_allowed = !aw_q.refused && Writable[aw_q.region] && 32'(aw_q.word) < RegionWords;
  assign w_partial = s_axi_wstrb != '0 && s_axi_wstrb != '1;
  assign w_bad = busy_i || !w_allowed || w_partial;

  assign wr_req_o = w_beat && !w_bad && s_axi_wstrb == '1;
  assign wr_region_o = aw_q.region;
  assign wr_addr_o = aw_q.word[WordBits-1:0];
  assign wr_data_o = s_axi_wdata;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_wait_valid_q <= 1'b0;
      aw_valid_q <= 1'b0;
      s_axi_bvalid <= 1'b0;
    end else begin
      if (s_axi_awvalid && s_axi_awready) aw_wait_valid_q <= 1'b1;
      else if (aw_load) aw_wait_valid_q <= 1'b0;
      if (aw_load) aw_valid_q <= 1'b1;
      else if (w_last) aw_valid_q <= 1'b0;
      if (w_last) s_axi_bvalid <= 1'b1;
      else if (s_axi_bready) s_axi_bvalid <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axi_awvalid && s_axi_awready) aw_wait_q <= aw_in;
    if (aw_load) begin
      aw_q <= aw_wait_q;
      aw_bad_q <= 1'b0;
    end else if (w_beat) begin
      aw_q <= next_beat(aw_q);
      aw_bad_q <= aw_bad_q || w_bad;
    end
    if (w_last) begin
      s_axi_bid <= aw_q.id;
      s_axi_bresp <= aw_bad_q || w_bad ? RespSlverr : RespOkay;
    end
  end

  // ---- reads -----------------------------------------------------------------------------------

  // What travels beside a read while the memory answers.
  typedef struct packed {
    logic [IdWidth-1:0] id;
    logic               last;
    logic               bad;
  } read_t;

  // Beats on their way and waiting: as many as a full pipeline needs, so that it never stalls.
  localparam int unsigned FifoBits = $clog2(ReadLatency + 3);
  localparam int unsigned FifoDepth = 1 << FifoBits;

  burst_t ar_in, ar_wait_q, ar_q;
  logic   ar_wait_valid_q, ar_valid_q;
  logic   r_issue, ar_last, ar_load, r_allowed, r_bad, r_pop, r_push;
  logic [FifoBits:0]   r_used_q; // beats issued and not yet taken by the bus
  logic [FifoBits:0]   fifo_count_q;
  logic [FifoBits-1:0] fifo_wr_q, fifo_rd_q;
  logic  [ReadLatency-1:0] pipe_valid_q;
  read_t                   pipe_q [ReadLatency];
  read_t                   fifo_q [FifoDepth];
  logic  [31:0]            fifo_data_q [FifoDepth];

  assign ar_in = '{
    id: s_axi_arid,
    region: s_axi_araddr[AddrWidth-1-:RegionBits],
    word: {1'b0, s_axi_araddr[2+:WordBits]},
    left: s_axi_arlen,
    refused: s_axi_arsize != SizeWord || s_axi_arburst != BurstIncr
  };

  assign s_axi_arready = !ar_wait_valid_q;
  assign r_issue = ar_valid_q && r_used_q < (FifoBits + 1)'(FifoDepth);
  assign ar_last = r_issue && ar_q.left == '0;
  assign ar_load = ar_wait_valid_q && (!ar_valid_q || ar_last);
  assign r_allowed = !ar_q.refused && Readable[ar_q.region] && 32'(ar_q.word) < RegionWords;
  assign r_bad = busy_i || !r_allowed;

  assign rd_req_o = r_issue && !r_bad;
  assign rd_region_o = ar_q.region;
  assign rd_addr_o = ar_q.word[WordBits-1:0];

  assign r_push = pipe_valid_q[ReadLatency-1];
  assign r_pop = s_axi_rvalid && s_axi_rready;
  assign s_axi_rvalid = fifo_count_q != '0;
  assign s_axi_rid = fifo_q[fifo_rd_q].id;
  assign s_axi_rlast = fifo_q[fifo_rd_q].last;
  assign s_axi_rresp = fifo_q[fifo_rd_q].bad ? RespSlverr : RespOkay;
  assign s_axi_rdata = fifo_data_q[fifo_rd_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ar_wait_valid_q <= 1'b0;
      ar_valid_q <= 1'b0;
      pipe_valid_q <= '0;
      r_used_q <= '0;
      fifo_count_q <= '0;
      fifo_wr_q <= '0;
      fifo_rd_q <= '0;
    end else begin
      if (s_axi_arvalid && s_axi_arready) ar_wait_valid_q <= 1'b1;
      else if (ar_load) ar_wait_valid_q <= 1'b0;
      if (ar_load) ar_valid_q <= 1'b1;
      else if (ar_last) ar_valid_q <= 1'b0;
      pipe_valid_q <= ReadLatency'({pipe_valid_q, r_issue});
      r_used_q <= r_used_q + (FifoBits + 1)'(r_issue) - (FifoBits + 1)'(r_pop);
      fifo_count_q <= fifo_count_q + (FifoBits + 1)'(r_push) - (FifoBits + 1)'(r_pop);
      fifo_wr_q <= fifo_wr_q + FifoBits'(r_push);
      fifo_rd_q <= fifo_rd_q + FifoBits'(r_pop);
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axi_arvalid && s_axi_arready) ar_wait_q <= ar_in;
    if (ar_load) ar_q <= ar_wait_q;
    else if (r_issue) ar_q <= next_beat(ar_q);
    pipe_q[0] <= '{id: ar_q.id, last: ar_q.left == '0, bad: r_bad};
    for (int unsigned i = 1; i < ReadLatency; i++) pipe_q[i] <= pipe_q[i-1];
    if (r_push) begin
      fifo_q[fifo_wr_q] <= pipe_q[ReadLatency-1];
      fifo_data_q[fifo_wr_q] <= pipe_q[ReadLatency-1].bad ? '0 : rd_data_i;
    end
  end

  // ---- refusals --------------------------------------------------------------------------------

  assign err_busy_o = (w_beat || r_issue) && busy_i;
  assign err_addr_o = !busy_i && ((w_beat && w_bad) || (r_issue && r_bad));

  // The place of a byte in its word says nothing here: strobes do, and reads give whole words.
  logic unused_address_bits;
  assign unused_address_bits = ^{s_axi_awaddr[1:0], s_axi_araddr[1:0]};
`ifdef SYNTHESIS
  logic unused_wlast;
  assign unused_wlast = s_axi_wlast;
`endif

`ifndef SYNTHESIS
  // Before the first reset nothing is known (simulation only: the initial value is not relied on).
  logic reset_seen_q;
  initial reset_seen_q = 1'b0;
  always_ff @(posedge clk_i) if (!rst_ni) reset_seen_q <= 1'b1;

  // Payloads hold still until they are taken; the FIFO never overflows; the master counts right.
  assert property (@(posedge clk_i) disable iff (!rst_ni || !reset_seen_q)
      s_axi_rvalid && !s_axi_rready |=>
      s_axi_rvalid && $stable({s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast}));
  assert property (@(posedge clk_i) disable iff (!rst_ni || !reset_seen_q)
      s_axi_bvalid && !s_axi_bready |=> s_axi_bvalid && $stable({s_axi_bid, s_axi_bresp}));
  assert property (@(posedge clk_i) disable iff (!rst_ni || !reset_seen_q)
      r_push |-> fifo_count_q < (FifoBits + 1)'(FifoDepth));
  assert property (@(posedge clk_i) disable iff (!rst_ni || !reset_seen_q)
      w_beat |-> s_axi_wlast == (aw_q.left == '0));
`endif

endmodule
