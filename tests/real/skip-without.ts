import { beforeEach } from 'vitest'
import type { WeightsResult } from './weights.ts'

/** Skips each test of this file, with the reason, where the weights are missing. */
export function skipWithout(result: WeightsResult): void {
  beforeEach(({ skip }) => skip(result.reason !== null, result.reason ?? ''))
  if (result.reason !== null) console.log(`○ ${result.reason}`)
}
