/** Outcome of a group of checks, tests or specs. */
export interface Totals {
  passed: number
  failed: number
  skipped: number
}
