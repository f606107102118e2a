import { expect, it } from 'vitest'
import { shareOfRepeated, spread } from './repetition.ts'

const passages = (...scores: [document: string, score: number][]) =>
  scores.map(([document, score]) => ({ document, score }))
const order = (share: number, items: ReturnType<typeof passages>) =>
  spread(items, ({ document }) => document, share).map(({ document }) => document)

it('one document does not take all places from nearly as good ones, and keeps those that are far better', () => {
  const items = passages(['a', 10], ['a', 9.5], ['a', 9], ['b', 7], ['c', 5], ['d', 1])
  expect(order(0.7, items)).toEqual(['a', 'b', 'a', 'c', 'a', 'd'])
  expect(order(1, items)).toEqual(['a', 'a', 'a', 'b', 'c', 'd'])
})

it('a further passage repeats its document where documents are many, hardly where they are a few long ones', () => {
  const short = shareOfRepeated([0, 1, 0, 1], 100, 4000)
  const long = shareOfRepeated([10, 30, 50, 20], 100, 200)
  expect(short).toBeLessThan(0.72)
  expect(long).toBeGreaterThan(0.98)
})
