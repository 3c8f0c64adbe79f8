// CARRY4 of Xilinx 7 for simulation, in place of the model that comes with Yosys: the same function
// bit by bit. There CO feeds itself as a vector, which Verilator takes for a loop through the whole
// netlist, and then builds a hundred times as much code.
module CARRY4 (
  output wire [3:0] CO,
  output wire [3:0] O,
  input  wire       CI,
  input  wire       CYINIT,
  input  wire [3:0] DI,
  input  wire [3:0] S
);

  wire c0, c1, c2, c3, c4;

  assign c0 = CI | CYINIT;
  assign c1 = S[0] ? c0 : DI[0];
  assign c2 = S[1] ? c1 : DI[1];
  assign c3 = S[2] ? c2 : DI[2];
  assign c4 = S[3] ? c3 : DI[3];
  assign CO = {c4, c3, c2, c1};
  assign O = S ^ {c3, c2, c1, c0};

endmodule
