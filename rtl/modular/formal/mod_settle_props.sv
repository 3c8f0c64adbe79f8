// The last step of the reducers, for every sum: s = r + (a multiple of Q), r below Q.
module mod_settle_props
  import modular_pkg::*;
#(
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3),
  localparam int unsigned SumBits = bits_of(64'(Q)) + SettleBits
) (
  input logic               clk_i,
  input logic [SumBits-1:0] s_i
);

  localparam int unsigned Rows = 1 << (SettleBits + 1);
  typedef logic [SumBits+1:0] whole_t;

  logic [W-1:0] r;
  mod_settle #(.W(W), .Q(Q)) dut (.clk_i, .s_i, .r_o(r));

  // Multiples of Q by the top bits: the largest below the end of the interval.
  function automatic logic [Rows-1:0][SumBits+1:0] multiples();
    for (int unsigned row = 0; row < Rows; row++) begin
      multiples[row] =
          whole_t'((((64'(row) + 1) << (SumBits - SettleBits - 1)) - 1) / 64'(Q) * 64'(Q));
    end
  endfunction
  localparam logic [Rows-1:0][SumBits+1:0] Multiples = multiples();

  logic known_q = 1'b0;
  logic [SumBits-1:0] s_q;
  always_ff @(posedge clk_i) begin
    known_q <= 1'b1;
    s_q <= s_i;
  end

  whole_t multiple, sum;
  assign multiple = Multiples[s_q[SumBits-1-:SettleBits+1]];
  assign sum = whole_t'(r) + multiple;
  always_comb begin
    if (known_q) begin
      assert (r < Q);
      assert (sum == whole_t'(s_q) || sum == whole_t'(s_q) + whole_t'(Q));
    end
  end

endmodule
