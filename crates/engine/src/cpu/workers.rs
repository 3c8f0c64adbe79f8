//! Threads of the CPU engine: its own pool, used when the work is worth it.
//!
//! Work is cut into tasks that write disjoint parts of memory and read only what no task writes,
//! so results do not depend on the number of threads.

use crate::error::{EngineError, Result};
use rayon::prelude::*;
use std::fmt;

/// Cost below which a call stays on the caller's thread, in residues of element-wise work, of
/// which a vector unit treats three or four in a nanosecond: waking the pool takes 5 to 10
/// microseconds, so two threads break even at about half as many.
const WORTHWHILE: usize = 1 << 17;

/// Coefficients that one task treats: a few slices of this length fit the second-level cache.
pub const BLOCK: usize = 1 << 12;

/// What one residue costs in each kind of work, in units of element-wise arithmetic.
#[derive(Clone, Copy)]
pub enum Weight {
    /// Arithmetic, copies, permutations.
    Light = 1,
    /// Transforms, conversions, sampling.
    Heavy = 8,
}

/// The caller's thread alone, or a pool.
pub struct Workers {
    pool: Option<rayon::ThreadPool>,
    threads: usize,
}

impl Workers {
    /// `threads` threads; with one, everything runs on the caller's.
    pub fn new(threads: usize) -> Result<Self> {
        let pool = match threads {
            0 => {
                let message = "an engine needs at least one thread".to_owned();
                return Err(EngineError::Configuration(message));
            }
            1 => None,
            _ => Some(
                rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .thread_name(|i| format!("cyclotron-cpu-{i}"))
                    .build()
                    .map_err(|error| EngineError::Configuration(error.to_string()))?,
            ),
        };
        Ok(Self { pool, threads })
    }

    /// How many threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    fn pool_for(&self, residues: usize, weight: Weight) -> Option<&rayon::ThreadPool> {
        let worthwhile = residues.saturating_mul(weight as usize) >= WORTHWHILE;
        self.pool.as_ref().filter(|_| worthwhile)
    }

    /// Calls `work(i, piece)` for each piece of `length` words of `data`, whose length is a
    /// multiple of it.
    pub fn pieces<W>(&self, weight: Weight, data: &mut [u64], length: usize, work: W) -> Result<()>
    where
        W: Fn(usize, &mut [u64]) -> Result<()> + Sync,
    {
        match self.pool_for(data.len(), weight) {
            Some(pool) => pool.install(|| {
                data.par_chunks_exact_mut(length)
                    .enumerate()
                    .try_for_each(|(i, piece)| work(i, piece))
            }),
            None => {
                data.chunks_exact_mut(length).enumerate().try_for_each(|(i, piece)| work(i, piece))
            }
        }
    }

    /// Calls `work(i, tasks[i])` for each task; `residues` is the size of all of them.
    pub fn tasks<T, W>(&self, weight: Weight, residues: usize, tasks: Vec<T>, work: W) -> Result<()>
    where
        T: Send,
        W: Fn(usize, T) -> Result<()> + Sync,
    {
        match self.pool_for(residues, weight) {
            Some(pool) => pool.install(|| {
                tasks.into_par_iter().enumerate().try_for_each(|(i, task)| work(i, task))
            }),
            None => tasks.into_iter().enumerate().try_for_each(|(i, task)| work(i, task)),
        }
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workers({})", self.threads)
    }
}

/// Cuts rows of `n` coefficients into blocks of `block` and deals them out: the block at position
/// `c` of row `r` goes to task `task(r) * (n / block) + c`. Within a task, slices are ordered by
/// row.
pub fn deal<T>(
    data: &mut [u64],
    n: usize,
    block: usize,
    groups: usize,
    task: T,
) -> Vec<Vec<&mut [u64]>>
where
    T: Fn(usize) -> usize,
{
    let blocks = n / block;
    let rows = data.len() / n;
    let mut tasks: Vec<Vec<&mut [u64]>> = Vec::with_capacity(groups * blocks);
    tasks.resize_with(groups * blocks, || Vec::with_capacity(rows / groups));
    for (row, coefficients) in data.chunks_exact_mut(n).enumerate() {
        let first = task(row) * blocks;
        for (place, slice) in coefficients.chunks_exact_mut(block).enumerate() {
            tasks[first + place].push(slice);
        }
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_visited_once_by_any_number_of_threads() {
        for threads in [1, 3] {
            let workers = Workers::new(threads).unwrap();
            for weight in [Weight::Light, Weight::Heavy] {
                let mut data = vec![0; 3 << 16];
                let add = |i: usize, piece: &mut [u64]| {
                    piece.iter_mut().for_each(|x| *x += i as u64);
                    Ok(())
                };
                workers.pieces(weight, &mut data, 1 << 12, add).unwrap();
                assert!(data.iter().enumerate().all(|(i, &x)| x == i as u64 >> 12));
                let tasks = deal(&mut data, 1 << 16, 1 << 12, 1, |_| 0);
                assert_eq!(tasks.len(), 16);
                let add_task = |i: usize, task: Vec<&mut [u64]>| {
                    task.into_iter().for_each(|piece| piece.fill(i as u64));
                    Ok(())
                };
                workers.tasks(weight, 3 << 16, tasks, add_task).unwrap();
                assert!(data.iter().enumerate().all(|(i, &x)| x == (i as u64 >> 12) % 16));
            }
        }
        assert!(Workers::new(0).is_err());
    }

    #[test]
    fn dealing_orders_slices_by_row() {
        // Two polynomials of two limbs, four coefficients, blocks of two.
        let mut data: Vec<u64> = (0..16).collect();
        let tasks = deal(&mut data, 4, 2, 2, |row| row / 2);
        let flat: Vec<Vec<u64>> = tasks.iter().map(|task| task.concat()).collect();
        assert_eq!(flat, [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]);
    }

    #[test]
    fn a_failing_task_is_reported() {
        let workers = Workers::new(2).unwrap();
        let fail = |i: usize, _: &mut [u64]| match i {
            5 => Err(EngineError::Configuration("five".to_owned())),
            _ => Ok(()),
        };
        let mut data = vec![0; 1 << 18];
        assert!(workers.pieces(Weight::Light, &mut data, 1 << 10, fail).is_err());
        assert!(workers.pieces(Weight::Light, &mut data[..4 << 10], 1 << 10, fail).is_ok());
    }
}
