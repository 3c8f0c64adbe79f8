# Bitstream of bfv_crypt for the PYNQ-Z1 (xc7z020clg400-1).
#
# NOT RUN: there is no Vivado and no board here. What is checked (tests/rtl/test_board.py) is that
# the script is Tcl, reads the file lists, and names ports and addresses that exist. Whether the
# design meets 100 MHz is not known.
#
#     vivado -mode batch -source rtl/boards/pynq_z1/build.tcl [-tclargs FOLDER [MHZ [JOBS]]]
#
# Needs Vivado 2020.1 or later with SmartConnect, and Python 3 with PyYAML for the file lists (the
# variable PYTHON names another). Leaves bfv_crypt.bit and bfv_crypt.hwh, which go to the board side
# by side, and the reports of timing and utilisation in FOLDER (default: target/pynq_z1).

set board [file dirname [file normalize [info script]]]
set root [file normalize [file join $board .. .. ..]]

proc argument {index default} {
  return [expr {$index < [llength $::argv] ? [lindex $::argv $index] : $default}]
}

set out [file normalize [argument 0 [file join $root target pynq_z1]]]
set mhz [argument 1 100]
set jobs [argument 2 2]

# Where the two windows lie, as in the simulated device (cyclotron.devices.sim_device). A segment of
# the processing system has at least 4 KiB.
set register_address 0x40000000
set register_range 4K
set data_address 0x41000000
set data_range 512K

# ---- sources ---------------------------------------------------------------------------------------

# The .core files are the only file lists. Vivado's own Python settings are of no use to another one.
proc sources {root block} {
  set python [expr {[info exists ::env(PYTHON)] ? $::env(PYTHON) : "python3"}]
  set tool [file join $root tools rtl core_files.py]
  set text [exec env -u PYTHONHOME -u PYTHONPATH -u LD_LIBRARY_PATH $python $tool $block]
  return [split [string trim $text] "\n"]
}

file mkdir $out
create_project -force -part xc7z020clg400-1 bfv_crypt [file join $out project]
set files [sources $root boards]
add_files -norecurse $files
foreach file $files {
  if {[file extension $file] eq ".sv"} {
    set_property file_type SystemVerilog [get_files $file]
  }
}
update_compile_order -fileset sources_1

# ---- block design ----------------------------------------------------------------------------------

create_bd_design system

# Memory and pins of the processing system are set up by the board's boot loader, not by this design.
set ps [create_bd_cell -type ip -vlnv xilinx.com:ip:processing_system7 ps7]
apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 \
  -config {make_external "FIXED_IO, DDR" Master Disable Slave Disable} $ps
set_property -dict [list \
  CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ $mhz \
  CONFIG.PCW_USE_M_AXI_GP0 1 \
  CONFIG.PCW_USE_FABRIC_INTERRUPT 1 \
  CONFIG.PCW_IRQ_F2P_INTR 1] $ps

# The name that overlay.py looks for.
create_bd_cell -type module -reference bfv_crypt_pynq bfv_crypt_0

create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset
create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect interconnect
set_property -dict [list CONFIG.NUM_SI 1 CONFIG.NUM_MI 2] [get_bd_cells interconnect]

connect_bd_net [get_bd_pins ps7/FCLK_CLK0] [get_bd_pins ps7/M_AXI_GP0_ACLK] \
  [get_bd_pins reset/slowest_sync_clk] [get_bd_pins interconnect/aclk] \
  [get_bd_pins bfv_crypt_0/clk_i]
connect_bd_net [get_bd_pins ps7/FCLK_RESET0_N] [get_bd_pins reset/ext_reset_in]
connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins interconnect/aresetn] \
  [get_bd_pins bfv_crypt_0/rst_ni]
connect_bd_net [get_bd_pins bfv_crypt_0/irq_o] [get_bd_pins ps7/IRQ_F2P]
connect_bd_intf_net [get_bd_intf_pins ps7/M_AXI_GP0] [get_bd_intf_pins interconnect/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins interconnect/M00_AXI] [get_bd_intf_pins bfv_crypt_0/s_axil]
connect_bd_intf_net [get_bd_intf_pins interconnect/M01_AXI] [get_bd_intf_pins bfv_crypt_0/s_axi]

foreach {port address range} [list \
  s_axil $register_address $register_range s_axi $data_address $data_range] {
  assign_bd_address -offset $address -range $range \
    -target_address_space [get_bd_addr_spaces ps7/Data] \
    [get_bd_addr_segs -of_objects [get_bd_intf_pins bfv_crypt_0/$port]]
}
validate_bd_design
save_bd_design

set design [get_files system.bd]
add_files -norecurse [make_wrapper -files $design -top]
set_property top system_wrapper [current_fileset]
update_compile_order -fileset sources_1

# ---- bitstream -------------------------------------------------------------------------------------

launch_runs impl_1 -to_step write_bitstream -jobs $jobs
wait_on_run impl_1
if {[get_property PROGRESS [get_runs impl_1]] ne "100%"} {
  error "implementation failed: [get_property STATUS [get_runs impl_1]]"
}
open_run impl_1
report_utilization -hierarchical -file [file join $out utilization.txt]
report_timing_summary -file [file join $out timing.txt]
set slack [get_property STATS.WNS [get_runs impl_1]]
if {$slack < 0} {
  error "the slowest path misses $mhz MHz by [expr {-$slack}] ns (timing.txt): lower MHZ"
}
set run [get_property DIRECTORY [get_runs impl_1]]
file copy -force [file join $run system_wrapper.bit] [file join $out bfv_crypt.bit]
set handoff [glob [file join $out project bfv_crypt.gen sources_1 bd system hw_handoff system.hwh]]
file copy -force [lindex $handoff 0] [file join $out bfv_crypt.hwh]
puts "bfv_crypt: $out, slack $slack ns at $mhz MHz"
