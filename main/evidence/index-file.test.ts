import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { openLog, store, temporaryLogFile } from '../../tests/helpers/evidence-files.ts'
import { identityOf, sampleRow } from '../../tests/helpers/evidence-rows.ts'
import { indexPathFor, loadIndex, saveIndex } from './index-file.ts'
import { openEvidenceLog } from './open-evidence-log.ts'
import { verifyEvidence } from './verify-evidence.ts'

const rows = ['q1', 'q2', 'q3'].map((question) => sampleRow({ question }))

async function closedLog(): Promise<{ file: string; path: string }> {
  const file = await temporaryLogFile()
  const log = await openLog(file)
  for (const row of rows) await store(log, row)
  await log.close()
  return { file, path: indexPathFor(file) }
}

describe('the index file', () => {
  it('grows with the log', async () => {
    const { file, path } = await closedLog()
    const before = await readFile(path)
    const log = await openLog(file)
    await store(log, sampleRow({ question: 'q4' }))
    await log.close()
    const after = await readFile(path)
    expect(after.subarray(48, before.length)).toEqual(before.subarray(48))
    expect(await loadIndex(path, 'run-1')).toMatchObject({ index: { count: 4 } })
    expect(await verifyEvidence(file)).toMatchObject({ index: 'agrees' })
  })

  it('loses nothing when it is removed', async () => {
    const { file, path } = await closedLog()
    await rm(path)
    const log = await openLog(file)
    expect((await log.plan(rows.map(identityOf))).reuse).toHaveLength(3)
  })

  it('counts for its run only', async () => {
    const { file, path } = await closedLog()
    expect(await loadIndex(path, 'run-2')).toBeNull()
    expect(await openEvidenceLog(file, { runId: 'run-2', create: false })).toMatchObject({
      ok: false,
      refusal: { code: 'foreign_run', line: 1 },
    })
  })

  it('is not believed when any of its bytes changed, or when it is cut', async () => {
    const { path } = await closedLog()
    const whole = await readFile(path)
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole)
      changed[at]! ^= 0x10
      await writeFile(path, changed)
      expect(await loadIndex(path, 'run-1'), `byte ${at}`).toBeNull()
      await writeFile(path, whole.subarray(0, at))
      expect(await loadIndex(path, 'run-1'), `cut at ${at}`).toBeNull()
    }
  })

  it('is mended by the next run when it was damaged', async () => {
    const { file, path } = await closedLog()
    await writeFile(path, (await readFile(path)).fill(7, 60, 70))
    const log = await openLog(file)
    await store(log, sampleRow({ question: 'q4' }))
    await log.close()
    expect(await verifyEvidence(file)).toMatchObject({ index: 'agrees', rows: 4 })
  })

  it('is rebuilt when the log was replaced, and ignores what a killed writer left at its end', async () => {
    const { file, path } = await closedLog()
    await appendFile(path, 'left over from a killed writer')
    expect(await verifyEvidence(file)).toMatchObject({ index: 'agrees' })
    await rm(file)
    const log = await openLog(file)
    await store(log, sampleRow({ question: 'other' }))
    await log.close()
    expect(await verifyEvidence(file)).toMatchObject({ index: 'agrees', rows: 1 })
  })

  it('keeps no records of other rows when it is extended', async () => {
    const { path } = await closedLog()
    const mine = (await loadIndex(path, 'run-1'))!
    const other = await temporaryLogFile()
    const log = await openLog(other)
    for (const question of ['a', 'b']) await store(log, sampleRow({ question }))
    await log.close()
    await saveIndex(indexPathFor(other), 'run-1', mine, false)
    expect(await readFile(indexPathFor(other))).toEqual(await readFile(path))
  })
})
