//! Memory of the CPU engine: 64-byte aligned blocks, recycled through a bounded pool.
//!
//! A block holds residues as `[batch][limb][coefficient]`. A dropped block goes back to the pool,
//! zeroized first if it was secret, and is handed out again for the same size without being
//! cleared. The pool keeps at most [`DEFAULT_CACHE`] bytes (or what the builder said); beyond that
//! the sizes that were used least recently go back to the system.

use crate::buffer::Storage;
use crate::cpu::tables::RingTables;
use crate::error::{EngineError, Result};
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zeroize::Zeroize;

/// Bytes of dropped blocks that an engine keeps for reuse, unless the builder says otherwise.
pub const DEFAULT_CACHE: u64 = 256 << 20;

/// Words of a cache line. Every degree is a multiple of it, so a block is made of whole lines.
const LINE: usize = 8;

/// A cache line of residues.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u64; LINE]);

type Lines = Vec<Line>;

fn words(lines: &Lines) -> &[u64] {
    // SAFETY: `Line` is `repr(C)` around `[u64; LINE]` with size 64 and no padding, so the
    // initialised lines are `LINE * len` initialised words in a row; the lifetime is the borrow's.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), LINE * lines.len()) }
}

fn words_mut(lines: &mut Lines) -> &mut [u64] {
    // SAFETY: as in `words`; the borrow is exclusive and every bit pattern is a valid `Line`.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), LINE * lines.len()) }
}

const fn bytes(lines: usize) -> u64 {
    (lines * size_of::<Line>()) as u64
}

/// Recycled blocks of one size.
#[derive(Default)]
struct Class {
    blocks: Vec<Lines>,
    last_used: u64,
}

#[derive(Default)]
struct State {
    /// Blocks to hand out again, by their number of lines.
    cache: BTreeMap<usize, Class>,
    cached_bytes: u64,
    in_use: u64,
    peak: u64,
    clock: u64,
}

impl State {
    /// Frees cached blocks, least recently used sizes first, until at most `limit` bytes are left.
    fn shrink(&mut self, limit: u64) {
        while self.cached_bytes > limit {
            let oldest =
                self.cache.iter().min_by_key(|(_, class)| class.last_used).map(|(&size, _)| size);
            let Some(size) = oldest else { return };
            let Some(class) = self.cache.get_mut(&size) else { return };
            if class.blocks.pop().is_some() {
                self.cached_bytes -= bytes(size);
            }
            if class.blocks.is_empty() {
                self.cache.remove(&size);
            }
        }
    }
}

/// Where the blocks of one engine come from and go to; outlives the engine with its buffers.
pub struct Pool {
    engine: String,
    limit: Option<u64>,
    cache_limit: u64,
    state: Mutex<State>,
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({} bytes in use, {} cached)", self.in_use(), self.cached())
    }
}

impl Pool {
    /// A pool that hands out at most `limit` bytes and keeps at most `cache_limit` of those that
    /// came back.
    pub fn new(engine: &str, limit: Option<u64>, cache_limit: u64) -> Arc<Self> {
        let state = Mutex::default();
        Arc::new(Self { engine: engine.to_owned(), limit, cache_limit, state })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is consistent between statements; a panic elsewhere does not harm it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block of `count` words with unspecified contents: recycled or zero.
    pub fn take(self: &Arc<Self>, count: usize) -> Result<Block> {
        let size = count.div_ceil(LINE);
        let requested = bytes(size);
        let mut state = self.state();
        state.clock += 1;
        let clock = state.clock;
        let available = self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(state.in_use));
        if requested > available {
            return Err(self.out_of_memory(requested, available));
        }
        let recycled = state.cache.get_mut(&size).and_then(|class| {
            class.last_used = clock;
            class.blocks.pop()
        });
        if recycled.is_some() {
            state.cached_bytes -= requested;
        } else {
            // Cached blocks count against the limit only as long as nobody needs the room.
            state.shrink(available - requested);
        }
        state.in_use += requested;
        state.peak = state.peak.max(state.in_use);
        drop(state);

        let lines = match recycled {
            Some(lines) => lines,
            None => self.fresh(size).inspect_err(|_| self.state().in_use -= requested)?,
        };
        Ok(Block { lines, secret: false, pool: Arc::clone(self) })
    }

    fn fresh(&self, size: usize) -> Result<Lines> {
        let mut lines = Lines::new();
        if lines.try_reserve_exact(size).is_err() {
            // The system is short of memory: give back what is only kept for later, once.
            self.trim();
            if lines.try_reserve_exact(size).is_err() {
                let requested = bytes(size);
                let left = self.limit.map_or(0, |limit| limit.saturating_sub(self.in_use()));
                return Err(self.out_of_memory(requested, left.min(requested)));
            }
        }
        lines.resize(size, Line([0; LINE]));
        Ok(lines)
    }

    fn out_of_memory(&self, requested: u64, available: u64) -> EngineError {
        EngineError::OutOfMemory { engine: self.engine.clone(), requested, available }
    }

