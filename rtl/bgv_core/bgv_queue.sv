// A queue of 2^LogDepth words, first in first out. `data_o` is the oldest while `valid_o`; `pop_i` takes it.
module bgv_queue #(
  parameter int unsigned Width = 8,
  parameter int unsigned LogDepth = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  output logic             room_o,
  output logic             valid_o,
  output logic [Width-1:0] data_o,
  input  logic             pop_i
);

  typedef logic [LogDepth:0] count_t;
  logic [(1<<LogDepth)-1:0][Width-1:0] word_q;
  count_t pushed_q, popped_q;
  assign room_o = count_t'(pushed_q - popped_q) != count_t'(1 << LogDepth);
  assign valid_o = pushed_q != popped_q;
  assign data_o = word_q[popped_q[LogDepth-1:0]];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {pushed_q, popped_q} <= '0;
    end else begin
      if (push_i) pushed_q <= pushed_q + 1'b1;
      if (pop_i) popped_q <= popped_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (push_i) word_q[pushed_q[LogDepth-1:0]] <= data_i;

`ifndef SYNTHESIS
  a_push_room :
  assert property (@(posedge clk_i) disable iff (!rst_ni) push_i |-> room_o);
  a_pop_valid :
  assert property (@(posedge clk_i) disable iff (!rst_ni) pop_i |-> valid_o);
`endif

endmodule
