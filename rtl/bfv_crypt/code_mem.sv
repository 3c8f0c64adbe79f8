// The ternary multiplier of decryption (the secret key): written 16 codes a word, read one a cycle.
//
// Latency: 1 cycle. `wipe_i` walks it with zeros (code 0 is +0). Small enough for LUT memory.
// Parameters: LogN = log2 of the number of codes, 4 to 12.
module code_mem
  import bfv_crypt_pkg::*;
#(
  parameter int unsigned LogN = 10,
  localparam int unsigned WordAddrWidth = LogN > 4 ? LogN - 4 : 1
) (
  input  logic                     clk_i,

  input  logic                     we_i,
  input  logic [WordAddrWidth-1:0] waddr_i,
  input  logic [31:0]              wdata_i,

  input  logic                     wipe_i,
  input  logic [WordAddrWidth-1:0] wipe_addr_i,

  input  logic [LogN-1:0]          raddr_i,
  output code_t                    code_o
);

  if (LogN < 4 || LogN > 12) begin : gen_bad_log_n
    $error("code_mem: LogN = %0d is not between 4 and 12", LogN);
  end

  localparam int unsigned Words = 1 << (LogN - 4);

  logic [31:0]              mem[Words];
  logic [31:0]              word;
  logic [WordAddrWidth-1:0] waddr, raddr;

  if (LogN > 4) begin : gen_words
    assign raddr = raddr_i[LogN-1:4];
    assign waddr = wipe_i ? wipe_addr_i : waddr_i;
  end else begin : gen_word
    logic unused_addr;
    assign unused_addr = ^{waddr_i, wipe_addr_i};
    assign raddr = '0;
    assign waddr = '0;
  end

  always_ff @(posedge clk_i) begin
    if (we_i || wipe_i) mem[waddr] <= wdata_i & {32{!wipe_i}};
  end
  assign word = mem[raddr];

  always_ff @(posedge clk_i) code_o <= word[{raddr_i[3:0], 1'b0}+:2];

endmodule
