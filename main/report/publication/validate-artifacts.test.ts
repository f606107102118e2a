import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { evidenceBytes, writeRun } from '../../../tests/helpers/report-project.ts'
import {
  comparedContext,
  comparedRows,
  fixtureDataset,
  goldenJudgments,
  goldenRows,
  REPORT_RUN,
  streamOf,
  wideDataset,
} from '../../../tests/helpers/report-rows.ts'
import { fastLine } from '../../../tests/helpers/synthetic-evidence.ts'
import { artifactFiles, type ArtifactFiles } from '../../evidence/files/artifact-files.ts'
import { identityPathFor } from '../../evidence/rows/identity-record.ts'
import { identityOfRow } from '../../evidence/rows/run-identity.ts'
import { journalPath, openVerdictJournal } from '../../judge/verdict-journal.ts'
import { validateArtifacts } from './validate-artifacts.ts'
import { writeArtifacts } from './write-artifacts.ts'

const dataset = fixtureDataset('subset', 'Subset', 1)
const rows = goldenRows(dataset)
let dir: string
let files: ArtifactFiles
beforeEach(async () => {
  dir = await temporaryFolder('report-check')
  files = (await writeRun(dir, dataset)).files
})

const check = (expectedCells = rows.length) =>
  validateArtifacts(files, { runId: REPORT_RUN, datasetId: dataset.id, expectedCells })
const problems = async (expectedCells?: number) =>
  (await check(expectedCells)).problems.map(({ file, code }) => `${code} ${file.slice(`${REPORT_RUN}-subset-`.length)}`)
/** The text as earlier versions wrote it. */
const withoutSeal = (text: string): string => text.replace(/,\n {2}"checksum": "\w+"/, '')

const edit = async (file: string, change: (text: string) => string) =>
  writeFile(file, change(await readFile(file, 'utf8')))

