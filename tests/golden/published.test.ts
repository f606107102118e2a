import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Judgments } from '../../contract/index.ts'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { hashFile } from '../../main/lib/hash-file.ts'
import { renderMatrixTable } from '../../main/report/matrix-table.ts'
import { verifyPage } from '../../main/report/verify-page.ts'
import { readAggregate } from '../../main/report/write-artifacts.ts'
import { overPairs } from '../../main/statistics/pair-decision.ts'
import { plannedDifference } from '../../main/statistics/planned-difference.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

const { datasets } = await loadExperiment(PROJECT_ROOT)
const published = datasets.flatMap(({ dataset: { id, published } }) =>
  published === undefined ? [] : [{ id, published }],
)

const rungs = datasets.filter(({ dataset: { published } }) => published?.run_id === 'embedded-baseline')

describe('docs/results', () => {
  it.each(published)('holds what the dataset file states of $id, whole and readable', async ({ id, published }) => {
    for (const { file, sha256 } of published.artifacts) {
      const path = join(PROJECT_ROOT, file)
      expect((await hashFile(path)).sha256).toBe(sha256)
      if (file.endsWith('.jsonl')) expect(await verifyEvidence(path)).toMatchObject({ ok: true })
      if (file.endsWith('-evaluation.json'))
        expect(await readAggregate(path)).toMatchObject({ run_id: published.run_id, dataset: { id } })
      if (file.endsWith('-judgments.json')) Judgments.parse(JSON.parse(await readFile(path, 'utf8')))
    }
    expect(existsSync(join(PROJECT_ROOT, `docs/results/${id}.md`))).toBe(true)
  })

  it.runIf(published.length > 0)('is what the README shows: no figure there that was not published', async () => {
    const files = published.flatMap(({ published }) => published.artifacts.map(({ file }) => file))
    const read = files
      .filter((file) => file.endsWith('-evaluation.json'))
      .map((file) => readAggregate(join(PROJECT_ROOT, file)))
    const aggregates = (await Promise.all(read)).filter((aggregate) => aggregate !== null)
    const ladder = aggregates.filter(({ run_id }) => run_id === 'embedded-baseline')
    // COLUMNS=100 npm run rag-ladder -- summarize --results docs/results --run-id embedded-baseline
    const table = new Set(renderMatrixTable(ladder, { color: false, columns: 100 }).split('\n'))
    const [, block] = /```\n(Graph-native dossiers[^`]*)```/.exec(
      await readFile(join(PROJECT_ROOT, 'README.md'), 'utf8'),
    )!
    expect(
      block!
        .trimEnd()
        .split('\n')
        .filter((line) => !table.has(line.trimEnd())),
    ).toEqual([])
  })

  it.each(rungs)(
    'scatters on $dataset.id as the plan of a run expects: what it could see among all pairs is what the plan names',
    async ({ dataset: { id }, questions }) => {
      const aggregate = await readAggregate(join(PROJECT_ROOT, `docs/results/embedded-baseline-${id}-evaluation.json`))
      const { pairs } = aggregate!.comparisons!.metrics.find(({ metric }) => metric === 'facts_found')!
      const seen = overPairs(pairs.map(({ smallest_detectable: smallest }) => smallest))!.median
      const asked = new Set(aggregate!.questions.map((question) => question.id))
      const planned = plannedDifference(
        questions.filter((question) => asked.has(question.id)),
        pairs.length,
      )!
      expect(planned / seen).toBeGreaterThan(1 / 1.6)
      expect(planned / seen).toBeLessThan(1.6)
    },
  )

  it.each(rungs)('shows on $dataset.id what each stage of retrieval is for', async ({ dataset: { id } }) => {
    const aggregate = await readAggregate(join(PROJECT_ROOT, `docs/results/embedded-baseline-${id}-evaluation.json`))
    const { pairs } = aggregate!.comparisons!.metrics.find(({ metric }) => metric === 'facts_found')!
    const decisionOf = (a: string, b: string) => pairs.find((pair) => pair.a === a && pair.b === b)!.decision
    expect(decisionOf('vanilla-rag', 'hybrid-rag')).toBe('worse')
    expect(decisionOf('hybrid-rag', 'contextual-rag')).not.toBe('better')
  })

  it.runIf(published.length > 0)('has a page whose hashes are those of the files beside it', async () => {
    const files = await verifyPage(join(PROJECT_ROOT, 'docs/results/ladder.html'))
    expect(files.map(({ name }) => `docs/results/${name}`)).toEqual(
      published.flatMap(({ published }) => published.artifacts.map(({ file }) => file)),
    )
    expect(files.filter(({ state }) => state !== 'same')).toEqual([])
  })
})

describe('docs/results/small-real-models', () => {
  const folder = join(PROJECT_ROOT, 'docs/results/small-real-models')

  it('has an answer of every cell in intact evidence, and a page whose hashes are those of the files beside it', async () => {
    for (const [dataset, cells] of Object.entries({
      smoke: 28,
      baseline_curated: 56,
      graph_native: 56,
      cyber_threat_intel: 56,
    })) {
      const name = join(folder, `small-real-models-${dataset}`)
      expect(await verifyEvidence(`${name}-evidence.jsonl`)).toMatchObject({ ok: true })
      const aggregate = await readAggregate(`${name}-evaluation.json`)
      expect(aggregate).toMatchObject({ run_id: 'small-real-models', cells: { expected: cells, ok: cells } })
    }
    const files = await verifyPage(join(folder, 'ladder.html'))
    expect(files).toHaveLength(12)
    expect(files.filter(({ state }) => state !== 'same')).toEqual([])
  })
})
