//! Register maps, one module for each device, generated from `rtl/*/regs.rdl`.
//!
//! Every device starts with the same words (`rtl/lib/common.rdl`); [`common`] names those, so that
//! code for any device can read them.

pub mod bfv_crypt;
pub mod bfv_mini;
pub mod bgv_core;

/// The words that every device starts with, and the bits of the control word that all share.
pub mod common {
    pub use super::bfv_crypt::{
        CAPS, CAPS_DATA_ADDRESS_BITS, CAPS_LFSR, CAPS_RANDOMNESS, CAPS_REGION_BITS, CAPS_WIPE,
        CONFIG0, CONFIG0_LOG_N, CONFIG0_LOG_Q, CONFIG0_LOG_T, CONFIG0_MAX_POLYS, CONFIG1,
        CONFIG1_OVERLAP, CONFIG1_PAPER, CONFIG1_UNITS, CONTROL, CONTROL_DONE, CONTROL_MODE,
        CONTROL_RESET, CONTROL_START, CTRL, CTRL_CLEAR, CTRL_KEY_LOADED, CYCLES_HI, CYCLES_LO,
        ERRCODE, ERRCODE_CODE, ID, IRQ_ENABLE, IRQ_ENABLE_DONE, IRQ_ENABLE_ERROR, IRQ_STATUS,
        IRQ_STATUS_DONE, IRQ_STATUS_ERROR, SENTINEL, SENTINEL_VALUE, STATUS, STATUS_ARMED,
        STATUS_BUSY, STATUS_DONE, STATUS_ERROR, STATUS_PRIMED, VERSION, VERSION_MAJOR,
        VERSION_MINOR,
    };
}

/// Some adjacent bits of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Number of the lowest bit.
    pub low: u32,
    /// Bits, 1 to 32.
    pub width: u32,
}

impl Field {
    /// The bits of the field in the register.
    #[must_use]
    pub const fn mask(self) -> u32 {
        (u32::MAX >> (32 - self.width)) << self.low
    }

    /// The field's value in a register's contents.
    #[must_use]
    pub const fn get(self, word: u32) -> u32 {
        (word & self.mask()) >> self.low
    }

    /// Register contents with `value` in this field and 0 elsewhere; bits that do not fit are lost.
    #[must_use]
    pub const fn put(self, value: u32) -> u32 {
        (value << self.low) & self.mask()
    }

    /// Whether a field of one bit is set.
    #[must_use]
    pub const fn is_set(self, word: u32) -> bool {
        self.get(word) != 0
    }
}

/// One value of an error register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorCode {
    /// What the register reads.
    pub code: u32,
    /// Its name in the register map.
    pub name: &'static str,
    /// What happened and what to do.
    pub remedy: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_take_and_give_their_bits() {
        let field = Field { low: 8, width: 20 };
        assert_eq!(field.mask(), 0x0fff_ff00);
        assert_eq!(field.put(0xabcde), 0x0abc_de00);
        assert_eq!(field.get(0xfabc_deff), 0xabcde);
        assert_eq!(field.put(0x1f_ffff), field.mask());
        let word = Field { low: 0, width: 32 };
        assert_eq!(word.mask(), u32::MAX);
        assert!(Field { low: 28, width: 1 }.is_set(1 << 28));
        assert!(!Field { low: 28, width: 1 }.is_set(!(1 << 28)));
    }

    /// Every device has the common words, and the shared bits of CONTROL, at the same places.
    #[test]
    fn devices_agree_on_the_common_words() {
        macro_rules! same {
            ($($name:ident),* $(,)?) => { $(
                assert_eq!(bfv_crypt::$name, bfv_mini::$name, stringify!($name));
            )* };
        }
        same!(
            CAPS,
            CAPS_DATA_ADDRESS_BITS,
            CAPS_LFSR,
            CAPS_RANDOMNESS,
            CAPS_REGION_BITS,
            CAPS_WIPE,
            CONFIG0,
            CONFIG0_LOG_N,
            CONFIG0_LOG_Q,
            CONFIG0_LOG_T,
            CONFIG0_MAX_POLYS,
            CONFIG1,
            CONFIG1_OVERLAP,
            CONFIG1_PAPER,
            CONFIG1_UNITS,
            CONTROL,
            CONTROL_DONE,
            CONTROL_MODE,
            CONTROL_RESET,
            CONTROL_START,
            CTRL,
            CTRL_CLEAR,
            CTRL_KEY_LOADED,
            CYCLES_HI,
            CYCLES_LO,
            ERRCODE,
            ERRCODE_CODE,
            ID,
            IRQ_ENABLE,
            IRQ_ENABLE_DONE,
            IRQ_ENABLE_ERROR,
            IRQ_STATUS,
            IRQ_STATUS_DONE,
            IRQ_STATUS_ERROR,
            SENTINEL,
            SENTINEL_VALUE,
            STATUS,
            STATUS_ARMED,
            STATUS_BUSY,
            STATUS_DONE,
            STATUS_ERROR,
            STATUS_PRIMED,
            VERSION,
            VERSION_MAJOR,
            VERSION_MINOR,
        );
        assert_ne!(bfv_crypt::ID_VALUE, bfv_mini::ID_VALUE);
    }

    #[test]
    fn the_control_word_is_the_published_one() {
        use bfv_crypt as regs;
        let fields = [
            (regs::CONTROL_COUNT, 0, 5),
            (regs::CONTROL_MODE, 5, 1),
            (regs::CONTROL_START, 6, 1),
            (regs::CONTROL_RESET, 7, 1),
            (regs::CONTROL_LFSR_SEED, 8, 20),
            (regs::CONTROL_DONE, 28, 1),
        ];
        for (field, low, width) in fields {
            assert_eq!(field, Field { low, width });
        }
    }
}
