import { isFullTier } from '../../build/test-tier.ts'

/** Defines how often tests repeat what they leave to chance: in the fast tier, and where everything runs. */
export const REPETITIONS = {
  'runners of a log are killed in rounds': { fast: 5, full: 40 },
  'processes on SQLite are killed': { fast: 10, full: 100 },
  'processes on PostgreSQL are killed': { fast: 10, full: 25 },
  'processes that store objects are killed': { fast: 10, full: 50 },
  'an ingestion is killed in each of its phases': { fast: 1, full: 2 },
  'writers of the run index are killed': { fast: 10, full: 12 },
  'a row of a log is cut off, or a log with a flipped bit opened,': { fast: 100, full: 100_000 },
  'a hostile archive is unpacked into a folder': { fast: 250, full: 1500 },
  'a hostile archive is unpacked in memory': { fast: 1500, full: 10_000 },
} as const

export type Repeated = keyof typeof REPETITIONS

/** Returns how often a test of this tier repeats it. */
export const timesOf = (what: Repeated): number => REPETITIONS[what][isFullTier() ? 'full' : 'fast']

/** Returns the distance between places that a test of this tier tries in that many bytes, so that it tries all of them at most. */
export const stepOf = (what: Repeated, bytes: number): number => Math.ceil(bytes / timesOf(what))
