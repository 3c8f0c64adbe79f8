// The transform units, what comes to each and what each gives.
//
// A unit takes its polynomial from a lane of the loader (forward) or of the products (inverse), by the
// masks and lanes given; `forward_valid_i` and `inverse_valid_i` mark the beats of all lanes of a side.
// Outputs and requests are those of ntt_unit, unit by unit.
module bgv_pool #(
  parameter int unsigned LogN = 7,
  parameter int unsigned LogB = 0,
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3),
  parameter logic [W-1:0] Psi = W'(3_259_673),
  parameter int unsigned Units = 7,
  parameter int unsigned Lanes = 4,
  localparam int unsigned Banks = 2 << LogB,
  localparam int unsigned LaneWidth = $clog2(Lanes)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  input  logic [Units-1:0]                     forward_units_i,
  input  logic [Units-1:0][LaneWidth-1:0]      forward_lane_i,
  input  logic                                 forward_valid_i,
  input  logic [Lanes-1:0][Banks-1:0][W-1:0]   forward_i,

  input  logic [Units-1:0]                     inverse_units_i,
  input  logic [Units-1:0][1:0]                inverse_lane_i,
  input  logic                                 inverse_valid_i,
  input  logic [2:0][Banks-1:0][W-1:0]         inverse_i,

  output logic [Units-1:0]                     can_load_o,
  output logic [Units-1:0]                     can_unload_o,
  output logic [Units-1:0]                     offer_o,
  output logic [Units-1:0]                     oldest_inverse_o,
  input  logic [Units-1:0]                     unload_i,
  input  logic [Units-1:0]                     take_i,
  output logic [Units-1:0]                     valid_o,
  output logic [Units-1:0][Banks-1:0][W-1:0]   beat_o,
  output logic                                 busy_o
);

  logic [Units-1:0] busy;
  assign busy_o = |busy;

  for (genvar u = 0; u < Units; u++) begin : gen_unit
    logic forward, inverse;
    assign forward = forward_units_i[u] && forward_valid_i;
    assign inverse = inverse_units_i[u] && inverse_valid_i;
    ntt_unit #(
      .LogN(LogN),
      .LogB(LogB),
      .W(W),
      .Q(Q),
      .Psi(Psi)
    ) u_unit (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .can_load_o(can_load_o[u]),
      .load_valid_i(forward || inverse),
      .load_inverse_i(inverse),
      .load_i(inverse ? inverse_i[inverse_lane_i[u]] : forward_i[forward_lane_i[u]]),
      .can_unload_o(can_unload_o[u]),
      .unload_i(unload_i[u]),
      .offer_o(offer_o[u]),
      .take_i(take_i[u]),
      .oldest_inverse_o(oldest_inverse_o[u]),
      .unload_valid_o(valid_o[u]),
      .unload_o(beat_o[u]),
      .busy_o(busy[u])
    );
`ifndef SYNTHESIS
    a_one_source :
    assert property (@(posedge clk_i) disable iff (!rst_ni) !(forward && inverse));
`endif
  end

endmodule
