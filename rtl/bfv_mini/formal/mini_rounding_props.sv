// Scaling and rounding, for all sums, messages and errors: the functions of the package that the
// encryptor and the decryptor are made of.
//
//   * the message of a sum x is the nearest multiple of Delta, ties up: x - Delta m in
//     [-Delta/2, Delta/2) modulo q;
//   * decryption undoes encoding for every error a word can hold.
module mini_rounding_props
  import bfv_mini_pkg::*;
#(
  parameter int unsigned LogT = 16
) (
  input logic                   clk_i,
  input coeff_t                 sum_i,
  input logic [MessageBits-1:0] message_i,
  input noise_t                 error_i
);

  localparam int unsigned LogDelta = LogQ - LogT;
  localparam coeff_t Half = coeff_t'(1) << (LogDelta - 1);

  logic [MessageBits-1:0] nearest;
  coeff_t distance;
  assign nearest = quotient(biased(sum_i, LogT), LogT);
  assign distance = sum_i - (coeff_t'(nearest) << LogDelta);

  always_ff @(posedge clk_i) begin
    assert (32'(nearest) < (32'd1 << LogT));
    assert (distance < Half || distance >= -Half);
    assert (quotient(biased(encode(message_i, error_i, LogT), LogT), LogT)
            == MessageBits'(32'(message_i) % (32'd1 << LogT)));
  end

endmodule
