// Reduction modulo a constant by tables, without multiplier.
//
//   r_o = x mod Q,   x = x_i[XBits-1:0] any number of XBits bits (bits above are not read)
//
// XBits is 2 bits(Q) unless given: every product of two numbers of bits(Q) bits may come. Result
// canonical, in [0, Q). Latency ReduceLutLatency = 3, one a cycle, no stall, no reset.
//
// With B = bits(Q):
//   1. The lowest B + 3 bits stay. Each group of five bits above them has a table of
//      group * 2^place mod Q, which is added: s < 2^(B+4), congruent to x. A last group of one bit
//      adds the sparsest number of its class instead of the least one. (Stages 1 and 2.)
//   2. mod_settle: s mod Q. (Stage 3.)
// The proof for all x is in the assertions below, formal/mod_settle_props.sv and
// formal/mod_reduce_lut.smt2; README.md says how they fit together.
module mod_reduce_lut
  import modular_pkg::*;
#(
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3),
  parameter int unsigned XBits = 2 * $clog2(64'(Q) + 1)
) (
  input  logic           clk_i,
  input  logic [2*W-1:0] x_i,
  output logic [W-1:0]   r_o
);

  localparam longint unsigned Modulus = 64'(Q);
  localparam int unsigned B = bits_of(Modulus);
  localparam int unsigned GroupBits = 5;
  localparam int unsigned Rows = 1 << GroupBits;
  localparam int unsigned SumBits = B + SettleBits;
  localparam int unsigned KeptBits = SumBits - 1;
  localparam int unsigned HighBits = XBits - KeptBits;
  localparam int unsigned Groups = (HighBits + GroupBits - 1) / GroupBits;
  localparam int unsigned FirstGroups = (Groups + 1) / 2;  // those of stage 1
  localparam int unsigned LastBits = HighBits - (Groups - 1) * GroupBits;

  if (W > 32 || 64'(Q) < 32) begin : gen_bad_modulus
    $error("mod_reduce_lut: Q = %0d, W = %0d: Q must be 32 or more, W at most 32", Q, W);
  end
  if (XBits > 2 * W || XBits <= KeptBits + GroupBits || Groups > 8) begin : gen_bad_range
    $error("mod_reduce_lut: XBits = %0d is not in %0d..%0d, or above bits(Q) + 43", XBits,
           KeptBits + GroupBits + 1, 2 * W);
  end

  typedef logic [Rows-1:0][SumBits-1:0] table_t;

  // What a group of the value `row` is replaced by. The sum of all groups stays below 2^KeptBits.
  function automatic table_t residues(int unsigned group);
    longint unsigned residue;
    for (int unsigned row = 0; row < Rows; row++) begin
      residue = (64'(row) << (KeptBits + group * GroupBits)) % Modulus;
      if (group == Groups - 1 && LastBits == 1) begin
        residue = (row == 1) ? sparsest(residue, Modulus, (1 << KeptBits) / 32'(Q) - Groups) : 0;
      end
      residues[row] = SumBits'(residue);
    end
  endfunction

  logic [Groups-1:0][GroupBits-1:0] high;
  assign high = (Groups * GroupBits)'(x_i[XBits-1:KeptBits]);

  // Stage 1.
  logic [FirstGroups:0][SumBits-1:0] first;
  assign first[0] = SumBits'(x_i[KeptBits-1:0]);
  for (genvar g = 0; g < FirstGroups; g++) begin : gen_first
    mod_table_add #(.SumBits(SumBits), .IndexBits(GroupBits), .Table(residues(g))) u_add (
      .sum_i  (first[g]),
      .index_i(high[g]),
      .sum_o  (first[g+1])
    );
  end

  logic [SumBits-1:0] first_q;
  logic [Groups-1:FirstGroups][GroupBits-1:0] high_q;
  always_ff @(posedge clk_i) begin
    first_q <= first[FirstGroups];
    high_q  <= high[Groups-1:FirstGroups];
  end

  // Stage 2.
  logic [Groups:FirstGroups][SumBits-1:0] second;
  assign second[FirstGroups] = first_q;
  for (genvar g = FirstGroups; g < Groups; g++) begin : gen_second
    mod_table_add #(.SumBits(SumBits), .IndexBits(GroupBits), .Table(residues(g))) u_add (
      .sum_i  (second[g]),
      .index_i(high_q[g]),
      .sum_o  (second[g+1])
    );
  end

  logic [SumBits-1:0] sum_q;
  always_ff @(posedge clk_i) sum_q <= second[Groups];

  // Stage 3.
  mod_settle #(.W(W), .Q(Q)) u_settle (.clk_i, .s_i(sum_q), .r_o);

  if (2 * W > XBits) begin : gen_unread
    logic unused_high;
    assign unused_high = ^x_i[2*W-1:XBits];
  end

`ifdef FORMAL
  // One step, in whole numbers: the term is congruent to the group (the difference is in Multiples,
  // whose rows are multiples of Q), and the sum does not wrap. Limits are the largest sums.
  typedef logic [63:0] whole_t;

  function automatic whole_t limit_of(int unsigned steps);
    whole_t largest;
    table_t rows;
    limit_of = (64'd1 << KeptBits) - 1;
    for (int unsigned g = 0; g < steps; g++) begin
      largest = 0;
      rows = residues(g);
      for (int unsigned row = 0; row < (g == Groups - 1 ? 1 << LastBits : Rows); row++) begin
        if (whole_t'(rows[row]) > largest) largest = whole_t'(rows[row]);
      end
      limit_of += largest;
    end
  endfunction

  function automatic logic [Rows-1:0][63:0] multiples_of(int unsigned group);
    table_t rows;
    rows = residues(group);
    for (int unsigned row = 0; row < Rows; row++) begin
      multiples_of[row] = ((64'(row) << (KeptBits + group * GroupBits)) - whole_t'(rows[row]))
                          / Modulus * Modulus;
    end
  endfunction

  // The pipeline has no feedback: two cycles on from any state, both of its registers hold what
  // came from some x.
  logic first_known_q = 1'b0, sum_known_q = 1'b0;
  logic [SumBits-1:0] first_past_q, second_past_q;
  logic [Groups-1:FirstGroups][GroupBits-1:0] high_past_q;
  always_ff @(posedge clk_i) begin
    first_known_q <= 1'b1;
    sum_known_q <= first_known_q;
    first_past_q <= first[FirstGroups];
    high_past_q <= high[Groups-1:FirstGroups];
    second_past_q <= second[Groups];
  end

  always_comb begin
    assert (whole_t'(first[0]) == (whole_t'(x_i) & ((64'd1 << KeptBits) - 1)));
    assert (limit_of(Groups) < (64'd1 << SumBits));
    if (first_known_q) assert (first_q == first_past_q && high_q == high_past_q);
    if (sum_known_q) assert (sum_q == second_past_q);
  end

  for (genvar g = 0; g < Groups; g++) begin : gen_proof
    localparam table_t Table = residues(g);
    localparam logic [Rows-1:0][63:0] Multiples = multiples_of(g);
    localparam int unsigned Place = KeptBits + g * GroupBits;
    localparam whole_t Mask = (64'd1 << (g == Groups - 1 ? LastBits : GroupBits)) - 1;
    logic [SumBits-1:0] lower, upper;
    logic [GroupBits-1:0] group;
    logic known;
    if (g < FirstGroups) begin : gen_first_step
      assign {lower, upper, group, known} = {first[g], first[g+1], high[g], 1'b1};
    end else begin : gen_second_step
      assign {lower, upper, group, known} = {second[g], second[g+1], high_q[g], first_known_q};
    end
    whole_t place;
    assign place = whole_t'(group) << Place;
    always_comb begin
      // The group is those bits of x.
      assert (whole_t'(high[g]) == ((whole_t'(x_i) >> Place) & Mask));
      if (known) begin
        assert (whole_t'(Table[group]) + Multiples[group] == place);
        assert (whole_t'(upper) == whole_t'(lower) + whole_t'(Table[group]));
        assert (whole_t'(lower) <= limit_of(g) && whole_t'(upper) <= limit_of(g + 1));
      end
    end
  end
`endif

endmodule
