import type { CellMetricState } from '../../contract/control/run-index/metrics.ts'

/** Sign and word of a state; the sign alone must show it. */
export const STATE_SIGNS: Record<CellMetricState | 'partial' | 'conflict', { sign: string; word: string }> = {
  ok: { sign: '●', word: 'ok' },
  partial: { sign: '◐', word: 'partial' },
  not_evaluable: { sign: '○', word: 'not evaluable' },
  error: { sign: '▲', word: 'error' },
  // ◷ and not ⏱: many systems have no monochrome glyph of the stopwatch.
  timeout: { sign: '◷', word: 'timeout' },
  disabled: { sign: '–', word: 'disabled' },
  not_run: { sign: '✕', word: 'not scored' },
  missing: { sign: '', word: 'missing' },
  conflict: { sign: '▲', word: 'conflict' },
}
