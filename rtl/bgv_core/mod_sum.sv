// Sum of several residues modulo Q; combinational, a tree of mod_add.
//
//   sum_o = sum terms_i mod Q;   terms and sum in [0, Q)
module mod_sum #(
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3),
  parameter int unsigned Terms = 2
) (
  input  logic [Terms-1:0][W-1:0] terms_i,
  output logic [W-1:0]            sum_o
);

  logic [Terms-1:0][W-1:0] partial;
  assign partial[0] = terms_i[0];
  for (genvar i = 1; i < Terms; i++) begin : gen_add
    mod_add #(.W(W), .Q(Q)) u_add (.a_i(partial[i-1]), .b_i(terms_i[i]), .r_o(partial[i]));
  end
  assign sum_o = partial[Terms-1];

endmodule
