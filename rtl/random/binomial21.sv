// Centred binomial sample: the bits 0..20 counted less the bits 21..41, in two stages.
//
//   e_o = popcount(bits_i[20:0]) - popcount(bits_i[41:21]), in [-21, 21]
//       = popcount(bits_i[20:0]) + popcount(~bits_i[41:21]) - 21
//
// Latency 2 cycles, throughput one a cycle. `clear_i` sets both stages to zero bits counted.
module binomial21
  import random_pkg::*;
(
  input  logic        clk_i,
  input  logic        clear_i,
  input  logic [41:0] bits_i,
  output binomial_t   e_o
);

  localparam int unsigned Groups = 2 * CountedBits / 6;

  // Six bits to their number: three six-input tables.
  function automatic logic [2:0] count6(logic [5:0] bits);
    return 3'(bits[0]) + 3'(bits[1]) + 3'(bits[2]) + 3'(bits[3]) + 3'(bits[4]) + 3'(bits[5]);
  endfunction

  logic [2*CountedBits-1:0] counted;
  assign counted = {~bits_i[2*CountedBits-1:CountedBits], bits_i[CountedBits-1:0]};

  // Digits of weight 1, 2 and 4 of the seven counts.
  logic [Groups-1:0] ones_q, twos_q, fours_q;
  for (genvar g = 0; g < Groups; g++) begin : gen_count
    always_ff @(posedge clk_i) begin
      if (clear_i) {fours_q[g], twos_q[g], ones_q[g]} <= '0;
      else {fours_q[g], twos_q[g], ones_q[g]} <= count6(counted[6*g+:6]);
    end
  end

  function automatic logic [2:0] count7(logic [6:0] bits);
    return count6(bits[5:0]) + 3'(bits[6]);
  endfunction

  binomial_t e_q;
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      e_q <= '0;
    end else begin
      e_q <= binomial_t'({3'b0, count7(ones_q)} + {2'b0, count7(twos_q), 1'b0} +
                         {1'b0, count7(fours_q), 2'b0} - 6'(CountedBits));
    end
  end
  assign e_o = e_q;

`ifdef FORMAL
  // In two pieces, from any state of the registers: the digits are the counts of six bits, and the
  // sample is the sum of all counts less 21. Together they are the definition.
  logic [41:0] counted_q;
  logic [Groups-1:0] ones_past_q, twos_past_q, fours_past_q;
  logic clear_q, known_q = 1'b0;
  always_ff @(posedge clk_i) begin
    known_q <= 1'b1;
    clear_q <= clear_i;
    counted_q <= counted;
    {ones_past_q, twos_past_q, fours_past_q} <= {ones_q, twos_q, fours_q};
  end
  logic signed [7:0] total;
  always_comb begin
    total = -8'(CountedBits);
    for (int g = 0; g < Groups; g++) begin
      total = total + 8'({fours_past_q[g], twos_past_q[g], ones_past_q[g]});
    end
  end
  always_ff @(posedge clk_i) begin
    if (known_q && !clear_q) begin
      for (int g = 0; g < Groups; g++) begin
        assert ({fours_q[g], twos_q[g], ones_q[g]} == count6(counted_q[6*g+:6]));
        assert (count6(counted_q[6*g+:6]) <= 6);
      end
      if (total <= 21) assert (8'(e_q) == total);
    end
    if (known_q && clear_q) assert ({fours_q, twos_q, ones_q} == '0 && e_q == '0);
  end
`endif

endmodule
