// The stored sequence of commands, and a run of it.
//
// A run executes the first `count_i` commands in order and is done when the last one's results are in
// memory. It ends early, with an error, before a command that cannot be run: unknown operation or
// form, level above the highest, modulus switch at level 0 (ErrBadCommand); more transforms than units
// in use (ErrOptionRange); encryption without seed and run counter (ErrNoSeed), or the 17th one
// (ErrTooMany). A run with an encryption spends its run counter, also when it is given up. `cycles_o`
// counts from the start command to done.
//
// Commands leave one a cycle at best; the first one two cycles after `start_i`.
module bgv_program
  import bgv_core_pkg::*;
#(
  parameter int unsigned Levels = 3,
  parameter int unsigned Digits = 2
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        we_i,
  input  logic [5:0]  addr_i,
  input  logic [31:0] data_i,

  input  logic        start_i,
  input  logic        stop_i,       // give up
  input  logic [6:0]  count_i,
  input  logic        options_ok_i,
  input  logic [7:0]  ring_i,         // transform units in use
  input  logic        armed_i,

  output logic        command_valid_o,
  input  logic        command_ready_i,
  output command_t    command_o,
  input  logic        datapath_busy_i,

  output logic        busy_o,
  output logic        done_o,
  output logic        spent_o,
  output logic        err_o,
  output err_e        err_code_o,
  output logic [63:0] cycles_o
);

  localparam logic [6:0] MostCommands = 7'd64;

  logic [5:0] fetch;
  logic [31:0] word;
  sdp_ram #(
    .Width(32),
    .Depth(64)
  ) u_program (
    .clk_i,
    .we_i(we_i),
    .waddr_i(addr_i),
    .wdata_i(data_i),
    .re_i(1'b1),
    .raddr_i(fetch),
    .rdata_o(word)
  );

  typedef enum logic [1:0] {
    StIdle,
    StFetch,   // the word is on its way
    StIssue,
    StDrain
  } state_e;
  state_e state_q;

  logic [6:0] next_q;      // commands issued
  logic [4:0] encrypted_q;
  logic taken, start_ok, used_q;
  command_t command;
  err_e start_code, command_code;

  assign command = command_t'(word);
  assign taken = command_valid_o && command_ready_i;
  assign fetch = taken ? 6'(next_q + 7'd1) : 6'(next_q);

  always_comb begin
    start_code = ErrNone;
    if (count_i == '0 || count_i > MostCommands) start_code = ErrCountRange;
    else if (!options_ok_i) start_code = ErrOptionRange;
  end
  assign start_ok = start_i && start_code == ErrNone;

  logic [3:0] forward, inverse;
  assign forward = forward_transforms(op_e'(command.op), command.form, 4'(Digits));
  assign inverse = inverse_transforms(op_e'(command.op), command.form);

  always_comb begin
    command_code = ErrNone;
    if (!known(op_e'(command.op), command.form) || 32'(command.level) >= Levels ||
        (command.op == OpModSwitch && command.level == '0) ||
        (command.op == OpEncrypt && 32'(command.level) != Levels - 1)) begin
      command_code = ErrBadCommand;
    end else if (8'(forward) + 8'(inverse) > ring_i) begin
      command_code = ErrOptionRange;
    end else if (command.op == OpEncrypt && !armed_i) begin
      command_code = ErrNoSeed;
    end else if (command.op == OpEncrypt && 32'(encrypted_q) == RunPlaintexts) begin
      command_code = ErrTooMany;
    end
  end

  assign command_o = command;
  assign command_valid_o = state_q == StIssue && command_code == ErrNone;
  assign busy_o = state_q != StIdle;
  assign done_o = state_q == StDrain && !datapath_busy_i && !stop_i;
  assign spent_o = used_q && (done_o || stop_i);
  assign err_o = (start_i && start_code != ErrNone && state_q == StIdle) ||
                 (state_q == StIssue && command_code != ErrNone);
  assign err_code_o = state_q == StIdle ? start_code : command_code;

  logic [63:0] cycles_q;
  assign cycles_o = cycles_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || stop_i) begin
      state_q <= StIdle;
      {next_q, encrypted_q, used_q} <= '0;
    end else begin
      unique case (state_q)
        StIdle: if (start_ok) state_q <= StFetch;
        StFetch: state_q <= StIssue;
        StIssue: begin
          if (command_code != ErrNone || (taken && next_q + 7'd1 == count_i)) state_q <= StDrain;
        end
        default: if (done_o) state_q <= StIdle;
      endcase
      if (taken) next_q <= next_q + 7'd1;
      if (taken && command.op == OpEncrypt) begin
        encrypted_q <= encrypted_q + 5'd1;
        used_q <= 1'b1;
      end
      if (done_o) {next_q, encrypted_q, used_q} <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) cycles_q <= '0;
    else if (start_ok && state_q == StIdle) cycles_q <= 64'd1;
    else if (busy_o && !done_o) cycles_q <= cycles_q + 64'd1;
  end

endmodule
