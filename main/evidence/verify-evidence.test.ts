import { hash } from 'node:crypto'
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { claimFree, openLog, store, temporaryLogFile } from '../../tests/helpers/evidence-files.ts'
import { sampleReproducibility, sampleRow } from '../../tests/helpers/evidence-rows.ts'
import { recoverTornTail } from './files/recover-torn-tail.ts'
import { withUnusedEvidence } from './remove-evidence.ts'
import { verifyEvidence } from './verify-evidence.ts'

const rows = ['q1', 'q2', 'q3'].map((question) => sampleRow({ question }))

async function closedLog(): Promise<string> {
  const file = await temporaryLogFile()
  const log = await openLog(file)
  for (const row of rows) await store(log, row)
  await log.close()
  return file
}

it('verifyEvidence reports size, hash and rows of an intact log', async () => {
  const file = await closedLog()
  const bytes = await readFile(file)
  expect(await verifyEvidence(file)).toEqual({
    file,
    ok: true,
    rows: 3,
    sizeBytes: bytes.length,
    sha256: hash('sha256', bytes),
    runId: 'run-1',
    sealedRows: 3,
    supersededRows: 0,
    problems: [],
    problemCount: 0,
    pendingAnswers: 0,
    traceTexts: null,
    missingTraceTexts: 0,
  })
})

it('verifyEvidence names the first row whose conditions differ from those of the rows before it', async () => {
  const file = await temporaryLogFile()
  const other = ['q2', 'q3'].map((question) => sampleRow({ question, reproducibility: sampleReproducibility('other') }))
  await writeFile(file, [rows[0], ...other].map((row) => `${JSON.stringify(row)}\n`).join(''))
  const report = await verifyEvidence(file)
  expect(report).toMatchObject({ ok: false, rows: 3, problemCount: 1, problems: [{ code: 'mixed_rows', line: 2 }] })
  expect(report.problems[0]!.message).toContain('reproducibility.seed: "other", before "ladder-seed"')
})

it('verifyEvidence names the row where rows with a checksum and rows without one meet', async () => {
  const file = await closedLog()
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  const unsealed = lines[1]!.replace(/,"checksum":"[0-9a-f]{8}"\}$/, '}')
  await writeFile(file, [lines[0], unsealed, lines[2], ''].join('\n'))
  expect(await verifyEvidence(file)).toMatchObject({
    ok: false,
    rows: 3,
    sealedRows: 2,
    problems: [{ code: 'malformed_line', line: 2, message: expect.stringContaining('checksum is missing') as string }],
  })
})

it('verifyEvidence checks a published copy and leaves no file beside it', async () => {
  const copy = await temporaryLogFile()
  await writeFile(copy, await readFile(await closedLog()))
  expect(await verifyEvidence(copy)).toMatchObject({ ok: true, rows: 3 })
  expect(await readdir(dirname(copy))).toEqual(['test-evidence.jsonl'])
})

it('verifyEvidence reports every problem with its line', async () => {
  const file = await temporaryLogFile()
  const lines = [rows[0], 'x', rows[0], sampleRow({ runId: 'run-2' })].map((row) => JSON.stringify(row))
  await writeFile(file, `${lines.join('\n')}\n{"torn`)
  const report = await verifyEvidence(file)
  expect(report).toMatchObject({ ok: false, rows: 3, problemCount: 4, sealedRows: 0 })
  expect(report.problems.map(({ code, line }) => [code, line])).toEqual([
    ['malformed_line', 2],
    ['duplicate_row', 3],
    ['foreign_run', 4],
    ['torn_tail', null],
  ])
})

it('verifyEvidence counts answers without an evaluation, and reports a missing file', async () => {
  const file = await temporaryLogFile()
  expect(await verifyEvidence(file)).toMatchObject({ ok: false, problems: [{ code: 'missing' }] })
  const log = await openLog(file)
  const { claim } = await claimFree(log, rows[0]!.row_id)
  await log.keepAnswer(claim, rows[0]!)
  expect(await verifyEvidence(file)).toMatchObject({ ok: true, rows: 0, pendingAnswers: 1 })
})

it('recoverTornTail refuses a file without a torn line, and one that is damaged elsewhere', async () => {
  const file = await closedLog()
  expect(await recoverTornTail(file)).toMatchObject({ ok: false, refusal: { code: 'not_torn' } })
  expect(await recoverTornTail(`${file}x`)).toMatchObject({ ok: false, refusal: { code: 'missing' } })
  const before = `x\n${await readFile(file, 'utf8')}{"torn`
  await writeFile(file, before)
  expect(await recoverTornTail(file)).toMatchObject({ ok: false, refusal: { code: 'malformed_line', line: 1 } })
  expect(await readFile(file, 'utf8')).toBe(before)
})

it('recoverTornTail works while another process has the log open', async () => {
  const file = await temporaryLogFile()
  const log = await openLog(file)
  await store(log, rows[0]!)
  await appendFile(file, 'torn')
  expect(await recoverTornTail(file)).toMatchObject({ ok: true, rows: 1, movedBytes: 4 })
  await store(log, rows[1]!)
  expect(await verifyEvidence(file)).toMatchObject({ ok: true, rows: 2 })
})

it('withUnusedEvidence gives a log and the files beside it, those of earlier versions too, but no log in use', async () => {
  const file = await closedLog()
  const removeAll = () => withUnusedEvidence(file, (files) => Promise.all(files.map((name) => rm(name))))
  await appendFile(file, 'torn')
  expect(await recoverTornTail(file)).toMatchObject({ ok: true })
  const log = await openLog(file)
  expect(await removeAll()).toMatchObject({ ok: false, refusal: { code: 'in_use' } })
  await log.close()
  await writeFile(`${file}.index`, 'of an earlier version')
  expect(await removeAll()).toMatchObject({ ok: true })
  expect(await readdir(dirname(file))).toEqual(['test-evidence.jsonl.lock'])
  const fresh = await openLog(file)
  expect(fresh.rowCount).toBe(0)
  await rm(file)
})
