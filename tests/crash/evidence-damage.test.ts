import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { openEvidenceLog } from '../../main/evidence/open-evidence-log.ts'
import { recoverTornTail } from '../../main/evidence/files/recover-torn-tail.ts'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { openLog, store, temporaryLogFile } from '../helpers/evidence-files.ts'
import { sampleIdentity, sampleRow } from '../helpers/evidence-rows.ts'
import { failingDisk } from '../helpers/failing-disk.ts'
import { stepOf } from '../helpers/repetitions.ts'

/** As little as a row can hold: every byte of the file is tried. */
function smallRow(question: string): CanonicalRow {
  const row = sampleRow({ question, answer: 'vier Meter – 4 m' })
  const { runtime } = row.reproducibility
  Object.assign(row.reproducibility, { config_hashes: {}, ingestion: null })
  Object.assign(runtime, { runtime_files: [], models: null, providers: {} })
  Object.assign(runtime.repository, { revision: null })
  Object.assign(row.evidence!, { contexts: [], sources: [], token_usage: null, server_metrics: null })
  Object.assign(row.metrics.operational, { token_usage: null, server: null })
  Object.assign(row.question, { gold: [], answer_keys: [] })
  return row
}

const rows = ['q1', 'q2'].map(smallRow)
const identity = { ...sampleIdentity(), reproducibility: rows[0]!.reproducibility }

const CUTS = 'a row of a log is cut off, or a log with a flipped bit opened,'

/** The real disk without waiting for it: what is tried here is the content of the file. */
const ops = failingDisk({ skipSyncs: true })

/** A closed log of two rows with the offsets at which its lines end. */
async function twoRows(): Promise<{ file: string; whole: Buffer; lineEnds: number[] }> {
  const file = await temporaryLogFile()
  const log = await openLog(file, {}, identity)
  for (const row of rows) await store(log, row)
  await log.close()
  const whole = await readFile(file)
  return { file, whole, lineEnds: [...whole.entries()].filter(([, byte]) => byte === 10).map(([at]) => at + 1) }
}

describe('a log that was cut off', () => {
  it.each([
    ['first row', 0],
    ['second row', 1],
  ])(
    'opens with its complete rows, or refuses as torn and recovers exactly those, wherever its %s is cut',
    async (_, row) => {
      const { file, whole, lineEnds } = await twoRows()
      const [start, end] = [row === 0 ? 0 : lineEnds[row - 1]! + 1, lineEnds[row]!]
      const cuts = new Set([end - 1, end])
      // What follows the last newline is never parsed. So every byte of the first row is tried; after a complete row, which is, every seventh.
      const step = Math.max(row === 0 ? 1 : 7, stepOf(CUTS, end - start))
      for (let cut = start; cut <= end; cut += step) cuts.add(cut)
      for (const cut of cuts) {
        writeFileSync(file, whole.subarray(0, cut))
        const complete = lineEnds.filter((end) => end <= cut)
        const goodEnd = complete.at(-1) ?? 0
        if (cut > goodEnd) {
          const opened = await openEvidenceLog(file, { runId: 'run-1', create: false, ops })
          expect(opened, `cut at ${cut}`).toMatchObject({ ok: false, refusal: { code: 'torn_tail', offset: goodEnd } })
          const recovered = await recoverTornTail(file, ops)
          expect(recovered).toMatchObject({ ok: true, rows: complete.length, movedBytes: cut - goodEnd })
          if (!recovered.ok) return
          expect(readFileSync(recovered.movedTo).equals(whole.subarray(goodEnd, cut))).toBe(true)
          rmSync(recovered.movedTo)
        }
        expect(readFileSync(file).equals(whole.subarray(0, goodEnd))).toBe(true)
        // Opening is dear, and equal for equal bytes: try it at the line ends and here and there.
        if (cut === goodEnd || (cut - start) % 200 === 0) {
          const log = await openLog(file, {}, identity)
          expect(log.rowCount).toBe(complete.length)
          await log.close()
        }
      }
    },
  )
})

describe('a flipped bit', () => {
  it('is refused on opening, at every offset but that of the last newline', async () => {
    const { file, whole, lineEnds } = await twoRows()
    // Every byte is tried on single lines in row-line.test.ts; here the steps meet every part of a row and each newline.
    const places = new Set([lineEnds[0]! - 1])
    for (let at = 0; at < whole.length - 1; at += Math.max(11, stepOf(CUTS, whole.length))) places.add(at)
    for (const at of places) {
      const damaged = Buffer.from(whole)
      damaged[at]! ^= 1 << (at % 8)
      await writeFile(file, damaged)
      const opened = await openEvidenceLog(file, { runId: 'run-1', create: false, ops })
      if (opened.ok) await opened.log.close()
      expect(opened, `byte ${at}: ${damaged.toString('latin1', at - 20, at + 20)}`).toMatchObject({
        ok: false,
        refusal: { code: 'malformed_line' },
      })
    }
  })

  it('is found by verify, with line and offset', async () => {
    const { file, whole, lineEnds } = await twoRows()
    for (let at = 3; at < whole.length - 1; at += 97) {
      const damaged = Buffer.from(whole)
      damaged[at]! ^= 0x01
      await writeFile(file, damaged)
      const line = lineEnds.filter((end) => end <= at).length
      const report = await verifyEvidence(file)
      expect(report).toMatchObject({ ok: false })
      expect(report.problems[0]).toMatchObject({
        code: 'malformed_line',
        line: line + 1,
        offset: lineEnds[line - 1] ?? 0,
      })
    }
  })

  it('in the last newline loses nothing: the row is kept aside', async () => {
    const { file, whole, lineEnds } = await twoRows()
    const damaged = Buffer.from(whole)
    damaged[whole.length - 1] = 0x0b
    await writeFile(file, damaged)
    expect(await openEvidenceLog(file, { runId: 'run-1', create: false })).toMatchObject({
      refusal: { code: 'torn_tail', offset: lineEnds[0] },
    })
    expect(await recoverTornTail(file)).toMatchObject({ ok: true, rows: 1 })
    const torn = (await readdir(dirname(file))).find((name) => name.includes('.torn-'))!
    expect(await readFile(join(dirname(file), torn))).toEqual(damaged.subarray(lineEnds[0]))
  })
})
