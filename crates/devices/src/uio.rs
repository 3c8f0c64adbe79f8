//! A device on a board under Linux, through the kernel's userspace I/O (`/dev/uioN`).
//!
//! The device tree gives the device one UIO entry with two maps: registers (map 0) and data window
//! (map 1), and its interrupt. `mmap` reaches map `i` at an offset of `i` pages.
//!
//! **Not run on a board here**: tested against a file that is mapped in the same way.

use crate::bus::{Bus, BusError, BusResult, Done, Limit};
use memmap2::{MmapOptions, MmapRaw};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

/// How long the kernel is asked to wait for an interrupt before the register is looked at anyway.
const SLICE: Duration = Duration::from_millis(10);
/// Between two looks at a register where nothing interrupts.
const PAUSE: Duration = Duration::from_micros(20);

/// Registers and data window of one device, mapped into this process.
#[derive(Debug)]
pub struct UioBus {
    path: PathBuf,
    file: File,
    registers: MmapRaw,
    data: MmapRaw,
    interrupts: bool,
}

impl UioBus {
    /// Opens `/dev/uioN` and maps `register_bytes` of its map 0 and `data_bytes` of its map 1.
    ///
    /// # Errors
    /// [`BusError::System`] with what the operating system said.
    pub fn open(path: &Path, register_bytes: usize, data_bytes: usize) -> BusResult<Self> {
        let system = |what: &str, fault: &dyn ToString| BusError::System {
            what: format!("{}: {what}", path.display()),
            fault: fault.to_string(),
        };
        let file =
            OpenOptions::new().read(true).write(true).open(path).map_err(|e| {
                system("cannot be opened; is the driver uio_pdrv_genirq loaded?", &e)
            })?;
        let interrupts =
            file.metadata().map_err(|e| system("metadata", &e))?.file_type().is_char_device();
        let map = |index: usize, bytes: usize, what: &str| {
            let offset = (index * rustix::param::page_size()) as u64;
            MmapOptions::new()
                .offset(offset)
                .len(bytes)
                .map_raw(&file)
                .map_err(|e| system(what, &e))
        };
        let registers = map(0, register_bytes, "registers cannot be mapped")?;
        let data = map(1, data_bytes, "data window cannot be mapped")?;
        Ok(Self { path: path.to_owned(), file, registers, data, interrupts })
    }

    /// The place of `words` words at `address` in a map.
    fn place(
        map: &MmapRaw,
        operation: &'static str,
        address: u32,
        words: usize,
    ) -> BusResult<*mut u32> {
        let end = words.checked_mul(4).and_then(|bytes| bytes.checked_add(address as usize));
        if !address.is_multiple_of(4) || end.is_none_or(|end| end > map.len()) {
            let limit = map.len() as u64;
            return Err(BusError::Address { operation, address, found: words, limit });
        }
        // SAFETY: `address` lies inside the map, as its end does.
        let place = unsafe { map.as_mut_ptr().add(address as usize) };
        Ok(place.cast())
    }

    /// Waits for an interrupt, at most `time`; says nothing of its cause.
    fn pause(&mut self, time: Duration) -> BusResult<()> {
        if !self.interrupts {
            std::thread::sleep(time.min(PAUSE));
            return Ok(());
        }
        let what = format!("{}: interrupt", self.path.display());
        let system = |fault: &dyn ToString| BusError::System {
            what: what.clone(),
            fault: fault.to_string(),
        };
        // The kernel masks the interrupt when it has counted it; 1 unmasks it.
        self.file.write_all(&1u32.to_ne_bytes()).map_err(|e| system(&e))?;
        let slice = time.min(SLICE);
        let timeout = Timespec { tv_sec: 0, tv_nsec: slice.subsec_nanos().into() };
        let mut ready = [PollFd::new(&self.file, PollFlags::IN)];
        let count = match poll(&mut ready, Some(&timeout)) {
            Ok(count) => count,
            Err(rustix::io::Errno::INTR) => 0,
            Err(fault) => return Err(system(&fault)),
        };
        if count > 0 {
            let mut counter = [0; 4];
            self.file.read_exact(&mut counter).map_err(|e| system(&e))?;
        }
        Ok(())
    }
}

impl Bus for UioBus {
    fn read32(&mut self, address: u32) -> BusResult<u32> {
        let place = Self::place(&self.registers, "read32", address, 1)?;
        // SAFETY: a mapped, aligned word; only the device changes it, hence volatile.
        let value = unsafe { place.read_volatile() };
        fence(Ordering::SeqCst);
        Ok(value)
    }

    fn write32(&mut self, address: u32, value: u32) -> BusResult<()> {
        let place = Self::place(&self.registers, "write32", address, 1)?;
        // Data written before must be there before a command.
        fence(Ordering::SeqCst);
        // SAFETY: a mapped, aligned word.
        unsafe { place.write_volatile(value) };
        Ok(())
    }

