// Addresses of one step: 2B coefficients, read or written, and how they meet the butterflies.
//
//   stage    pairs indices that differ in bit `position_i`; `step_i` counts the steps of the stage
//   bank k   holds one coefficient of the step, at address_o[k]
//   lane u   its first operand comes from bank ways_o[u], its second from bank ways_o[B + u]; the other
//            way, bank k takes result from_o[k] (u the first of lane u, B + u its second)
//
// The coefficients of a step have all values v of LogB + 1 index bits: the bits position_i - LogB ..
// position_i, or the lowest ones where there are not so many below. Combinational.
module ntt_schedule #(
  parameter int unsigned LogN = 7,
  parameter int unsigned LogB = 0,
  localparam int unsigned Digit = LogB + 1,
  localparam int unsigned Banks = 2 << LogB,
  localparam int unsigned LogT = LogN - Digit,
  localparam int unsigned PositionWidth = $clog2(LogN)
) (
  input  logic [PositionWidth-1:0]       position_i,
  input  logic [LogT-1:0]                step_i,
  output logic [Banks-1:0][LogT-1:0]     address_o,
  output logic [Banks-1:0][Digit-1:0]    ways_o,
  output logic [Banks-1:0][Digit-1:0]    from_o
);

  typedef logic [LogN-1:0] index_t;
  typedef logic [Digit-1:0] digit_t;

  function automatic digit_t fold(index_t i);
    digit_t r;
    r = '0;
    for (int unsigned b = 0; b < LogN; b++) r[b%Digit] ^= i[b];
    return r;
  endfunction

  // Everything that depends on the position is made for each one and chosen: shifts are then wires.
  index_t                                    base      [LogN];
  logic   [LogN-1:0][Banks-1:0][LogT-1:0]    address;
  logic   [LogN-1:0][Banks-1:0][Digit-1:0]   ways;
  logic   [LogN-1:0][Banks-1:0][Digit-1:0]   from;

  for (genvar p = 0; p < LogN; p++) begin : gen_position
    // Lowest of the free bits, and what it turns v by among the banks.
    localparam int unsigned Low = p + 1 > Digit ? p + 1 - Digit : 0;
    localparam int unsigned Turn = Low % Digit;
    // The bit of v in which a pair differs.
    localparam int unsigned Pair = p - Low;

    function automatic digit_t turned(digit_t v);
      digit_t r;
      for (int unsigned b = 0; b < Digit; b++) r[(b+Turn)%Digit] = v[b];
      return r;
    endfunction

    function automatic digit_t turned_back(digit_t v);
      digit_t r;
      for (int unsigned b = 0; b < Digit; b++) r[b] = v[(b+Turn)%Digit];
      return r;
    endfunction

    // The steps' bits with room for v.
    for (genvar b = 0; b < LogN; b++) begin : gen_base
      if (b < Low) begin : gen_below
        assign base[p][b] = step_i[b];
      end else if (b < Low + Digit) begin : gen_free
        assign base[p][b] = 1'b0;
      end else begin : gen_above
        assign base[p][b] = step_i[b-Digit];
      end
    end

    for (genvar k = 0; k < Banks; k++) begin : gen_bank
      digit_t v;
      index_t index;
      assign v = turned_back(digit_t'(k) ^ fold(base[p]));
      assign index = base[p] | (index_t'(v) << Low);
      logic [Digit-1:0] unused_low;  // the fold gives these
      assign {address[p][k], unused_low} = index;
      // v without the pair's bit is the lane; the pair's bit says which operand.
      for (genvar b = 0; b < LogB; b++) begin : gen_lane
        assign from[p][k][b] = b < Pair ? v[b] : v[b+1];
      end
      assign from[p][k][LogB] = v[Pair];
    end

    for (genvar u = 0; u < Banks / 2; u++) begin : gen_lane
      localparam int unsigned V = ((u >> Pair) << (Pair + 1)) | (u & ((1 << Pair) - 1));
      assign ways[p][u] = turned(digit_t'(V)) ^ fold(base[p]);
      assign ways[p][Banks/2+u] = turned(digit_t'(V | (1 << Pair))) ^ fold(base[p]);
    end
  end

  assign address_o = address[position_i];
  assign ways_o = ways[position_i];
  assign from_o = from[position_i];

endmodule
