// INSECURE. Gaussian generator of the S-BFV paper (section IV.G): rotated halves of a register.
//
//   X_r = Rot^(Rotations[r])(state), r = 0..3;  Y_r = (X_r / 2^N + X_r mod 2^N) >> 1, N = Width/2
//   M = ((Y_0 + Y_1) >> 1 + (Y_2 + Y_3) >> 1) >> 1, in [0, 2^N)
//   sample_o = ((M + 2^(N-6) + 1) >> (N-5)) - 16, in [-16, 16]
//
// Mean zero to 2^(3-N), deviation 3.9 (Width 20) or 3.3 (Width 60); README.md gives the reasons of
// every choice. A 20-bit state can be searched: not for noise that must protect anything.
//
// `load_i` takes the state `seed_i` (not zero); `valid_o` rises two cycles later. `sample_o` is the
// sample of that state, then, a sample a cycle, of the next states: the register moves only when
// `take_i` takes a sample. Rotations may not differ by a multiple of N, which would swap halves.
// Parameters: Width (20 or 60), Rotations.
module gauss_lfsr
  import random_pkg::*;
#(
  parameter int unsigned Width = 20,
  parameter rotations_t Rotations = split_rotations(Width)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             load_i,
  input  logic [Width-1:0] seed_i,
  output noise_t           sample_o,
  output logic             valid_o,
  input  logic             take_i
);

  localparam int unsigned N = Width / 2;
  localparam int unsigned Shift = N - OutputBits;

  if (Width != 20 && Width != 60) begin : gen_bad_width
    $error("gauss_lfsr: Width = %0d; the paper has 20 and 60", Width);
  end
  for (genvar r = 1; r < 4; r++) begin : gen_check
    for (genvar other = 0; other < r; other++) begin : gen_pair
      if (32'(Rotations[r]) % N == 32'(Rotations[other]) % N) begin : gen_bad_rotation
        $error("gauss_lfsr: rotations %0d and %0d give the same halves of %0d bits", Rotations[r],
               Rotations[other], N);
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

  logic [N-1:0] half_mean[4];
  for (genvar r = 0; r < 4; r++) begin : gen_rotation
    localparam int unsigned K = 32'(Rotations[r]);
    logic [Width-1:0] rotated;
    assign rotated = Width'({state, state} >> K);
    assign half_mean[r] = N'(({1'b0, rotated[Width-1:N]} + {1'b0, rotated[N-1:0]}) >> 1);
  end

  logic [N-1:0] pair_mean[2];
  logic [N-1:0] mean;
  logic [N:0] rounded;
  assign pair_mean[0] = N'(({1'b0, half_mean[0]} + {1'b0, half_mean[1]}) >> 1);
  assign pair_mean[1] = N'(({1'b0, half_mean[2]} + {1'b0, half_mean[3]}) >> 1);
  assign mean = N'(({1'b0, pair_mean[0]} + {1'b0, pair_mean[1]}) >> 1);
  assign rounded = {1'b0, mean} + (N + 1)'((1 << (Shift - 1)) + 1);

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
