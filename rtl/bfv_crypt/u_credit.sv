// Tells whether the coefficient of `u` that the next step needs has been drawn already.
//
// The sampler counts the coefficients that are written and not freed. A coefficient is *taken* when
// the product that it begins uses it for the first time (even periods) and *freed* two periods
// later, when the plaintext's second product has used it for the last time. With
//     ahead = taken - freed
// the next coefficient is there when count > ahead. Frees reach the sampler's count some cycles
// later; `ahead` falls later still, so that the answer errs on the safe side only.
//
// Latency: `avail_o` belongs to the step of the next cycle's address, registered here to go with
// the data read from that address. Parameters: LogN = log2 of the ring degree, 4 to 12.
module u_credit #(
  parameter int unsigned LogN = 10
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic            restart_i,
  input  logic            take_i,     // this step uses a coefficient for the first time
  input  logic            free_i,     // this step uses a coefficient for the last time
  input  logic            need_i,     // the next step will take one
  input  logic            fresh_i,    // the sampler's numbers belong to this run
  input  logic [LogN+1:0] u_count_i,  // 0 .. 2n

  output logic            avail_o,    // this step may be made
  output logic            u_free_o
);

  if (LogN < 4 || LogN > 12) begin : gen_bad_log_n
    $error("u_credit: LogN = %0d is not between 4 and 12", LogN);
  end

  localparam int unsigned FreeDelay = 3;

  logic [FreeDelay-1:0] free_q;
  logic [LogN+1:0]      ahead_q, ahead_d;

  assign ahead_d = ahead_q + (LogN+2)'(take_i) - (LogN+2)'(free_q[FreeDelay-1]);
  assign u_free_o = free_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || restart_i) begin
      free_q <= '0;
      ahead_q <= '0;
    end else begin
      free_q <= {free_q[FreeDelay-2:0], free_i};
      ahead_q <= ahead_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) avail_o <= 1'b0;
    else avail_o <= !need_i || (fresh_i && u_count_i > (restart_i ? '0 : ahead_d));
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) ahead_q <= (LogN+2)'(3 << LogN));
`endif

endmodule
