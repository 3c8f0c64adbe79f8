// Ciphertext buffers: `Buffers` of three parts of T beats, for two readers and one writer.
//
// A beat holds 2B words in the order of coefficient beats (ntt_unit.sv). Both readers see all three
// parts of their buffer; the writer writes the parts of its mask. Reads take one cycle; a read of a beat
// that is written in the same cycle gives the old one. `word_*` writes a single word (the host's way) and
// has the writer's port while `word_we_i`. Contents are undefined until written.
module bgv_memory #(
  parameter int unsigned W = 27,
  parameter int unsigned LogT = 6,
  parameter int unsigned LogBuffers = 3,
  parameter int unsigned Banks = 2,
  localparam int unsigned AddressWidth = LogBuffers + LogT,
  localparam int unsigned BankWidth = $clog2(Banks)
) (
  input  logic                             clk_i,

  input  logic [1:0][AddressWidth-1:0]     read_address_i,
  output logic [1:0][2:0][Banks-1:0][W-1:0] read_o,

  input  logic [2:0]                       write_i,   // parts
  input  logic [AddressWidth-1:0]          write_address_i,
  input  logic [2:0][Banks-1:0][W-1:0]     write_data_i,

  input  logic [2:0]                       word_we_i, // parts
  input  logic [BankWidth-1:0]             word_bank_i,
  input  logic [AddressWidth-1:0]          word_address_i,
  input  logic [W-1:0]                     word_i
);

  logic word;
  assign word = |word_we_i;

  for (genvar part = 0; part < 3; part++) begin : gen_part
    for (genvar k = 0; k < Banks; k++) begin : gen_bank
      logic we;
      assign we = word ? word_we_i[part] && word_bank_i == BankWidth'(k) : write_i[part];
      for (genvar reader = 0; reader < 2; reader++) begin : gen_reader
        sdp_ram #(
          .Width(W),
          .Depth(1 << AddressWidth)
        ) u_ram (
          .clk_i(clk_i),
          .we_i(we),
          .waddr_i(word ? word_address_i : write_address_i),
          .wdata_i(word ? word_i : write_data_i[part][k]),
          .re_i(1'b1),
          .raddr_i(read_address_i[reader]),
          .rdata_o(read_o[reader][part][k])
        );
      end
    end
  end

endmodule
