// Has the results of several transform units come together.
//
// `ready_o`: every unit of `units_i` has finished (`done_i`) or begins its last stage in this cycle
// (`offer_i`). `begin_i` (only when ready) takes all of them: what is offered comes OfferedLatency cycles
// later as it is made, and what waits in a buffer is unloaded so that its first beat comes with the others'.
// If none is offered, that is at once.
module bgv_collect #(
  parameter int unsigned Units = 7,
  parameter int unsigned OfferedLatency = 13  // ntt_pkg::offered_latency
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Units-1:0] units_i,
  input  logic [Units-1:0] done_i,
  input  logic [Units-1:0] offer_i,
  input  logic             begin_i,
  output logic             ready_o,
  output logic [Units-1:0] take_o,
  output logic [Units-1:0] unload_o
);

  localparam int unsigned UnloadLatency = 3;  // ntt_unit
  localparam int unsigned Delay = OfferedLatency - UnloadLatency;

  logic [Units-1:0] offered, waiting, later_q;
  logic [Delay-1:0] past_q;
  assign offered = units_i & offer_i;
  assign waiting = units_i & ~offer_i;
  assign ready_o = (waiting & ~done_i) == '0;
  assign take_o = begin_i ? offered : '0;
  assign unload_o = (begin_i && offered == '0 ? waiting : '0) | (past_q[Delay-1] ? later_q : '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) past_q <= '0;
    else past_q <= {past_q[Delay-2:0], begin_i && offered != '0};
  end
  always_ff @(posedge clk_i) if (begin_i) later_q <= waiting;

`ifndef SYNTHESIS
  a_begin_ready :
  assert property (@(posedge clk_i) disable iff (!rst_ni) begin_i |-> ready_o);
  a_one_at_a_time :
  assert property (@(posedge clk_i) disable iff (!rst_ni) begin_i |-> past_q == '0);
`endif

endmodule
