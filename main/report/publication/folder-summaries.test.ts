import { hash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { writeRun } from '../../../tests/helpers/report-project.ts'
import { fixtureDataset, goldenJudgments, REPORT_RUN } from '../../../tests/helpers/report-rows.ts'
import { aggregateText } from '../aggregate/aggregate-run.ts'
import { ladderReportOf, runsIn, summarizeFolder } from './folder-summaries.ts'
import { ladderMarkdown } from '../markdown/ladder-markdown.ts'
import { longCsv, writeLongCsv } from '../csv/long-csv.ts'
import { scanResults } from './results-folder.ts'

const first = fixtureDataset('subset', 'Subset', 1)
const second = fixtureDataset('native', 'Native', 2)
let dir: string
beforeEach(async () => {
  dir = await temporaryFolder('report-sum')
})

describe('summarizeFolder', () => {
  it('every run is summarized from its evidence, in ladder order, with its judges', async () => {
    await writeRun(dir, second)
    const { files } = await writeRun(dir, first, goldenJudgments(first))
    const { aggregates } = await summarizeFolder(dir)
    expect(aggregates.map(({ dataset, judge_panel }) => [dataset.id, judge_panel.status])).toEqual([
      ['subset', 'ok'],
      ['native', 'disabled'],
    ])
    expect(aggregateText(aggregates[0]!)).toBe(await readFile(files.evaluation, 'utf8'))
  })

  it('the evidence alone is enough, and judgments beside it are joined', async () => {
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

  it('evidence with another file name is read, and one run can be selected', async () => {
    const { files } = await writeRun(dir, first)
    await rename(files.evidence, join(dir, 'kept-evidence.jsonl'))
    expect((await summarizeFolder(dir)).aggregates.map(({ run_id }) => run_id)).toEqual([REPORT_RUN])
    expect((await summarizeFolder(dir, 'another')).aggregates).toEqual([])
  })

  it('the same folder gives the same CSV bytes', async () => {
    await writeRun(dir, first)
    await writeRun(dir, second, goldenJudgments(second))
    const one = await writeLongCsv(join(dir, 'one.csv'), await summarizeFolder(dir))
    const two = await writeLongCsv(join(dir, 'two.csv'), await summarizeFolder(dir))
    expect(two.sha256).toBe(one.sha256)
    expect(await readFile(one.path, 'utf8')).toBe([...longCsv(await summarizeFolder(dir))].join(''))
  })

  it('each unusable file is listed with its first problem and the number of problems, and the rest is summarized', async () => {
    const { files } = await writeRun(dir, first)
    const evidence = await readFile(files.evidence, 'utf8')
    const [one, two] = evidence.split('\n') as [string, string]
    const other = (await readFile((await writeRun(join(dir, 'other'), second)).files.evidence, 'utf8')).split('\n')[0]!
    const put = (name: string, text: string) => writeFile(join(dir, name), text)
    await put('bad-evidence.jsonl', 'no row\nnor this\n')
    await put('torn-evidence.jsonl', `${one}\n${two.slice(0, 100)}`)
    await put('mixed-evidence.jsonl', `${one}\n${other}\n`)
    await put('foreign-evidence.jsonl', '{"schema_version":1,"runner_version":1}\n')
    await put('empty-evidence.jsonl', '')
    await put('broken-evaluation.json', '{"schema_version":1}')
    await put('text-evaluation.json', 'no JSON')
    await put('old-matrix.json', '[]')
    await mkdir(join(dir, 'folder-evidence.jsonl'))
    const { aggregates, unusable } = await summarizeFolder(dir)
    expect(aggregates.map(({ dataset }) => dataset.id)).toEqual(['subset'])
    expect(unusable.map(({ file, issues }) => [file, issues > 1])).toEqual([
      ['bad-evidence.jsonl', true],
      ['broken-evaluation.json', true],
      ['folder-evidence.jsonl', false],
      ['foreign-evidence.jsonl', false],
      ['text-evaluation.json', false],
      ['mixed-evidence.jsonl', false],
      ['torn-evidence.jsonl', false],
      ['old-matrix.json', false],
    ])
    for (const { reason } of unusable) expect(reason).toMatch(/\w{3}/)
  })

  it('a summary of another run beside the evidence is listed, and the figures come from the rows', async () => {
    const { files } = await writeRun(dir, first)
    const { checksum: _, ...stored } = JSON.parse(await readFile(files.evaluation, 'utf8')) as Record<string, unknown>
    await writeFile(files.evaluation, JSON.stringify({ ...stored, run_id: 'another' }))
    const { aggregates, unusable } = await summarizeFolder(dir)
    expect(aggregates.map(({ run_id }) => run_id)).toEqual([REPORT_RUN])
    expect(unusable).toMatchObject([{ reason: expect.stringContaining('it is of run another') as string }])
  })
})

describe('ladderReportOf', () => {
  const results = () => join(dir, 'results')
  const scan = () => scanResults(results())
  beforeEach(async () => {
    await writeRun(results(), second)
    await writeRun(results(), first, goldenJudgments(first))
  })

  it('a report has the summaries of a run in ladder order and the hash of every artifact', async () => {
    expect(runsIn(await scan())).toEqual([REPORT_RUN])
    const { aggregates, artifacts } = await ladderReportOf(await scan(), REPORT_RUN, join(dir, 'out'))
    expect(aggregates.map(({ dataset }) => dataset.id)).toEqual(['subset', 'native'])
    expect(artifacts.map(({ href }) => href.slice(`../results/${REPORT_RUN}-`.length))).toEqual([
      ...['evidence.jsonl', 'evaluation.json', 'matrix.json', 'judgments.json'].map((end) => `subset-${end}`),
      ...['evidence.jsonl', 'evaluation.json', 'matrix.json'].map((end) => `native-${end}`),
    ])
    for (const { href, sha256 } of artifacts)
      expect(hash('sha256', await readFile(join(dir, 'out', href)))).toBe(sha256)
  })

  it('a missing summary, or one without comparisons, is computed from the evidence', async () => {
    const before = await ladderReportOf(await scan(), REPORT_RUN, results())
    const file = join(results(), `${REPORT_RUN}-subset-evaluation.json`)
    const {
      comparisons: _none,
      checksum: _,
      ...old
    } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
    await writeFile(file, JSON.stringify(old))
    await rm(join(results(), `${REPORT_RUN}-native-evaluation.json`))
    const after = await ladderReportOf(await scan(), REPORT_RUN, results())
    expect(after.aggregates[0]).toEqual(before.aggregates[0])
    expect(after.aggregates[1]!.comparisons).not.toBeNull()
    expect(after.artifacts.some(({ href }) => href.endsWith('native-evaluation.json'))).toBe(false)
  })

  it('a report of an unknown run is empty', async () => {
    expect(await ladderReportOf(await scan(), 'other', results())).toEqual({
      aggregates: [],
      artifacts: [],
      unusable: [],
      paraphrases: [],
    })
    expect(ladderMarkdown([], [])).toContain('None.')
  })
})

it('a run that asked its questions in other words too shows the originals as they are, and what each approach loses on the questions asked both ways', async () => {
  const original = fixtureDataset('native', 'Native', 2)
  const paraphrased = fixtureDataset('native_paraphrased', 'Native, paraphrased', 0)
  await writeRun(dir, original)
  const alone = await ladderReportOf(await scanResults(dir), REPORT_RUN, dir)
  expect(alone.paraphrases).toEqual([])
  // No answer covers its point when it is asked for in other words.
  for (const question of paraphrased.questions) if (question.answerable) question.answer_keys = [['no such point']]
  await writeRun(dir, paraphrased)
  const report = await ladderReportOf(await scanResults(dir), REPORT_RUN, dir)
  expect(report.aggregates).toEqual(alone.aggregates)
  const points = report.paraphrases.filter(({ metric }) => metric === 'points_covered')
  const means = new Map(
    alone.aggregates[0]!.approaches.flatMap(({ model, answer: { points_covered: summary } }) =>
      (summary?.scored ?? 0) > 0 ? [[model, summary!]] : [],
    ),
  )
  expect(points.map(({ model }) => model)).toEqual([...means.keys()].sort())
  for (const { model, questions, original: mean, paraphrased: twin, difference } of points) {
    expect([questions, twin, difference]).toEqual([means.get(model)!.scored, 0, mean])
    expect(mean).toBeCloseTo(means.get(model)!.mean!, 6)
  }
  expect(points.some(({ difference }) => difference > 0)).toBe(true)
  const markdown = ladderMarkdown(report.aggregates, report.artifacts, report.unusable, report.paraphrases)
  expect(markdown).toContain('## In other words')
  expect(markdown).not.toContain('Native, paraphrased')
})
