import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeRun } from '../../tests/helpers/report-project.ts'
import { fixtureDataset, goldenJudgments, REPORT_RUN } from '../../tests/helpers/report-rows.ts'
import { ladderReportOf, runsIn } from './ladder-folder.ts'
import { ladderMarkdown } from './ladder-markdown.ts'
import { scanResults } from './results-folder.ts'

const first = fixtureDataset('subset', 'Subset', 1)
const second = fixtureDataset('native', 'Native', 2)
let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ladder-folder-'))
  await writeRun(join(dir, 'results'), second)
  await writeRun(join(dir, 'results'), first, goldenJudgments(first))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const results = () => join(dir, 'results')
const scan = () => scanResults(results())

describe('ladderReportOf', () => {
  it('takes a run’s summaries up the ladder, and hashes every artifact as the page will find it', async () => {
    expect(runsIn(await scan())).toEqual([REPORT_RUN])
    const { aggregates, artifacts } = await ladderReportOf(await scan(), REPORT_RUN, join(dir, 'out'))
    expect(aggregates.map(({ dataset }) => dataset.id)).toEqual(['subset', 'native'])
    expect(artifacts.map(({ href }) => href.slice(`../results/${REPORT_RUN}-`.length))).toEqual([
      ...['evidence.jsonl', 'evaluation.json', 'matrix.json', 'judgments.json'].map((end) => `subset-${end}`),
      ...['evidence.jsonl', 'evaluation.json', 'matrix.json'].map((end) => `native-${end}`),
    ])
    for (const { href, sha256 } of artifacts)
      expect(
        createHash('sha256')
          .update(await readFile(join(dir, 'out', href)))
          .digest('hex'),
      ).toBe(sha256)
  })

  it('sums up the evidence where there is no summary, or one that compares nothing', async () => {
    const before = await ladderReportOf(await scan(), REPORT_RUN, results())
    const file = join(results(), `${REPORT_RUN}-subset-evaluation.json`)
    const { comparisons: _none, ...old } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
    await writeFile(file, JSON.stringify(old))
    await rm(join(results(), `${REPORT_RUN}-native-evaluation.json`))
    const after = await ladderReportOf(await scan(), REPORT_RUN, results())
    expect(after.aggregates[0]).toEqual(before.aggregates[0])
    expect(after.aggregates[1]!.comparisons).not.toBeNull()
    expect(after.artifacts.some(({ href }) => href.endsWith('native-evaluation.json'))).toBe(false)
  })

  it('finds nothing of another run', async () => {
    expect(await ladderReportOf(await scan(), 'other', results())).toEqual({
      aggregates: [],
      artifacts: [],
      unusable: [],
    })
    expect(ladderMarkdown([], [])).toContain('None.')
  })
})
