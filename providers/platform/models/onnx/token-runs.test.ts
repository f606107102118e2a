import { expect, it } from 'vitest'
import { tokenRuns } from './token-runs.ts'

it('puts texts of similar lengths together, counts padding, and leaves a text beyond the limit alone', () => {
  expect(tokenRuns([10, 90, 9, 250, 30], 100)).toEqual([[2, 0, 4], [1], [3]])
  expect(tokenRuns(new Array<number>(20).fill(256), 4096).map((run) => run.length)).toEqual([16, 4])
  expect(tokenRuns([], 100)).toEqual([])
})
