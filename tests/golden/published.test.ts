import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { publishedTables, withTables } from '../../build/published-tables.ts'
import type { Aggregate } from '../../contract/evidence/aggregate.ts'
import { Judgments } from '../../contract/evidence/judgments.ts'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { hashFile } from '../../main/lib/files/hash-file.ts'
import { renderMatrixTable } from '../../main/report/terminal/matrix-table.ts'
import { PACKED_ENDING, readPublished, unpackedForUse } from '../../main/report/publication/published-folder.ts'
import { verifyPage } from '../../main/report/publication/verify-page.ts'
import { readAggregate } from '../../main/report/publication/write-artifacts.ts'
import { verdictsOf } from '../../main/report/verdict/verdict.ts'
import { plannedDecision } from '../../main/runner/prepare/planned-decision.ts'
import { overPairs } from '../../main/statistics/pair-decision.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

const { datasets } = await loadExperiment(PROJECT_ROOT)
const published = datasets.flatMap(({ dataset: { id, published } }) =>
  published === undefined ? [] : [{ id, published }],
)

const rungs = datasets.filter(({ dataset: { published } }) => published?.run_id === 'embedded-baseline')

/** The summaries of the published rungs, from the first to the last. */
async function publishedLadder(): Promise<Aggregate[]> {
  const names = rungs.map(({ dataset: { id } }) => `docs/results/embedded-baseline-${id}-evaluation.json`)
  const read = await Promise.all(names.map((name) => readAggregate(join(PROJECT_ROOT, name))))
  return read
    .filter((aggregate) => aggregate !== null)
    .toSorted((a, b) => a.dataset.complexity_level - b.dataset.complexity_level)
}