    fn put(&self, lines: Lines) {
        let size = lines.len();
        let mut guard = self.state();
        let state = &mut *guard;
        state.in_use -= bytes(size);
        if bytes(size) > self.cache_limit {
            return;
        }
        state.clock += 1;
        let class = state.cache.entry(size).or_default();
        class.last_used = state.clock;
        class.blocks.push(lines);
        state.cached_bytes += bytes(size);
        let room = self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(state.in_use));
        state.shrink(self.cache_limit.min(room));
    }

    /// Bytes of the blocks that are out.
    pub fn in_use(&self) -> u64 {
        self.state().in_use
    }

    /// The most that [`Self::in_use`] has been.
    pub fn peak(&self) -> u64 {
        self.state().peak
    }

    /// Bytes kept for reuse.
    pub fn cached(&self) -> u64 {
        self.state().cached_bytes
    }

    /// Gives everything kept for reuse back to the system.
    pub fn trim(&self) {
        self.state().shrink(0);
    }
}

/// Words of a pool, returned to it on drop and zeroized there if secret.
pub struct Block {
    lines: Lines,
    secret: bool,
    pool: Arc<Pool>,
}

impl Block {
    /// The words.
    pub fn words(&self) -> &[u64] {
        words(&self.lines)
    }

    /// The words, mutable.
    pub fn words_mut(&mut self) -> &mut [u64] {
        words_mut(&mut self.lines)
    }

    /// Whether the words are zeroized on drop.
    pub fn is_secret(&self) -> bool {
        self.secret
    }

    /// From now on the words are secret, if `secret`.
    pub fn mark_secret_if(&mut self, secret: bool) {
        self.secret |= secret;
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.secret {
            self.words_mut().zeroize();
        }
        self.pool.put(std::mem::take(&mut self.lines));
    }
}

impl fmt::Debug for Block {
    /// Size, never contents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Block({} words)", LINE * self.lines.len())
    }
}

/// What the CPU engine keeps behind a buffer: its words and the tables of its ring.
#[derive(Debug)]
pub struct CpuStorage {
    /// The residues.
    pub block: Block,
    /// Tables of the buffer's ring.
    pub tables: Arc<RingTables>,
}

impl Storage for CpuStorage {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn mark_secret(&mut self) {
        self.block.mark_secret_if(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_recycled_and_counted() {
        let pool = Pool::new("test", None, 1 << 20);
        let mut first = pool.take(24).unwrap();
        assert_eq!(first.words().len(), 24);
        assert_eq!(first.words().as_ptr().addr() % 64, 0);
        assert!(first.words().iter().all(|&word| word == 0));
        first.words_mut().fill(7);
        drop(first);
        assert_eq!((pool.in_use(), pool.cached(), pool.peak()), (0, 192, 192));
        // The same memory comes back for the same size, as it was left.
        let again = pool.take(24).unwrap();
        assert!(again.words().iter().all(|&word| word == 7));
        let other = pool.take(16).unwrap();
        assert!(other.words().iter().all(|&word| word == 0));
        assert_eq!((pool.in_use(), pool.cached(), pool.peak()), (320, 0, 320));
        drop((again, other));
        assert_eq!(pool.cached(), 320);
        pool.trim();
        assert_eq!(pool.cached(), 0);
    }

    #[test]
    fn a_secret_is_wiped_before_its_memory_is_used_again() {
        let pool = Pool::new("test", None, 1 << 20);
        let mut secret = pool.take(8).unwrap();
        secret.words_mut().fill(0x5EC2);
        secret.mark_secret_if(true);
        // Nothing unmarks a secret.
        secret.mark_secret_if(false);
        drop(secret);
        let next = pool.take(8).unwrap();
        assert_eq!(pool.cached(), 0, "the block was recycled");
        assert!(next.words().iter().all(|&word| word == 0));
        assert!(!next.is_secret());
    }

    #[test]
    fn the_cache_is_bounded_and_forgets_the_oldest_size() {
        let pool = Pool::new("test", None, 256);
        drop(pool.take(8).unwrap());
        drop(pool.take(16).unwrap());
        drop(pool.take(8).unwrap());
        assert_eq!(pool.cached(), 192);
        // 64 bytes too many: the block of 128 was used before the one of 64.
        drop(pool.take(24).unwrap());
        assert_eq!(pool.cached(), 256);
        let state = pool.state();
        assert_eq!(state.cache.keys().copied().collect::<Vec<_>>(), [1, 3]);
        drop(state);
        // More than the whole cache is never kept.
        drop(pool.take(1024).unwrap());
        assert_eq!(pool.cached(), 256);
    }

    #[test]
    fn the_limit_holds_and_the_cache_makes_room() {
        let pool = Pool::new("test", Some(256), 1 << 20);
        drop(pool.take(32).unwrap());
        assert_eq!(pool.cached(), 256);
        let block = pool.take(8).unwrap();
        assert_eq!((pool.in_use(), pool.cached()), (64, 0));
        let error = pool.take(32).unwrap_err();
        let expected =
            EngineError::OutOfMemory { engine: "test".to_owned(), requested: 256, available: 192 };
        assert_eq!(error, expected);
        assert_eq!(pool.in_use(), 64, "a refused request takes nothing");
        drop(block);
        assert!(pool.take(32).is_ok());
    }

    #[test]
    fn the_system_refusing_is_an_error_too() {
        let pool = Pool::new("test", None, 1 << 20);
        let error = pool.take(1 << 57).unwrap_err();
        assert!(
            matches!(error, EngineError::OutOfMemory { requested, .. } if requested == 1 << 60)
        );
        assert_eq!(pool.in_use(), 0);
        assert!(pool.take(8).is_ok());
    }

    #[test]
    fn a_block_may_outlive_its_engine() {
        let pool = Pool::new("test", None, 1 << 20);
        let block = pool.take(8).unwrap();
        drop(pool);
        assert_eq!(block.words().len(), 8);
    }
}
