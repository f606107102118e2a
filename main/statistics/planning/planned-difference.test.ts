import { expect, it } from 'vitest'
import { plannedDifference } from './planned-difference.ts'

/** So many questions, each in a cluster that `of` numbers. */
const design = (questions: number, of: (question: number) => number = (question) => question) => ({
  clusters: Array.from({ length: questions }, (_, index) => `c${of(index)}`),
  cutPerKept: 0,
  spread: 0.35,
  pairs: 1,
})

it('96 questions on documents of their own decide about a tenth between two approaches', () => {
  const found = plannedDifference(design(96))!
  expect(found).toBeGreaterThan(0.095)
  expect(found).toBeLessThan(0.12)
})

it('questions that share documents decide less than as many on documents of their own, and more than their groups alone', () => {
  const shared = plannedDifference(design(96, (question) => question % 12))!
  expect(shared).toBeGreaterThan(plannedDifference(design(96))!)
  expect(shared).toBeLessThan(plannedDifference(design(12))!)
})

it('more pairs at the same time, or a larger spread, need a larger difference', () => {
  const [alone, six] = [plannedDifference(design(96))!, plannedDifference({ ...design(96), pairs: 15 })!]
  expect(six / alone).toBeGreaterThan(1.25)
  expect(six / alone).toBeLessThan(1.6)
  expect(plannedDifference({ ...design(96), spread: 0.2 })!).toBeLessThan(alone)
})

it('fewer than eight groups decide nothing, and eight decide no pair of fifteen', () => {
  expect(plannedDifference(design(14, (question) => question % 7))).toBeNull()
  expect(plannedDifference(design(8))).not.toBeNull()
  expect(plannedDifference({ ...design(8), pairs: 15 })).toBeNull()
})

it('a plan takes under a second of one processor, and no time when it is asked for again', () => {
  const measured = (): number => {
    const from = process.cpuUsage()
    plannedDifference({ ...design(500, (question) => question % 90), spread: 0.31 })
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1000
  }
  expect(measured()).toBeLessThan(1000)
  expect(measured()).toBeLessThan(20)
})
