// The sequencer never gets stuck: a run ends R + Delay cycles after its start, for R = n count
// words and a pipeline of Delay cycles from read to write, and a wipe after 64n; in between it is
// always at the place that these numbers say. Delay is the pipeline's, played here: it is fixed,
// and only moves the end of a run (device_cycles of the package).
//
// Counters say where the sequencer must be, so that induction can go from each cycle to the next.
module mini_sequencer_props
  import bfv_mini_pkg::*;
#(
  parameter int unsigned LogN = 1,
  parameter int unsigned Delay = 4,
  localparam int unsigned AddrBits = LogN + LogMaxItems
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 start_i,
  input logic                 soft_reset_i,
  input logic                 clear_i,
  input logic [CountBits-1:0] count_i,
  input logic                 key_i
);

  logic rd_en_o, rd_valid_o, wipe_o, flush_o, busy_o, done_o, err_o;
  logic [AddrBits-1:0] rd_addr_o, wr_addr_o;
  err_e err_code_o;
  logic [63:0] cycles_o;

  // Reads on their way to the output memories.
  logic [Delay-1:0] pipe_q;

  mini_sequencer #(.LogN(LogN)) u_dut (
    .clk_i, .rst_ni, .start_i, .soft_reset_i, .clear_i, .count_i, .key_i,
    .rd_en_o, .rd_addr_o, .rd_valid_o, .wr_valid_i(pipe_q[Delay-1]), .wr_addr_o, .wipe_o, .flush_o,
    .busy_o, .done_o, .err_o, .err_code_o, .cycles_o
  );

  logic known_q = 1'b0;
  logic drain, count_ok;
  logic [AddrBits:0] words, first;
  logic [AddrBits+1:0] busy_q;   // cycles since busy_o rose, or since the last clear

  assign drain = busy_o && !rd_en_o && !wipe_o;
  assign count_ok = count_i >= 1 && count_i <= CountBits'(MaxItems);
  assign words = {1'b0, u_dut.last_q} + 1'b1;
  assign first = words < (AddrBits+1)'(Delay) ? words : (AddrBits+1)'(Delay);

  always_comb if (!known_q) assume (!rst_ni);

  always_ff @(posedge clk_i) begin
    known_q <= 1'b1;
    if (!rst_ni) begin
      pipe_q <= '0;
      busy_q <= '0;
    end else begin
      pipe_q <= flush_o ? '0 : {pipe_q[Delay-2:0], rd_en_o};
      busy_q <= busy_o && !clear_i ? busy_q + 1'b1 : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (known_q && rst_ni) begin
      // Where it is. The write address stands at 0 until the first result, Delay cycles on.
      if (!busy_o) assert (pipe_q == '0);
      if (rd_en_o) begin
        assert (rd_addr_o <= u_dut.last_q && busy_q == (AddrBits+2)'(rd_addr_o));
        assert (pipe_q == Delay'((32'd1 << (busy_q < Delay ? 32'(busy_q) : Delay)) - 1));
      end
      if (drain) begin
        assert (busy_q >= (AddrBits+2)'(words) && 32'(busy_q) < 32'(words) + Delay);
        assert (pipe_q == Delay'(((32'd1 << first) - 1) << (busy_q - (AddrBits+2)'(words))));
      end
      if (rd_en_o || drain) begin
        assert (32'(wr_addr_o) == (busy_q < Delay ? 0 : 32'(busy_q) - Delay));
        assert (cycles_o == 64'(busy_q) + 64'd1);
      end
      if (wipe_o) assert (pipe_q == '0 && busy_q == (AddrBits+2)'(wr_addr_o));
      // When it ends: never later, and a run that is done has written every word.
      if (busy_o) assert (32'(busy_q) < (1 << AddrBits) + Delay);
      if (done_o) assert (cycles_o == 64'(words) + Delay && wr_addr_o == u_dut.last_q);
      if (drain && 32'(busy_q) == 32'(words) + Delay - 1) assert (done_o || flush_o);
      // A start is taken or refused with its reason, never both.
      if (start_i && !busy_o && !clear_i) begin
        assert (err_o == !(count_ok && key_i));
        if (err_o) assert (err_code_o == (count_ok ? ErrNoKey : ErrCountRange));
      end
      if ($past(known_q && rst_ni && start_i && !busy_o && !err_o && !flush_o)) assert (rd_en_o);
      if ($past(known_q && rst_ni && clear_i)) assert (wipe_o && wr_addr_o == '0);
    end
  end

endmodule
