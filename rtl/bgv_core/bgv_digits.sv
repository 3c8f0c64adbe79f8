// One word of a polynomial on its way to the transforms.
//
//   plain (digits_i = 0)   lane j = x_i[j]
//   digits (digits_i = 1)  lane i = digit i of x_i[2], base 2^DigitBits, as a residue modulo Q
//
// Digits of a level's residue c in [0, Q_l). Unsigned: the bit fields of c. Signed: of c centred in
// (-Q_l/2, Q_l/2), each in [-2^(DigitBits-1), 2^(DigitBits-1)) from the lowest; the last one takes what
// is left. Latency bgv_core_pkg::DigitsLatency = 3, one a cycle, no stall, no reset. Level, signed_i and
// digits_i hold still for a polynomial.
module bgv_digits
  import bgv_core_pkg::*;
#(
  parameter int unsigned W = 27,
  parameter int unsigned Q0 = 257,
  parameter int unsigned Q1 = 257,
  parameter int unsigned Q2 = 257,
  parameter int unsigned DigitBits = 13,
  parameter int unsigned Digits = 2,
  parameter int unsigned Lanes = 4
) (
  input  logic                    clk_i,
  input  logic [1:0]              level_i,
  input  logic                    digits_i,
  input  logic                    signed_i,
  input  logic [3:0][W-1:0]       x_i,
  output logic [Lanes-1:0][W-1:0] lane_o
);

  localparam int unsigned Levels = levels(Q1, Q2);
  localparam logic [W-1:0] Q = W'(modulus(2, Q0, Q1, Q2));

  typedef logic signed [W:0] centred_t;

  logic [3:0][W-1:0] plain_q, plain2_q;
  logic digits_q, digits2_q, signed_q;

  // Stage 1: the centred residue.
  logic [3:0][W-1:0] level_modulus;
  for (genvar l = 0; l < 4; l++) begin : gen_level
    assign level_modulus[l] = W'(modulus(l < Levels ? l : Levels - 1, Q0, Q1, Q2));
  end
  centred_t centred_q;
  always_ff @(posedge clk_i) begin
    {plain_q, digits_q, signed_q} <= {x_i, digits_i, signed_i};
    if (signed_i && x_i[2] > level_modulus[level_i] >> 1) begin
      centred_q <= centred_t'({1'b0, x_i[2]}) - centred_t'({1'b0, level_modulus[level_i]});
    end else begin
      centred_q <= centred_t'({1'b0, x_i[2]});
    end
  end

  // Stage 2: digits.
  centred_t digit[Digits];
  centred_t rest [Digits];
  assign rest[0] = centred_q;
  for (genvar i = 0; i < Digits; i++) begin : gen_digit
    if (i < Digits - 1) begin : gen_low
      logic carry;
      assign carry = signed_q && rest[i][DigitBits-1];
      assign digit[i] = centred_t'({1'b0, rest[i][DigitBits-1:0]}) -
                        (carry ? centred_t'(1 << DigitBits) : centred_t'(0));
      assign rest[i+1] = (rest[i] >>> DigitBits) + centred_t'({1'b0, carry});
    end else begin : gen_last
      assign digit[i] = rest[i];
    end
  end

  centred_t digit_q[Digits];
  always_ff @(posedge clk_i) begin
    {plain2_q, digits2_q} <= {plain_q, digits_q};
    digit_q <= digit;
  end

  // Stage 3: residues modulo Q.
  for (genvar j = 0; j < Lanes; j++) begin : gen_lane
    logic [W-1:0] plain, residue;
    if (j < 4) begin : gen_plain
      assign plain = plain2_q[j];
    end else begin : gen_no_plain
      assign plain = '0;
    end
    if (j < Digits) begin : gen_residue
      logic unused_sign;
      assign {unused_sign, residue} = digit_q[j][W] ? digit_q[j] + centred_t'({1'b0, Q})
                                                    : digit_q[j];
    end else begin : gen_none
      assign residue = '0;
    end
    always_ff @(posedge clk_i) lane_o[j] <= digits2_q ? residue : plain;
  end

endmodule
