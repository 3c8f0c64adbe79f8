// Gathers n words, one a cycle, into one parallel operand.
//
// Word k of an item (k = 0 first) becomes word_o[k]. valid_o is high for one cycle, the cycle after
// the n-th valid_i; in that cycle word_o is whole, and the first word of the next item may arrive.
// Latency 1 from the last word. Pauses of valid_i are allowed. flush_i forgets a part of an item.
module mini_gather #(
  parameter int unsigned LogN = 4,
  parameter int unsigned Width = 64,
  localparam int unsigned N = 1 << LogN
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    flush_i,
  input  logic                    valid_i,
  input  logic [Width-1:0]        word_i,
  output logic                    valid_o,
  output logic [N-1:0][Width-1:0] word_o
);

  logic [N-1:0][Width-1:0] word_q;
  logic [LogN-1:0]         index_q;
  logic                    valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || flush_i) begin
      index_q <= '0;
      valid_q <= 1'b0;
    end else begin
      if (valid_i) index_q <= index_q + 1'b1;
      valid_q <= valid_i && (&index_q);
    end
  end

  always_ff @(posedge clk_i) begin
    // The wipe goes through here: a flush leaves nothing of an item behind.
    if (flush_i) word_q <= '0;
    else if (valid_i) word_q <= {word_i, word_q[N-1:1]};
  end

  assign valid_o = valid_q;
  assign word_o  = word_q;

endmodule
