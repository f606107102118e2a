import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { evidenceBytes } from '../../../tests/helpers/report-project.ts'
import { ALIASES, fixtureRow, wideDataset } from '../../../tests/helpers/report-rows.ts'
import { askedFigures } from './asked-figures.ts'
import { askedRows, askedText } from './asked-tables.ts'
import { rankBiasedOverlap } from './rank-overlap.ts'

describe('rankBiasedOverlap', () => {
  // Computed by the Python package rbo 0.1.3: RankingSimilarity(one, other).rbo_ext(p).
  it.each([
    [0.9, 'abc', 'abc', 1],
    [0.9, 'abc', 'cba', 0.8550000000000001],
    [0.9, 'abcd', 'bxa', 0.585],
    [0.9, 'a', 'b', 0],
    [0.9, 'ab', 'abcde', 1],
    [0.9, '123456', '429', 0.444762],
    [0.9, 'xa', 'a', 0.45],
    [0.98, 'abc', 'cba', 0.9702],
    [0.98, 'abcd', 'bxa', 0.6500666666666666],
    [0.98, '123456', '429', 0.48898223210666664],
    [0.5, 'abc', 'cba', 0.375],
    [0.5, 'abcd', 'bxa', 0.29166666666666663],
    [0.5, '123456', '429', 0.23541666666666666],
    [0.5, 'xa', 'a', 0.25],
  ])('equals the reference with p %f on %s and %s', (p, one, other, expected) => {
    expect(rankBiasedOverlap(one.split(''), other.split(''), p)).toBeCloseTo(expected, 12)
    expect(rankBiasedOverlap(other.split(''), one.split(''), p)).toBeCloseTo(expected, 12)
  })

  it('is 0 where one ranking is empty, and not defined where both are', () => {
    expect([rankBiasedOverlap([], ['a'], 0.9), rankBiasedOverlap([], [], 0.9)]).toEqual([0, Number.NaN])
  })
})

const dataset = wideDataset('wide', 'Wide', 1)

function answered(
  alias: keyof typeof ALIASES,
  at: number,
  ranking: string,
  facts: number,
  tokens: number,
): CanonicalRow {
  const row = fixtureRow(dataset, ALIASES[alias], at, { found: { contexts: ranking.length, recall: facts } })
  row.evidence!.sources = ranking
    .split('')
    .map((name) => ({ title: name, snippet: name, score: 1, document: `${name}.md` }))
  row.evidence!.contexts = ranking.split('')
  row.evidence!.context_tokens = tokens
  row.evidence!.context_tokens_by = 'test'
  return row
}

async function fileOf(rows: readonly CanonicalRow[]): Promise<string> {
  const dir = await temporaryFolder('asked')
  const file = join(dir, 'x-wide-evidence.jsonl')
  await writeFile(file, evidenceBytes(rows))
  return file
}

describe('figures that are asked for', () => {
  it('are ratios and means over the stored rows, with intervals over groups of questions', async () => {
    const rows = dataset.questions.flatMap((_, at) => [
      // The passages of one document count once, at the first.
      answered('vanilla', at, at % 2 === 0 ? 'aabc' : 'abc', at < 18 ? 1 : 0, 1000 + 100 * at),
      answered('hybrid', at, at % 2 === 0 ? 'cba' : 'abc', 1, 500),
    ])
    const values = await askedFigures(await fileOf(rows), ['rank_biased_overlap', 'facts_per_1000_tokens'])
    const [vanilla, hybrid, overlap] = values
    // 18 facts over Σ (1000 + 100·at) = 24,000 + 100·276 tokens.
    expect(vanilla!.estimate.value).toBeCloseTo((1000 * 18) / 51_600, 12)
    expect(hybrid!.estimate).toMatchObject({ value: 2, n: 24, no_interval: 'no_variation' })
    expect(vanilla!.estimate.interval!.low).toBeLessThan(vanilla!.estimate.value!)
    expect(overlap).toMatchObject({ model: 'vanilla-rag', against: 'hybrid-rag', figure: 'rank_biased_overlap' })
    expect(overlap!.estimate.value).toBeCloseTo((0.855 + 1) / 2, 12)
    expect(overlap!.estimate.interval).not.toBeNull()
    const text = askedText(values)
    expect(text).toContain('wide: facts per 1,000 tokens\n  vanilla-rag  0.35  [')
    expect(text).toMatch(/hybrid-rag {3}2\.00 {2}on 24 questions/)
    expect(text).toMatch(/vanilla-rag and hybrid-rag {2}0\.93 {2}\[0\.\d\d, \d\.\d\d\] {2}on 24 questions/)
    expect(askedRows(values).map(({ model, against, metric, n }) => [model, against, metric, n])).toEqual([
      ['vanilla-rag', null, 'facts_per_1000_tokens', 24],
      ['hybrid-rag', null, 'facts_per_1000_tokens', 24],
      ['vanilla-rag', 'hybrid-rag', 'rank_biased_overlap', 24],
    ])
  })

  it('rank the passages that an engine of its own reports, never the name of the engine', async () => {
    const rows = dataset.questions.slice(0, 10).flatMap((_, at) => {
      const graph = fixtureRow(dataset, ALIASES.graph, at)
      graph.evidence!.sources = [{ title: 'knowledge graph', snippet: '', score: 1 }]
      graph.evidence!.used_passages = [{ title: 'a.md', snippet: 'a', score: 1 }]
      return [answered('vanilla', at, 'ab', 1, 100), graph]
    })
    const [overlap] = await askedFigures(await fileOf(rows), ['rank_biased_overlap'])
    expect(overlap!.estimate.value).toBeCloseTo(rankBiasedOverlap(['a', 'b'], ['a'], 0.9), 12)
  })

  it('leave out what is not known: passages that are not reported, failed answers, answers without text', async () => {
    const rows = dataset.questions
      .slice(0, 10)
      .flatMap((_, at) => [
        answered('vanilla', at, at < 4 ? '' : 'ab', 1, 100),
        fixtureRow(dataset, ALIASES.graph, at),
        at === 9
          ? fixtureRow(dataset, ALIASES.hybrid, at, { failure: { type: 'timeout', message: 'late' } })
          : answered('hybrid', at, at < 2 ? '' : 'ab', 1, 100),
      ])
    const values = await askedFigures(await fileOf(rows), ['rank_biased_overlap'])
    // Both empty: 2 questions do not count. One empty: 0 for 2 questions. One failed. 5 are equal.
    expect(values.map(({ model, against, estimate: { value, n } }) => [model, against, value, n])).toEqual([
      ['vanilla-rag', 'hybrid-rag', 5 / 7, 7],
    ])
  })
})
