import { expect, it } from 'vitest'
import { citedAnswer, citedNumbers, withoutCitations } from './citations.ts'

it('citations are read in all their forms, each number once', () => {
  expect(citedNumbers('Ada Brill built it [2]. It was lit with oil [1][12], then gas [2; 3, 4].')).toEqual([
    2, 1, 12, 3, 4,
  ])
  expect(citedNumbers('Part [TQ-118] of 1904 [sic], [1904 pages] and a[i].')).toEqual([])
})

it('an answer without its citations reads as if there were none', () => {
  expect(withoutCitations('Ada Brill built it [2], with oil [1][12].')).toBe('Ada Brill built it, with oil.')
})

it('citations are numbered by the contexts of the answer, and are unknown where a cited passage is not among them', () => {
  const contexts = ['one', 'two']
  const cited = (answer: string, passages: object[], missing: number[] = []) =>
    citedAnswer({ answer, contexts, approach_metadata: { citations: { cited: passages, missing } as never } })
  const passage = (number: number, context: number | null) => ({ number, title: 't', context })
  expect(cited('A [7]. B [3][7].', [passage(7, 1), passage(3, 2)])).toBe('A [1]. B [2][1].')
  expect(cited('A [1]. B [99].', [passage(1, 1)], [99])).toBe('A [1]. B [3].')
  expect(cited('A [7].', [passage(7, null)])).toBeNull()
  expect(cited('A [7].', [{ number: 7, title: 'a row of before' }])).toBeNull()
  expect(citedAnswer({ answer: 'A [1].', contexts })).toBeNull()
})
