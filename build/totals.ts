/** Outcome of a group of checks, tests or specs. */
export interface Totals {
  passed: number
  failed: number
  skipped: number
  /** Each failure in one line: which test or check, and the first words of what it said. They are repeated at the end of all output. */
  failures: string[]
}

/** The beginning of a message, without its stack and the colours of a terminal. */
export function firstWords(message: string, most = 300): string {
  const plain = message
    .replaceAll(/\u001b\[[0-9;]*m/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return plain.length > most ? `${plain.slice(0, most)} …` : plain
}

/** Adds the outcome of one group to that of all. */
export function addTotals(totals: Totals, more: Partial<Totals>): void {
  totals.passed += more.passed ?? 0
  totals.failed += more.failed ?? 0
  totals.skipped += more.skipped ?? 0
  totals.failures.push(...(more.failures ?? []))
}
