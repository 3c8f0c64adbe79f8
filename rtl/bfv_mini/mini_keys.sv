// The public key (p0, p1) of the encryptor, and which keys may be used.
//
// we_i writes data_i to coefficient addr_i[3:0] of p0 (addr_i[4] = 0) or p1 (1); the caller keeps
// addr_i[3:0] below n. A write takes back `public_o` until key_loaded_i; clear_i wipes the key and
// takes back both. The secret's codes live in the register file, which wipes them on the same
// pulse.
module mini_keys
  import bfv_mini_pkg::*;
#(
  parameter int unsigned LogN = 4,
  localparam int unsigned N = 1 << LogN
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           clear_i,
  input  logic           key_loaded_i,
  input  logic           secret_loaded_i,
  input  logic           we_i,
  input  logic [4:0]     addr_i,
  input  coeff_t         data_i,
  output logic           public_o,
  output logic           secret_o,
  output coeff_t [N-1:0] p0_o,
  output coeff_t [N-1:0] p1_o
);

  coeff_t [N-1:0] p0_q, p1_q;
  logic public_q, secret_q;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      p0_q <= '0;
      p1_q <= '0;
    end else if (we_i) begin
      if (addr_i[4]) p1_q[addr_i[LogN-1:0]] <= data_i;
      else p0_q[addr_i[LogN-1:0]] <= data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      public_q <= 1'b0;
      secret_q <= 1'b0;
    end else begin
      if (we_i) public_q <= 1'b0;
      else if (key_loaded_i) public_q <= 1'b1;
      if (secret_loaded_i) secret_q <= 1'b1;
    end
  end

  assign public_o = public_q;
  assign secret_o = secret_q;
  assign p0_o = p0_q;
  assign p1_o = p1_q;

  if (LogN < 4) begin : gen_unused
    logic unused_addr;
    assign unused_addr = ^addr_i[3:LogN];
  end

endmodule
