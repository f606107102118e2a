import { appendFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { claimFree, openLog, store, temporaryLogFile } from '../../../tests/helpers/evidence-files.ts'
import { failedRow, sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { readEvidenceRows, readFigureRows } from '../../report/read-evidence.ts'
import { openEvidenceLog } from '../open-evidence-log.ts'
import { cellId, rowId, rowKeyOf } from './row-id.ts'
import { sealRow } from './row-line.ts'
import { verifyEvidence } from '../verify-evidence.ts'

const idsOf = (rows: readonly { row_id: string }[]): string[] => rows.map((row) => row.row_id)

const answered = sampleRow({ question: 'q1' })
const failed = failedRow({ question: 'q2' })
const failedAgain = failedRow({ question: 'q2', retry: 1 })
const answeredAtLast = sampleRow({ question: 'q2', retry: 2 })
const failedOther = failedRow({ question: 'q3', httpStatus: 500 })

async function logOf(...rows: (typeof answered)[]) {
  const file = await temporaryLogFile()
  const log = await openLog(file)
  for (const row of rows) await store(log, row)
  return { file, log }
}

describe('a cell that was tried again', () => {
  it('counts by its last row, for a log that is open, opened again, and for readers of the file', async () => {
    const { file, log } = await logOf(answered, failed, failedOther, failedAgain, answeredAtLast)
    const current = idsOf([answered, failedOther, answeredAtLast])
    expect(idsOf(await Array.fromAsync(log.rows()))).toEqual(current)
    await log.close()
    const again = await openLog(file)
    expect(idsOf(await Array.fromAsync(again.rows()))).toEqual(current)
    expect(idsOf(await Array.fromAsync(again.openRows()))).toEqual([failedOther.row_id])
    expect([cellId(rowKeyOf(failed)), cellId(rowKeyOf(failedOther))].map((cell) => again.retryOf(cell))).toEqual([2, 0])
    expect(idsOf(await Array.fromAsync(readEvidenceRows(file)))).toEqual(current)
    expect(idsOf((await Array.fromAsync(readFigureRows(file))).flat())).toEqual(current)
    expect(await verifyEvidence(file)).toMatchObject({ ok: true, rows: 5, supersededRows: 2 })
  })

  it('keeps its failed rows, and the id of its first row is that of rows stored before retries existed', async () => {
    const { log } = await logOf(failed, failedAgain)
    expect(await log.read(failed.row_id)).toEqual(failed)
    const { retry: _, ...key } = rowKeyOf(failed)
    expect(rowId(key)).toBe(failed.row_id)
    expect(cellId(rowKeyOf(failedAgain))).toBe(failed.row_id)
  })

  it('has the number of an answer that waits for its evaluation', async () => {
    const { file, log } = await logOf(failed)
    const { claim } = await claimFree(log, rowId({ ...rowKeyOf(failed), retry: 1 }))
    await log.keepAnswer(claim, sampleRow({ question: 'q2', retry: 1 }))
    await log.close()
    const again = await openLog(file)
    expect(again.retryOf(failed.row_id)).toBe(1)
  })

  it('replaces an answer whose grading was refused, and no other one', async () => {
    const ungraded = sampleRow({ question: 'q4' })
    const regraded = sampleRow({ question: 'q4', retry: 1 })
    const { file, log } = await logOf(answered, { ...ungraded, grading_refused: true })
    expect(idsOf(await Array.fromAsync(log.openRows()))).toEqual([ungraded.row_id])
    await store(log, regraded)
    expect(idsOf(await Array.fromAsync(log.rows()))).toEqual(idsOf([answered, regraded]))
    await log.close()
    const again = await openLog(file)
    expect(idsOf(await Array.fromAsync(again.openRows()))).toEqual([])
    expect(idsOf((await Array.fromAsync(readFigureRows(file))).flat())).toEqual(idsOf([answered, regraded]))
    expect(await verifyEvidence(file)).toMatchObject({ ok: true, rows: 3, supersededRows: 1 })
  })

  it('never replaces an answer: opening and verify report the line', async () => {
    const { file, log } = await logOf(answered)
    await log.close()
    const sealed = sealRow(failedRow({ question: 'q1', retry: 1 }))
    if (!sealed.ok) throw new Error(sealed.problem)
    await appendFile(file, sealed.line)
    const message = expect.stringContaining(`line 2`) as string
    expect(await openEvidenceLog(file, { runId: 'run-1', create: false })).toMatchObject({
      ok: false,
      refusal: { code: 'malformed_line', line: 2, message },
    })
    expect(await verifyEvidence(file)).toMatchObject({ ok: false, problems: [{ code: 'malformed_line', line: 2 }] })
  })
})
