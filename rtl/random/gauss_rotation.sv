// INSECURE. The baseline of the S-BFV paper's study: rotations of a register, not cut into halves.
//
//   X_r = Rot^(Rotations[r])(state), r = 0..3;  M = ((X_0 + X_1) >> 1 + (X_2 + X_3) >> 1) >> 1
//   sample_o = ((M + 2^(N-6) + 1) >> (N-5)) - 16, in [-16, 16], N = Width
//
// Deviation 5.4 (Width 11, whose register count is that of the paper's table 3) or 4.8 (Width 20,
// the width that the table names). Ports and timing as gauss_lfsr.sv.
// Parameters: Width (11 or 20), Rotations.
module gauss_rotation
  import random_pkg::*;
#(
  parameter int unsigned Width = 11,
  parameter rotations_t Rotations = whole_rotations(Width)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             load_i,
  input  logic [Width-1:0] seed_i,
  output noise_t           sample_o,
  output logic             valid_o,
  input  logic             take_i
);

  localparam int unsigned Shift = Width - OutputBits;

  if (Width != 11 && Width != 20) begin : gen_bad_width
    $error("gauss_rotation: Width = %0d; the baselines have 11 and 20", Width);
  end
  for (genvar r = 1; r < 4; r++) begin : gen_check
    for (genvar other = 0; other < r; other++) begin : gen_pair
      if (32'(Rotations[r]) % Width == 32'(Rotations[other]) % Width) begin : gen_bad_rotation
        $error("gauss_rotation: rotations %0d and %0d of %0d bits are the same", Rotations[r],
               Rotations[other], Width);
      end
    end
  end

  logic loaded_q, valid_q;
  logic step;
  assign step = loaded_q && (!valid_q || take_i);

  logic [Width-1:0] state;
  lfsr #(
    .Width(Width)
  ) u_lfsr (
    .clk_i,
    .load_i,
    .seed_i,
    .step_i(step),
    .state_o(state)
  );

  logic [Width-1:0] rotated[4];
  for (genvar r = 0; r < 4; r++) begin : gen_rotation
    localparam int unsigned K = 32'(Rotations[r]);
    assign rotated[r] = Width'({state, state} >> K);
  end

  logic [Width-1:0] pair_mean[2];
  logic [Width-1:0] mean;
  logic [Width:0] rounded;
  assign pair_mean[0] = Width'(({1'b0, rotated[0]} + {1'b0, rotated[1]}) >> 1);
  assign pair_mean[1] = Width'(({1'b0, rotated[2]} + {1'b0, rotated[3]}) >> 1);
  assign mean = Width'(({1'b0, pair_mean[0]} + {1'b0, pair_mean[1]}) >> 1);
  assign rounded = {1'b0, mean} + (Width + 1)'((1 << (Shift - 1)) + 1);

  noise_t sample_q;
  always_ff @(posedge clk_i) begin
    if (step) sample_q <= noise_t'(rounded >> Shift) - noise_t'(1 << (OutputBits - 1));
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      loaded_q <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      loaded_q <= loaded_q || load_i;
      valid_q <= !load_i && (valid_q || loaded_q);
    end
  end
  assign sample_o = sample_q;
  assign valid_o = valid_q;

`ifndef SYNTHESIS
`ifndef FORMAL
  logic reset_seen_q;  // registers start with anything: nothing holds before the first reset
  initial reset_seen_q = 1'b0;
  always_ff @(posedge clk_i) if (!rst_ni) reset_seen_q <= 1'b1;
  default disable iff (!reset_seen_q || !rst_ni);

  take_of_nothing: assert property (@(posedge clk_i) take_i |-> valid_o);
  sample_range: assert property (@(posedge clk_i)
      valid_o |-> sample_o >= -16 && sample_o <= 16);
`endif
`endif

endmodule