describe('docs/results', () => {
  it.each(published)('holds what the dataset file states of $id, whole and readable', async ({ id, published }) => {
    for (const { file, sha256 } of published.artifacts) {
      const path = join(PROJECT_ROOT, file)
      expect((await hashFile(path)).sha256).toBe(sha256)
      if (/\.jsonl(\.br)?$/.test(file)) expect(await unpackedForUse(path, verifyEvidence)).toMatchObject({ ok: true })
      if (file.endsWith('-evaluation.json'))
        expect(await readAggregate(path)).toMatchObject({ run_id: published.run_id, dataset: { id } })
      if (/-judgments\.json(\.br)?$/.test(file)) Judgments.parse(JSON.parse(String(await readPublished(path))))
    }
    expect(existsSync(join(PROJECT_ROOT, `docs/results/${id}.md`))).toBe(true)
  })

  it.runIf(published.length > 0)('is what the README shows: no figure there that was not published', async () => {
    const ladder = await publishedLadder()
    // COLUMNS=100 npm run rag-ladder -- summarize --results docs/results --run-id embedded-baseline
    const table = new Set(renderMatrixTable(ladder, { color: false, columns: 100 }).split('\n'))
    const [, block] = /```\n(facts found up the ladder[^`]*)```/.exec(
      await readFile(join(PROJECT_ROOT, 'README.md'), 'utf8'),
    )!
    expect(
      block!
        .trimEnd()
        .split('\n')
        .filter((line) => !table.has(line.trimEnd())),
    ).toEqual([])
  })

  it.runIf(rungs.length > 0)('has verdicts that take the approaches that the README names', async () => {
    const text = await readFile(join(PROJECT_ROOT, 'README.md'), 'utf8')
    const [, ...named] = /takes the simplest of the cheapest: ([\w-]+), ([\w-]+) and ([\w-]+)\./.exec(text)!
    expect(verdictsOf(await publishedLadder()).map(({ top }) => top[0])).toEqual(named)
  })

  it.each(rungs)(
    'scatters on $dataset.id as the plan of a run expects: what it could see among all pairs is what the plan names',
    async ({ dataset: { id }, questions }) => {
      const aggregate = await readAggregate(join(PROJECT_ROOT, `docs/results/embedded-baseline-${id}-evaluation.json`))
      const { pairs } = aggregate!.comparisons!.metrics.find(({ metric }) => metric === 'facts_found')!
      const seen = overPairs(pairs.map(({ smallest_detectable: smallest }) => smallest))!.median
      const asked = new Set(aggregate!.questions.map((question) => question.id))
      const { among } = await plannedDecision({
        questions: questions.filter((question) => asked.has(question.id)),
        approaches: aggregate!.approaches.length,
        judges: [],
        earlier: [],
      })
      expect(among! / seen).toBeGreaterThan(1 / 1.6)
      expect(among! / seen).toBeLessThan(1.6)
    },
  )

  it.each(rungs)('shows on $dataset.id what each stage of retrieval is for', async ({ dataset: { id } }) => {
    const aggregate = await readAggregate(join(PROJECT_ROOT, `docs/results/embedded-baseline-${id}-evaluation.json`))
    const { pairs } = aggregate!.comparisons!.metrics.find(({ metric }) => metric === 'facts_found')!
    const pairOf = (a: string, b: string) => pairs.find((pair) => pair.a === a && pair.b === b)!
    expect(pairOf('vanilla-rag', 'hybrid-rag').difference.value).toBeLessThan(-0.05)
    expect(pairOf('hybrid-rag', 'contextual-rag').decision).not.toBe('better')
  })

  it.each(rungs)(
    'compares on $dataset.id approaches that hand over the same amount of text',
    async ({ dataset: { id } }) => {
      const aggregate = await readAggregate(join(PROJECT_ROOT, `docs/results/embedded-baseline-${id}-evaluation.json`))
      const amounts = aggregate!.approaches.map(({ context_tokens: tokens }) => tokens?.median)
      expect(amounts).toEqual(Array.from({ length: 8 }, () => 2000))
    },
  )

  it.runIf(published.length > 0)('has a page whose hashes are those of the files beside it', async () => {
    const { files, page } = await verifyPage(join(PROJECT_ROOT, 'docs/results/ladder.html'))
    expect(files.map(({ name }) => `docs/results/${name}`)).toEqual(
      published.flatMap(({ published }) => published.artifacts.map(({ file }) => file)),
    )
    expect(files.filter(({ state }) => state !== 'same')).toEqual([])
    expect(['remade', 'figures']).toContain(page)
  })
})

describe('docs/validity.md', () => {
  it('has the tables of both published ladders as their summaries give them', async () => {
    const text = await readFile(join(PROJECT_ROOT, 'docs/validity.md'), 'utf8')
    expect(withTables(text, await publishedTables(PROJECT_ROOT))).toBe(text)
  })

  it('refuses a page without a place for a table', () => {
    expect(() => withTables('# Validity\n', { means: '', differences: '' })).toThrow('has no place for the table means')
  })
})

describe('docs/results/native', () => {
  const folder = join(PROJECT_ROOT, 'docs/results/native')

  it.each(rungs)('has the cells of $dataset.id without a budget, in intact evidence', async ({ dataset }) => {
    const name = join(folder, `native-amounts-${dataset.id}`)
    const verified = await unpackedForUse(`${name}-evidence.jsonl${PACKED_ENDING}`, verifyEvidence)
    expect(verified).toMatchObject({ ok: true })
    const aggregate = await readAggregate(`${name}-evaluation.json`)
    expect(aggregate).toMatchObject({ run_id: 'native-amounts', cells: { expected: 896, ok: 896 } })
    const amounts = aggregate!.approaches.map(({ context_tokens: tokens }) => tokens?.median ?? 0)
    expect(Math.max(...amounts)).toBeGreaterThan(4 * Math.min(...amounts))
  })

  it('has a page whose hashes are those of the files beside it', async () => {
    const { files, page } = await verifyPage(join(folder, 'ladder.html'))
    expect(files).toHaveLength(4 * rungs.length)
    expect(files.filter(({ state }) => state !== 'same')).toEqual([])
    expect(['remade', 'figures']).toContain(page)
  })
})

describe('docs/results/small-real-models', () => {
  const folder = join(PROJECT_ROOT, 'docs/results/small-real-models')

  it('has an answer of every cell in intact evidence, and a page whose hashes are those of the files beside it', async () => {
    for (const [dataset, cells] of Object.entries({
      smoke: 28,
      baseline_curated: 84,
      graph_native: 84,
      cyber_threat_intel: 84,
    })) {
      const name = join(folder, `small-real-models-${dataset}`)
      expect(await unpackedForUse(`${name}-evidence.jsonl${PACKED_ENDING}`, verifyEvidence)).toMatchObject({ ok: true })
      const aggregate = await readAggregate(`${name}-evaluation.json`)
      expect(aggregate).toMatchObject({ run_id: 'small-real-models', cells: { expected: cells, ok: cells } })
    }
    const { files, page } = await verifyPage(join(folder, 'ladder.html'))
    expect(files).toHaveLength(16)
    expect(files.filter(({ state }) => state !== 'same')).toEqual([])
    expect(['remade', 'figures']).toContain(page)
  })
})
