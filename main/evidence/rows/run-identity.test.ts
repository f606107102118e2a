import { readFile, rm, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { RunIdentity } from '../../../contract/evidence/run-identity.ts'
import { claimFree, openLog, store, temporaryLogFile } from '../../../tests/helpers/evidence-files.ts'
import { sampleIdentity, sampleReproducibility, sampleRow, sealedLine } from '../../../tests/helpers/evidence-rows.ts'
import { withUnusedEvidence } from '../remove-evidence.ts'
import { identityPathFor } from './identity-record.ts'

const SEED = 'reproducibility.seed'
const other = sampleIdentity('other')
const otherRow = (question: string) => sampleRow({ question, reproducibility: sampleReproducibility('other') })
const recordOf = async (file: string) => JSON.parse(await readFile(identityPathFor(file), 'utf8')) as RunIdentity

/** A file as it was stored before the record existed. */
async function oldFile(...rows: CanonicalRow[]): Promise<string> {
  const file = await temporaryLogFile()
  await writeFile(file, rows.map((row) => `${sealedLine(row).toString()}\n`).join(''))
  return file
}

describe('the identity of a run', () => {
  it('is durable beside the evidence before the first row', async () => {
    const file = await temporaryLogFile()
    await openLog(file)
    expect(await recordOf(file)).toEqual(sampleIdentity())
    expect(await readFile(file, 'utf8')).toBe('')
  })

  it('is removed with the evidence', async () => {
    const file = await temporaryLogFile()
    const log = await openLog(file)
    await log.close()
    expect(await withUnusedEvidence(file, async (files) => files)).toMatchObject({
      ok: true,
      result: [file, identityPathFor(file)],
    })
  })

  it('conflicts with every stored row, whichever cells are selected, and leaves the record as it is', async () => {
    const file = await temporaryLogFile()
    const log = await openLog(file)
    const rows = ['q1', 'q2', 'q3'].map((question) => sampleRow({ question }))
    for (const row of rows) await store(log, row)
    const conflict = { row_id: rows[0]!.row_id, path: SEED, stored: '"ladder-seed"', current: '"other"', rows: 3 }
    expect(await log.checkIdentity(() => other)).toEqual({ ok: false, conflicts: [conflict] })
    expect(await log.setIdentity(() => other)).toEqual({ ok: false, conflicts: [conflict] })
    expect(await recordOf(file)).toEqual(sampleIdentity())
  })

  it('names a metric instead of the hash that it is part of', async () => {
    const file = await temporaryLogFile()
    await openLog(file)
    const log = await openLog(file, {}, null)
    const now = sampleIdentity()
    now.evaluation.metrics = ['faithfulness', 'answer_relevancy']
    now.reproducibility.config_hashes = { ...now.reproducibility.config_hashes, evaluation: '9'.repeat(64) }
    const [stored, current] = ['"faithfulness"', '"answer_relevancy, faithfulness"']
    const conflicts = [{ row_id: null, path: 'evaluation.metrics', stored, current, rows: 0 }]
    expect(await log.checkIdentity(() => now)).toEqual({ ok: false, conflicts })
  })

  it('comes from the rows of a file that was stored without it, and is written then', async () => {
    const file = await oldFile(sampleRow({ question: 'q1' }), sampleRow({ question: 'q2' }))
    const log = await openLog(file, {}, null)
    expect(await log.checkIdentity(() => other)).toMatchObject({ ok: false, conflicts: [{ path: SEED, rows: 2 }] })
    await expect(readFile(identityPathFor(file))).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await log.setIdentity(() => sampleIdentity())).toMatchObject({ ok: true })
    expect(await recordOf(file)).toEqual(sampleIdentity())
  })

  it('conflicts with one row of other conditions among others that agree', async () => {
    const wrong = otherRow('q2')
    const file = await oldFile(sampleRow({ question: 'q1' }), wrong, sampleRow({ question: 'q3' }))
    const log = await openLog(file, {}, null)
    expect(await log.setIdentity(() => sampleIdentity())).toEqual({
      ok: false,
      conflicts: [{ row_id: wrong.row_id, path: SEED, stored: '"other"', current: '"ladder-seed"', rows: 1 }],
    })
  })

  it('conflicts with a kept answer of other conditions', async () => {
    const file = await temporaryLogFile()
    const log = await openLog(file)
    const { claim } = await claimFree(log, sampleRow().row_id)
    await log.keepAnswer(claim, sampleRow())
    await log.close()
    await rm(identityPathFor(file))
    const again = await openLog(file, {}, null)
    expect(await again.setIdentity(() => other)).toMatchObject({ ok: false, conflicts: [{ path: SEED, rows: 1 }] })
  })

  it('ends the use of a log to which another program appended a row of other conditions', async () => {
    const file = await temporaryLogFile()
    const log = await openLog(file)
    await store(log, sampleRow({ question: 'q1' }))
    await writeFile(file, `${sealedLine(otherRow('q2')).toString()}\n`, { flag: 'a' })
    const { claim } = await claimFree(log, sampleRow({ question: 'q3' }).row_id)
    const rejection = { code: 'other_identity', message: expect.stringContaining('row 2') as string }
    await expect(log.append(claim, sampleRow({ question: 'q3' }))).rejects.toMatchObject(rejection)
    await expect(log.planResume([])).rejects.toMatchObject(rejection)
  })

  it('conflicts with another version of the runner, whose figures may mean something else', async () => {
    const file = await temporaryLogFile()
    const log = await openLog(file)
    await store(log, sampleRow())
    const newer = { ...sampleIdentity(), runner_version: 2 }
    const conflict = { row_id: sampleRow().row_id, path: 'runner_version', stored: '1', current: '2', rows: 1 }
    expect(await log.setIdentity(() => newer)).toEqual({ ok: false, conflicts: [conflict] })
    await log.close()
    const { runner_version: _version, ...earlier } = sampleIdentity()
    await writeFile(identityPathFor(file), JSON.stringify(earlier))
    const again = await openLog(file, {}, null)
    expect(await again.checkIdentity(() => newer)).toEqual({ ok: false, conflicts: [conflict] })
    expect(await again.setIdentity(() => sampleIdentity())).toMatchObject({ ok: true })
    expect(await recordOf(file)).toEqual(sampleIdentity())
  })

  it('refuses a row of another version of the runner', async () => {
    const log = await openLog(await temporaryLogFile())
    const row = { ...sampleRow(), runner_version: 2 }
    const { claim } = await claimFree(log, row.row_id)
    await expect(log.append(claim, row)).rejects.toMatchObject({
      code: 'other_identity',
      message: expect.stringContaining('runner_version is 2, of the run 1') as string,
    })
  })

  it('names what to do about a record that cannot be read', async () => {
    const file = await temporaryLogFile()
    const log = await openLog(file)
    await store(log, sampleRow())
    await writeFile(identityPathFor(file), '{"schema_version":1}')
    await expect(log.setIdentity(() => sampleIdentity())).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('Remove the file: it is rebuilt from the rows') as string,
    })
  })
})
