import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeRun } from '../../tests/helpers/report-project.ts'
import { fixtureDataset, goldenJudgments, REPORT_RUN } from '../../tests/helpers/report-rows.ts'
import { aggregateText } from './aggregate-run.ts'
import { longCsv, writeLongCsv } from './long-csv.ts'
import { summarizeFolder } from './summarize-folder.ts'

const first = fixtureDataset('subset', 'Subset', 1)
const second = fixtureDataset('native', 'Native', 2)
let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'report-sum-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

describe('summarizeFolder', () => {
  it('sums up every run from its evidence, in ladder order, with its judges', async () => {
    await writeRun(dir, second)
    const { files } = await writeRun(dir, first, goldenJudgments(first))
    const { aggregates } = await summarizeFolder(dir)
    expect(aggregates.map(({ dataset, judge_panel }) => [dataset.id, judge_panel.status])).toEqual([
      ['subset', 'ok'],
      ['native', 'disabled'],
    ])
    expect(aggregateText(aggregates[0]!)).toBe(await readFile(files.evaluation, 'utf8'))
  })

  it('needs the evidence only, and finds judgments beside it', async () => {
    const { files } = await writeRun(dir, first, goldenJudgments(first))
    await rm(files.evaluation)
    const { aggregates } = await summarizeFolder(dir)
    expect(aggregates[0]).toMatchObject({
      judge_panel: { status: 'ok' },
      unavailable: [],
      cells: { expected: 32, ok: 29 },
    })
    await rm(files.judgments)
    expect((await summarizeFolder(dir)).aggregates[0]!.judge_panel).toEqual({ status: 'disabled' })
  })

  it('reads evidence under another name, and picks one run', async () => {
    const { files } = await writeRun(dir, first)
    await rename(files.evidence, join(dir, 'kept-evidence.jsonl'))
    expect((await summarizeFolder(dir)).aggregates.map(({ run_id }) => run_id)).toEqual([REPORT_RUN])
    expect((await summarizeFolder(dir, 'another')).aggregates).toEqual([])
  })

  it('writes the same CSV bytes again', async () => {
    await writeRun(dir, first)
    await writeRun(dir, second, goldenJudgments(second))
    const one = await writeLongCsv(join(dir, 'one.csv'), await summarizeFolder(dir))
    const two = await writeLongCsv(join(dir, 'two.csv'), await summarizeFolder(dir))
    expect(two.sha256).toBe(one.sha256)
    expect(await readFile(one.path, 'utf8')).toBe([...longCsv(await summarizeFolder(dir))].join(''))
  })

  it('refuses damaged evidence instead of leaving it out', async () => {
    const { files } = await writeRun(dir, first)
    await writeFile(files.evidence, 'no row\n')
    await expect(summarizeFolder(dir)).rejects.toMatchObject({ code: 'malformed_line' })
  })
})
