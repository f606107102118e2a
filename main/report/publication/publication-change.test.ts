import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PublishedScope } from '../../../contract/control/run-job.ts'
import { projectWith, writeRun } from '../../../tests/helpers/report-project.ts'
import { fixtureDataset, goldenRows, REPORT_RUN } from '../../../tests/helpers/report-rows.ts'
import { decidePublication, describePublication, lostScope, publicationChange, scopeOf } from './publication-change.ts'
import { publish } from './publish.ts'
import { readAggregate } from './write-artifacts.ts'

const wide: PublishedScope = {
  run_id: 'baseline',
  models: ['vanilla-rag', 'hybrid-rag'],
  questions: 12,
  repeats: 2,
  cells: 48,
  judged: true,
}

describe('decidePublication', () => {
  it.each([
    ['fewer approaches', { models: ['vanilla-rag'] }, '1 approach (hybrid-rag)'],
    ['fewer questions', { questions: 11 }, '1 question'],
    ['fewer repetitions', { repeats: 1 }, '1 repetition'],
    ['fewer cells', { cells: 47 }, '1 answer'],
    ['no judgments', { judged: false }, 'the judgments'],
  ])('refuses a run of the published name with %s', (_what, part, lost) => {
    const { refusal } = decidePublication('smoke', { ...wide, readable: true }, { ...wide, ...part })
    expect(refusal).toContain(`also have ${lost}, which this run of the same name would delete`)
    expect(refusal).toContain('Choose another run name')
  })

  it('allows a narrower run under another name, and reports what the published results lose', () => {
    const change = decidePublication('smoke', { ...wide, readable: true }, { ...wide, run_id: 'new', judged: false })
    expect(change.refusal).toBeNull()
    expect(describePublication(change)).toBe(
      'smoke: run new (2 approaches, 48 answers, not judged) replaces the published results of run baseline (2 approaches, 48 answers, judged); without the judgments',
    )
  })

  it('allows an equal or wider run of the same name, and the first publication', () => {
    const wider = { ...wide, models: [...wide.models, 'graph-rag'], cells: 72 }
    expect(lostScope(wide, wide)).toEqual([])
    expect(decidePublication('smoke', { ...wide, readable: true }, wider)).toMatchObject({ lost: [], refusal: null })
    expect(decidePublication('smoke', null, wide)).toMatchObject({ lost: [], refusal: null })
  })
})

describe('publish over published results', () => {
  const dataset = fixtureDataset('subset', 'Subset', 1)
  let root: string
  let datasetsFile: string
  beforeEach(async () => {
    ;({ root, datasetsFile } = await projectWith([dataset]))
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  it('refuses a narrower run of the same name and leaves every published file as it is', async () => {
    const { files } = await writeRun(join(root, 'results'), dataset)
    const publication = {
      root,
      datasetsFile,
      files,
      runId: REPORT_RUN,
      datasetId: dataset.id,
      expectedCells: goldenRows(dataset).length,
    }
    expect((await publish(publication)).ok).toBe(true)
    // The published results are wider than those that are published next.
    const published = join(root, `docs/results/${REPORT_RUN}-subset-evaluation.json`)
    const { checksum: _, ...stored } = JSON.parse(await readFile(published, 'utf8'))
    stored.repeats = 5
    stored.cells.expected = 1000
    await writeFile(published, JSON.stringify(stored))
    const before = await readFile(join(root, 'docs/results/subset.md'), 'utf8')
    await expect(publish(publication)).rejects.toMatchObject({ code: 'narrower_publication' })
    expect(JSON.parse(await readFile(published, 'utf8'))).toEqual(stored)
    expect(await readFile(join(root, 'docs/results/subset.md'), 'utf8')).toBe(before)
    const next = scopeOf((await readAggregate(files.evaluation))!)
    expect(await publicationChange(root, datasetsFile, 'subset', next)).toMatchObject({
      current: { run_id: REPORT_RUN, cells: 1000, readable: true },
      refusal: expect.stringContaining('Cannot publish subset'),
    })
  })
})
