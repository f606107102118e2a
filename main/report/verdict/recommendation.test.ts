import { expect, it } from 'vitest'
import type { ApproachBehaviour } from '../../../contract/evidence/verdict.ts'
import { decidedRun } from '../../../tests/helpers/decided-run.ts'
import { byCost, cheapness, costWords } from './recommendation.ts'
import { verdictsOf } from './verdict.ts'

const approach = (model: string, calls: number, tokens: number, ms: number) => ({
  model,
  operational: {
    cloud_calls: { mean: 0 },
    llm_calls: { mean: calls },
    total_tokens: { mean: tokens },
    latency_ms: { median: ms },
  },
})

const firstOf = (...approaches: ReturnType<typeof approach>[]): string => {
  const of = approaches as unknown as Parameters<typeof byCost>[0]
  const ordered = byCost(of)
  return ordered[0]! + cheapness(ordered.map((model) => of.find((each) => each.model === model)!))
}

it('calls decide before tokens, and tokens before time', () => {
  expect(firstOf(approach('slow', 1, 2000, 900), approach('more', 2, 100, 1))).toBe('slow, the cheapest of them')
  expect(firstOf(approach('fast', 1, 2000, 30), approach('short', 1, 1600, 150))).toBe('short, the cheapest of them')
})

it('takes the faster one where calls are equal and tokens differ by less than a tenth', () => {
  expect(firstOf(approach('slow', 1, 1850, 150), approach('fast', 1, 1900, 30))).toBe('fast, the fastest of them')
})

it('claims nothing of the first where another costs and takes the same', () => {
  expect(firstOf(approach('one', 1, 1900, 30), approach('two', 1, 1900, 30))).toBe('one')
})

it('takes the simplest where costs are equal and times differ by less than a tenth of a second, in whatever order they come', () => {
  const two = [approach('hybrid-rag', 1, 840, 14), approach('vanilla-rag', 1, 832, 39)] as const
  expect(firstOf(...two)).toBe('vanilla-rag, the simplest of those that cost the same')
  expect(firstOf(two[1], two[0])).toBe('vanilla-rag, the simplest of those that cost the same')
  expect(firstOf(...two, approach('agentic-rag', 6, 9000, 130))).toBe('vanilla-rag, the simplest of the cheapest')
  expect(firstOf(approach('vanilla-rag', 1, 832, 300), two[0])).toBe('hybrid-rag, the fastest of them')
})

it('says which time is meant, and that the tokens are those of the model calls', () => {
  const of = (amounts: object) => costWords(amounts as ApproachBehaviour)
  const all = { latency_ms: 25, llm_calls: 1, total_tokens: 420 }
  expect(of(all)).toBe('25 ms (median) and 1 model call with 420 tokens per answer')
  expect(of({ ...all, total_tokens: null })).toBe('25 ms (median) and 1 model call per answer')
  expect(of({ ...all, llm_calls: null })).toBe('25 ms (median) and 420 tokens of model calls per answer')
})

it('a run without an answer says what to do first, and names no cost', async () => {
  const run = await decidedRun(
    { vanilla: 24 },
    { cell: () => ({ failure: { type: 'http_error', message: 'refused' } }) },
  )
  const { recommendation, next } = verdictsOf([run])[0]!
  expect([recommendation, next.text]).toEqual([null, 'No answer came: correct what failed, then retry the answers.'])
})

it('a run of the keyword baseline and hashed vectors alone is sent to vectors of a model, not to failures that it has not', async () => {
  const { why, next } = verdictsOf([await decidedRun({ bm25: 24, vanilla: 24 }, {})])[0]!
  expect(why).toMatch(/^vanilla-rag is not ranked against bm25, because the vectors of this run are hashed words/)
  expect([next.kind, next.text]).toEqual([
    'new_run',
    'Run again with the model set local-embeddings, or add another approach.',
  ])
})
