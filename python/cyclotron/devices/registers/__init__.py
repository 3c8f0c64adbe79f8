"""Register maps, one module for each device, generated from ``rtl/*/regs.rdl``."""
