// Turns one parallel result of n words into n words, one a cycle.
//
// word_i with valid_i in cycle 0; word_i[k] on word_o with valid_o in cycle 1 + k. Results may
// follow each other every n cycles or more slowly; a result that comes sooner would be lost
// (asserted). Latency 1 to the first word. flush_i gives up the result in progress.
module mini_scatter #(
  parameter int unsigned LogN = 4,
  parameter int unsigned Width = 64,
  localparam int unsigned N = 1 << LogN
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    flush_i,
  input  logic                    valid_i,
  input  logic [N-1:0][Width-1:0] word_i,
  output logic                    valid_o,
  output logic [Width-1:0]        word_o
);

  logic [N-1:0][Width-1:0] word_q;
  logic [LogN-1:0]         left_q;  // words after the present one
  logic                    valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || flush_i) begin
      left_q  <= '0;
      valid_q <= 1'b0;
    end else if (valid_i) begin
      left_q  <= '1;
      valid_q <= 1'b1;
    end else begin
      if (left_q != '0) left_q <= left_q - 1'b1;
      else valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (flush_i) word_q <= '0;
    else if (valid_i) word_q <= word_i;
    // Zeros follow the last word, so nothing of it stays.
    else word_q <= {{Width{1'b0}}, word_q[N-1:1]};
  end

  assign valid_o = valid_q;
  assign word_o  = word_q[0];

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni || flush_i)
                   valid_i |-> !valid_q || left_q == '0)
    else $error("mini_scatter: a result came %0d words too soon", left_q);
`endif

endmodule