describe('validateArtifacts', () => {
  it('accepts what the runner wrote, with hashes', async () => {
    const report = await check()
    expect(report.problems).toEqual([])
    expect(report.artifacts.map(({ kind }) => kind).toSorted()).toEqual(['evaluation', 'evidence', 'matrix'])
    expect(report.checked?.aggregate.run_id).toBe(REPORT_RUN)
  })

  it('requires judgments when there were judges, and only then', async () => {
    ;({ files } = await writeRun(dir, dataset, goldenJudgments(dataset)))
    expect((await check()).artifacts).toHaveLength(4)
    await rm(files.judgments)
    expect(await problems()).toEqual(['missing judgments.json', 'differs evaluation.json'])
  })

  it('refuses a reason that the judge did not give, where the journal of verdicts is there', async () => {
    const judgments = goldenJudgments(dataset)
    const verdict = { rotation: 0, order: ['vanilla-rag'], scores: {}, best: null, attempts: 1 }
    const given = { ...verdict, reasons: { 'vanilla-rag': 'It names the year.' } }
    const [query] = judgments.queries
    query!.per_judge['judge-a'] = { ...query!.per_judge['judge-a']!, reasons: given.reasons, rotations: [given] }
    ;({ files } = await writeRun(dir, dataset, judgments))
    const journal = await openVerdictJournal(journalPath(files.judgments))
    await journal.append({ key: '0'.repeat(64), query_id: query!.query_id, judge: 'judge-a', verdict: given })
    await journal.close()
    expect(await problems()).toEqual([])
    await edit(files.judgments, (text) => text.replace('It names the year.', 'It names the yeer.'))
    expect(await problems()).toEqual(['differs judgments.json', 'differs evaluation.json'])
    await edit(files.judgments, withoutSeal)
    expect(await problems()).toEqual(['differs judgments.json'])
  })

  it('refuses a changed identity record, and one that is no record', async () => {
    const identity = identityOfRow(rows[0]!)
    await writeFile(identityPathFor(files.evidence), JSON.stringify(identity))
    expect(await problems()).toEqual([])
    await edit(identityPathFor(files.evidence), (text) => text.replace('"seed":"ladder"', '"seed":"lOdder"'))
    expect(await problems()).toEqual(['differs evidence.identity.json'])
    const failedFirst = rows.toSorted((a, b) => Number(a.status === 'ok') - Number(b.status === 'ok'))
    expect(failedFirst[0]!.status).not.toBe('ok')
    await writeFile(files.evidence, evidenceBytes(failedFirst))
    const other = structuredClone(identity)
    for (const role of Object.values(other.reproducibility.runtime.models!.roles)) role.model = 'other'
    await writeFile(identityPathFor(files.evidence), JSON.stringify(other))
    expect(await problems()).toEqual(['differs evidence.identity.json'])
    await writeFile(identityPathFor(files.evidence), '{"torn')
    expect(await problems()).toEqual(['differs evidence.identity.json'])
  })

  it.each([
    ['missing matrix.json', () => rm(files.matrix)],
    ['schema matrix.json', () => writeFile(files.matrix, '{}')],
    ['schema evaluation.json', () => edit(files.evaluation, (text) => text.slice(0, -20))],
    ['schema evaluation.json', () => edit(files.evaluation, (text) => text.replace('"mean": 0.75', '"mean": 0.76'))],
    [
      'differs evaluation.json',
      () => edit(files.evaluation, (text) => withoutSeal(text.replace('"mean": 0.75', '"mean": 0.76'))),
    ],
    ['differs evaluation.json', () => edit(files.evaluation, (text) => text.trimEnd())],
    [
      'differs matrix.json',
      () => edit(files.matrix, (text) => text.replace('Answer of hybrid-rag.', 'Better answer.')),
    ],
    [
      'other_run evaluation.json',
      () => edit(files.evaluation, (text) => withoutSeal(text.replace(REPORT_RUN, 'another'))),
    ],
    ['torn_tail evidence.jsonl', () => appendFile(files.evidence, '{"torn')],
    ['duplicate_row evidence.jsonl', () => appendFile(files.evidence, evidenceBytes(rows.slice(0, 1)))],
    [
      'malformed_line evidence.jsonl',
      () => edit(files.evidence, (text) => text.replace('"seed":"ladder"', '"seed":"lOdder"')),
    ],
  ])('finds: %s', async (problem, damage) => {
    await damage()
    expect(await problems()).toEqual([problem])
  })

  it.each([
    [
      'an answer: the cell and its field',
      (text: string) => text.replace('"answer":"Answer of hybrid-rag.', '"answer":"Better answer.'),
      /^not what the evidence gives: cells\[\d+\]\.answer is "Better answer\.", the evidence gives "Answer of hybrid-rag\."$/,
    ],
    [
      'a question: its place and field',
      (text: string) => text.replace(/("id":"q-1",[^\n]*"query":")/, '$1Once more: '),
      /^not what the evidence gives: queries\[0\]\.query is "Once more: /,
    ],
    ['a cell too few', (text: string) => text.replace(/\n {4}\{"query_id"[^\n]*/, ''), /: cells\[0\]\./],
    [
      'a cell too few at the end',
      (text: string) => text.replace(/,\n[^\n]*\n {2}\]\n\}\n$/, '\n  ]\n}\n'),
      /cells\[\d+\] is \(absent\)/,
    ],
    ['a line that is no cell', (text: string) => text.replace('"ok":true,"raw"', '"ok":true,raw'), /^cells\[\d+\]: /],
  ])('names where a matrix differs: %s', async (_name, change, message) => {
    await edit(files.matrix, change)
    const { problems: found } = await check()
    expect(found).toHaveLength(1)
    expect(found[0]!.message).toMatch(message)
    expect(await readdir(dir)).not.toContainEqual(expect.stringContaining('.tmp'))
  })

  it('finds a missing row in the count, the aggregate and the matrix', async () => {
    await writeFile(files.evidence, evidenceBytes(rows.slice(1)))
    expect(await problems()).toEqual(['cell_count evidence.jsonl', 'differs evaluation.json', 'differs matrix.json'])
    expect(await problems(rows.length + 5)).toContain('cell_count evidence.jsonl')
  })

  it('accepts repetitions, and reports a missing one', async () => {
    const wide = wideDataset('wide', 'Wide', 2)
    const repeated = comparedRows(wide, 2)
    const own = artifactFiles(dir, REPORT_RUN, wide.id)
    await writeFile(own.evidence, evidenceBytes(repeated))
    await writeArtifacts(own, streamOf(repeated), comparedContext(wide, 2))
    const expectation = { runId: REPORT_RUN, datasetId: wide.id, expectedCells: 24 * 4 * 2 }
    expect((await validateArtifacts(own, expectation)).problems).toEqual([])
    await writeFile(own.evidence, evidenceBytes(repeated.slice(0, -1)))
    const { problems: found } = await validateArtifacts(own, expectation)
    expect(found.map(({ code }) => code)).toEqual(['cell_count', 'differs', 'differs'])
  })

  it('names id and field of a row that breaks the schema, and the field in which a file differs', async () => {
    const broken = { ...rows[0]!, finished_at: 'yesterday' }
    await writeFile(files.evidence, Buffer.concat([evidenceBytes(rows.slice(1)), fastLine(broken)]))
    const { problems: found } = await check()
    expect(found[0]!.message).toMatch(new RegExp(`^row ${broken.row_id}: finished_at`))
    expect(found.find(({ file }) => file.endsWith('evaluation.json'))!.message).toMatch(
      /approaches\[0\]\.\S+ is .+ gives/,
    )
  })
})
