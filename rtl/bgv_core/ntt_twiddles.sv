// The roots of one step, a table for each butterfly.
//
//   stage of index bit p, pair (i, i + 2^p):  w = Psi^reversed(2^(LogN-1-p) + (i >> (p + 1)))
//   inverse stage:                            w = Psi^(n - the same) = -(the forward root)^-1
//
// The exponents of a stage are its odd multiples of 2^p, so that n less an exponent is the exponent of
// the complemented index: one table serves both directions. Butterflies share a root where p >= LogB; for
// the LogB lowest bits each has its own.
//
// Dif (one butterfly only): forward roots of the S-BGV paper's Algorithm 1 instead, of the place within
// its group, pair (i, i + 2^p):  w = Psi^((i mod 2^p) 2^(LogN-p)), which the same table holds.
//
// Latency 2 (address, table), throughput one step a cycle.
module ntt_twiddles #(
  parameter int unsigned LogN = 7,
  parameter int unsigned LogB = 0,
  parameter int unsigned W = 27,
  parameter logic [W-1:0] Q = W'(257 ** 3),
  parameter logic [W-1:0] Psi = W'(3_259_673),
  parameter bit Dif = 1'b0,
  localparam int unsigned B = 1 << LogB,
  localparam int unsigned LogT = LogN - LogB - 1,
  localparam int unsigned PositionWidth = $clog2(LogN)
) (
  input  logic                     clk_i,
  input  logic                     inverse_i,
  input  logic [PositionWidth-1:0] position_i,
  input  logic [LogT-1:0]          step_i,
  output logic [B-1:0][W-1:0]      w_o
);

  if (Dif && LogB != 0) begin : gen_bad_schedule
    $error("ntt_twiddles: Dif with LogB = %0d: it is for LogB = 0", LogB);
  end

  localparam int unsigned T = 1 << LogT;
  localparam int unsigned Depth = (2 + LogB) * T;
  localparam int unsigned AddressWidth = $clog2(Depth);
  typedef logic [AddressWidth-1:0] address_t;

  // Below 2T: the shared root of index `address`. Then T for each of the lowest LogB positions.
  address_t address[LogN];
  logic [LogT-1:0] own_step;  // of its own width: the complement has no bits above
  assign own_step = inverse_i ? ~step_i : step_i;
  for (genvar p = 0; p < LogN; p++) begin : gen_position
    if (p >= LogB) begin : gen_shared
      localparam int unsigned Stage = LogN - 1 - p;
      address_t mask, block;
      assign mask = address_t'((1 << Stage) - 1);
      // The steps' bits above the free ones, which are LogB below p and p itself.
      assign block = address_t'(step_i) >> (p - LogB);
      if (Dif) begin : gen_dif
        address_t place;
        for (genvar b = 0; b < AddressWidth; b++) begin : gen_bit
          assign place[b] = b < p ? step_i[b<p?p-1-b : 0] : 1'b0;
        end
        assign address[p] = inverse_i ? address_t'(1 << Stage) | (~block & mask) : place;
      end else begin : gen_merged
        assign address[p] = address_t'(1 << Stage) | ((inverse_i ? ~block : block) & mask);
      end
    end else begin : gen_own
      assign address[p] = address_t'((2 + p) * T) + address_t'(own_step);
    end
  end

  address_t address_q;
  logic mirror, mirror_q, mirror_table_q;
  if (LogB == 0) begin : gen_no_mirror
    logic unused_step;
    assign unused_step = ^own_step;
    assign mirror = 1'b0;
  end else begin : gen_mirror
    assign mirror = inverse_i && 32'(position_i) < LogB;
  end
  always_ff @(posedge clk_i) begin
    address_q <= address[position_i];
    mirror_q <= mirror;
    mirror_table_q <= mirror_q;
  end

  logic [B-1:0][W-1:0] read_q;
  for (genvar u = 0; u < B; u++) begin : gen_table
    logic [W-1:0] table_q[Depth];

    // A constant for each word: synthesis unrolls the loops of an initial block, and gives up.
    for (genvar a = 0; a < Depth; a++) begin : gen_word
      localparam int unsigned P = a / T - 2;
      localparam int unsigned Index =
          a < 2 * T ? a : (1 << (LogN - 1 - P)) + ((a % T) << (LogB - P)) + (u >> P);
      localparam logic [W-1:0] Root =
          W'(ntt_pkg::power(64'(Psi), ntt_pkg::reversed(Index, LogN), 64'(Q)));
      initial table_q[a] = Root;
    end

    always_ff @(posedge clk_i) read_q[u] <= table_q[address_q];
    // The complement of a lane's share of the index is the share of the opposite lane.
    assign w_o[u] = mirror_table_q ? read_q[B-1-u] : read_q[u];
  end

endmodule