    fn read_block(&mut self, address: u32, words: &mut [u32]) -> BusResult<()> {
        let place = Self::place(&self.data, "read_block", address, words.len())?;
        for (i, word) in words.iter_mut().enumerate() {
            // SAFETY: all words of the block are mapped. One volatile access a word: the window
            // takes whole words only, which a copy routine does not promise.
            *word = unsafe { place.add(i).read_volatile() };
        }
        fence(Ordering::SeqCst);
        Ok(())
    }

    fn write_block(&mut self, address: u32, words: &[u32]) -> BusResult<()> {
        let place = Self::place(&self.data, "write_block", address, words.len())?;
        for (i, &word) in words.iter().enumerate() {
            // SAFETY: as in `read_block`.
            unsafe { place.add(i).write_volatile(word) };
        }
        fence(Ordering::SeqCst);
        Ok(())
    }

    fn wait(&mut self, done: Done, limit: Limit) -> BusResult<u32> {
        let begin = Instant::now();
        loop {
            let found = self.read32(done.address)?;
            if done.is_met(found) {
                return Ok(found);
            }
            let spent = begin.elapsed();
            if spent >= limit.time {
                let Done { address, mask, .. } = done;
                return Err(BusError::Timeout {
                    address,
                    mask,
                    found,
                    waited: format!("{spent:?}"),
                });
            }
            // Only a state that is reached with an interrupt is worth sleeping for.
            let left = limit.time - spent;
            if done.set { self.pause(left)? } else { std::thread::sleep(left.min(PAUSE)) }
        }
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may panic")]
    use super::*;

    const REGISTERS: usize = 64;
    const DATA: usize = 256;

    /// A file laid out as the maps of a UIO device: registers, and the data one page on.
    fn device() -> (tempfile::NamedTempFile, UioBus) {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len((rustix::param::page_size() + DATA) as u64).unwrap();
        let bus = UioBus::open(file.path(), REGISTERS, DATA).unwrap();
        (file, bus)
    }

    #[test]
    fn words_go_to_the_two_maps() {
        let (file, mut bus) = device();
        bus.write32(8, 0x1234_5678).unwrap();
        let words: Vec<u32> = (0..16).map(|i| i * 0x0101_0101).collect();
        bus.write_block(32, &words).unwrap();
        assert_eq!(bus.read32(8).unwrap(), 0x1234_5678);
        let mut found = vec![0; 16];
        bus.read_block(32, &mut found).unwrap();
        assert_eq!(found, words);
        // The file says where they went.
        let bytes = std::fs::read(file.path()).unwrap();
        let page = rustix::param::page_size();
        assert_eq!(bytes[8..12], 0x1234_5678u32.to_ne_bytes());
        assert_eq!(bytes[page + 36..page + 40], 0x0101_0101u32.to_ne_bytes());
        assert_eq!(bytes[32..36], [0; 4]);
    }

    #[test]
    fn addresses_outside_are_refused_with_both_values() {
        let (_file, mut bus) = device();
        let last = REGISTERS as u32;
        let error = bus.read32(last).unwrap_err();
        let (found, limit) = (1, REGISTERS as u64);
        assert_eq!(error, BusError::Address { operation: "read32", address: last, found, limit });
        assert!(bus.read32(2).is_err());
        assert!(bus.write32(last, 0).is_err());
        assert!(bus.write_block(0, &[0; DATA / 4 + 1]).is_err());
        assert!(bus.read_block(u32::MAX - 3, &mut [0; 2]).is_err());
        bus.write_block(0, &[0; DATA / 4]).unwrap();
    }

    #[test]
    fn waiting_sees_a_change_and_an_end() {
        let (file, mut bus) = device();
        let limit = Limit { cycles: 0, time: Duration::from_millis(5) };
        let error = bus.wait(Done::any_set(0, 4), limit).unwrap_err();
        assert!(matches!(error, BusError::Timeout { address: 0, mask: 4, found: 0, .. }));
        assert_eq!(bus.wait(Done::all_clear(0, 4), limit).unwrap(), 0);
        // Another mapping of the same file plays the device.
        let mut device = UioBus::open(file.path(), REGISTERS, DATA).unwrap();
        let playing = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            device.write32(0, 6).unwrap();
        });
        let limit = Limit { cycles: 0, time: Duration::from_secs(60) };
        assert_eq!(bus.wait(Done::any_set(0, 4), limit).unwrap(), 6);
        playing.join().unwrap();
    }

    #[test]
    fn a_missing_device_is_an_error_of_the_system() {
        let error = UioBus::open(Path::new("/dev/uio-that-is-not-there"), 4, 4).unwrap_err();
        assert!(matches!(error, BusError::System { .. }), "{error}");
    }
}
