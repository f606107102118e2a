import { expect, it } from 'vitest'
import type { ModelHost } from '../../models/model-host.ts'
import { probeJudge } from './judge-probe.ts'

it('a reply that repeats itself is ended, and its model cannot judge', async () => {
  const lengths: number[] = []
  const chat: ModelHost['chat'] = async (_role, _request, signal, onText) => {
    let words = 0
    try {
      for (; words < 2000; words += 1) {
        signal?.throwIfAborted()
        onText?.(`word ${words % 9} `)
      }
      throw new Error('the time of the call is over')
    } finally {
      lengths.push(words)
    }
  }
  const found = await probeJudge({ chat } as ModelHost, { temperature: 0, think: null })
  expect(found).toMatchObject({ verdicts: 'unusable' })
  expect(lengths).toEqual([72, 72])
})
