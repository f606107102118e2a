import { appendFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claimFree, openLog, store, temporaryLogFile } from '../../tests/helpers/evidence-files.ts'
import { identityOf, sampleReproducibility, sampleRow } from '../../tests/helpers/evidence-rows.ts'
import type { EvidenceNotice } from './evidence-log.ts'
import { openEvidenceLog } from './open-evidence-log.ts'
import { verifyEvidence } from './verify-evidence.ts'

const rows = ['q1', 'q2', 'q3'].map((question) => sampleRow({ question }))
const [one, two] = rows as [(typeof rows)[0], (typeof rows)[0]]

describe('openEvidenceLog', () => {
  it.each([
    ['a folder that is not there', 'nowhere/x-evidence.jsonl'],
    ['a path through a file', 'plain/x-evidence.jsonl'],
  ])('refuses %s', async (_, name) => {
    const file = await temporaryLogFile()
    await writeFile(file.replace('test-evidence.jsonl', 'plain'), '')
    const outcome = await openEvidenceLog(file.replace('test-evidence.jsonl', name), { runId: 'run-1', create: true })
    expect(outcome).toMatchObject({ ok: false, refusal: { code: 'unreadable' } })
  })

  it.each([
    ['another run', 'foreign_run', [one, sampleRow({ runId: 'run-2' })]],
    ['a row twice', 'duplicate_row', [one, one]],
    ['a wrong field', 'malformed_line', [one, { ...two, status: 'fine' }]],
    ['no JSON', 'malformed_line', [one, 'hello']],
    ['an empty line', 'malformed_line', [one, null]],
  ])('refuses a log with %s, naming line and byte', async (_, code, lines) => {
    const file = await temporaryLogFile()
    await writeFile(file, lines.map((line) => `${line === null ? '' : JSON.stringify(line)}\n`).join(''))
    const outcome = await openEvidenceLog(file, { runId: 'run-1', create: true })
    expect(outcome).toMatchObject({
      ok: false,
      refusal: { code, file, line: 2, offset: Buffer.byteLength(JSON.stringify(lines[0])) + 1 },
    })
  })

  it('refuses a network file system', async () => {
    const file = await temporaryLogFile()
    const { nodeFileOps } = await import('./files/file-ops.ts')
    const ops = { ...nodeFileOps, networkFileSystem: async () => 'nfs4' }
    expect(await openEvidenceLog(file, { runId: 'run-1', create: true, ops })).toMatchObject({
      ok: false,
      refusal: { code: 'untrusted_filesystem', message: expect.stringContaining('nfs4') },
    })
  })

  it('a log opens the same with and without an index file of an earlier version', async () => {
    const file = await temporaryLogFile()
    const log = await openLog(file)
    for (const row of rows) await store(log, row)
    await log.close()
    await writeFile(`${file}.index`, Buffer.alloc(48 + 92))
    const again = await openLog(file)
    expect((await again.planResume(rows.map(identityOf))).reuse).toEqual(rows.map(({ row_id }) => row_id))
    await again.close()
    expect(await readFile(`${file}.index`)).toEqual(Buffer.alloc(48 + 92))
    expect((await readdir(dirname(file))).filter((name) => name.includes('.jsonl')).sort()).toEqual([
      'test-evidence.jsonl',
      'test-evidence.jsonl.index',
      'test-evidence.jsonl.lock',
    ])
  })
})

describe('plan', () => {
  it('refuses a kept answer of changed provenance too', async () => {
    const log = await openLog(await temporaryLogFile())
    const { claim } = await claimFree(log, one.row_id)
    await log.keepAnswer(claim, one)
    const changed = { ...identityOf(one), reproducibility: sampleReproducibility('other') }
    expect(await log.planResume([changed])).toMatchObject({
      answered: [],
      run: [],
      conflicts: [{ row_id: one.row_id, path: 'reproducibility.seed' }],
    })
  })

  it('names each of many rows that a changed seed hits', async () => {
    const log = await openLog(await temporaryLogFile())
    for (const row of rows) await store(log, row)
    const reproducibility = sampleReproducibility('other')
    const plan = await log.planResume(rows.map((row) => ({ ...identityOf(row), reproducibility })))
    expect(plan.conflicts.map(({ row_id }) => row_id)).toEqual(rows.map(({ row_id }) => row_id))
    expect(new Set(plan.conflicts.map(({ path }) => path))).toEqual(new Set(['reproducibility.seed']))
  })
})

describe('claim and append', () => {
  it('writes no row that breaks the contract, and keeps the claim', async () => {
    const file = await temporaryLogFile()
    const log = await openLog(file)
    const { claim } = await claimFree(log, one.row_id)
    const wrong = structuredClone(one)
    wrong.metrics.operational.latency_ms = Number.NaN
    await expect(log.append(claim, wrong)).rejects.toMatchObject({ code: 'invalid_row' })
    await expect(log.append(claim, two)).rejects.toMatchObject({ code: 'invalid_row' })
    await expect(log.append(claim, sampleRow({ runId: 'run-2' }))).rejects.toMatchObject({ code: 'invalid_row' })
    expect(await readFile(file, 'utf8')).toBe('')
    await log.append(claim, one)
    expect(await log.read(one.row_id)).toEqual(one)
  })

  it('forgets no append, however soon after another one it comes', async () => {
    const log = await openLog(await temporaryLogFile())
    const cells = Array.from({ length: 41 }, (_, cell) => sampleRow({ question: `q${cell}` }))
    const claims = await Promise.all(cells.map((row) => claimFree(log, row.row_id)))
    for (const [turns, row] of cells.entries()) {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
      await log.append(claims[turns]!.claim, row)
    }
    expect(log.rowCount).toBe(41)
  })

  it('lets appends under way finish when it is closed', async () => {
    const file = await temporaryLogFile()
    const log = await openLog(file)
    const claims = await Promise.all(rows.map((row) => claimFree(log, row.row_id)))
    const appends = rows.map((row, index) => log.append(claims[index]!.claim, row))
    await log.close()
    await Promise.all(appends)
    expect(await verifyEvidence(file)).toMatchObject({ ok: true, rows: 3 })
  })

  it.each([
    ['removed', (file: string) => rm(file)],
    ['replaced', (file: string) => rename(file, `${file}.old`).then(() => writeFile(file, ''))],
    ['robbed of its lock', (file: string) => rm(`${file}.lock`, { recursive: true })],
  ])('acknowledges nothing once the file was %s', async (_, harm) => {
    const file = await temporaryLogFile()
    const log = await openLog(file)
    const { claim } = await claimFree(log, one.row_id)
    await harm(file)
    await expect(log.append(claim, one)).rejects.toMatchObject({ code: 'log_failed' })
    await expect(log.claim(two.row_id)).rejects.toMatchObject({ code: 'log_failed' })
  })

  it('notices that another program cut stored rows off', async () => {
    const file = await temporaryLogFile()
    const log = await openLog(file)
    await store(log, one)
    const { claim } = await claimFree(log, two.row_id)
    await writeFile(file, '')
    await expect(log.append(claim, two)).rejects.toMatchObject({ code: 'damaged' })
  })

  it('moves the unfinished line of another writer aside, reports it and continues', async () => {
    const file = await temporaryLogFile()
    const notices: EvidenceNotice[] = []
    const log = await openLog(file, { onNotice: (notice) => notices.push(notice) })
    await store(log, one)
    await appendFile(file, '{"schema_version":1,"runner')
    await store(log, two)
    expect(notices).toMatchObject([{ code: 'torn_tail_moved', file }])
    expect(await verifyEvidence(file)).toMatchObject({ ok: true, rows: 2 })
  })
})

describe('keepAnswer', () => {
  const journal = (file: string) => file.replace('.jsonl', '.answers.jsonl')

  it('leaves no journal when the row of its last answer is stored', async () => {
    const file = await temporaryLogFile()
    const [log, other] = [await openLog(file), await openLog(file)]
    const { claim } = await claimFree(log, one.row_id)
    await log.keepAnswer(claim, one)
    await log.release(claim)
    expect((await readFile(journal(file), 'utf8')).split('\n')).toHaveLength(2)
    const taken = await claimFree(other, one.row_id)
    expect(taken.answered).toEqual(one)
    await other.append(taken.claim, one)
    await Promise.all([log.close(), other.close()])
    await expect(readFile(journal(file))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('moves an answer away that was never finished', async () => {
    const file = await temporaryLogFile()
    const log = await openLog(file)
    const { claim } = await claimFree(log, one.row_id)
    await log.keepAnswer(claim, one)
    await log.close()
    await appendFile(journal(file), '{"torn')
    const notices: EvidenceNotice[] = []
    const again = await openLog(file, { onNotice: (notice) => notices.push(notice) })
    expect(notices).toMatchObject([{ code: 'torn_tail_moved', file: journal(file) }])
    expect((await claimFree(again, one.row_id)).answered).toEqual(one)
  })

  it('refuses a journal that is damaged in the middle', async () => {
    const file = await temporaryLogFile()
    await writeFile(journal(file), 'x\n')
    const outcome = await openEvidenceLog(file, { runId: 'run-1', create: true })
    expect(outcome).toMatchObject({ ok: false, refusal: { code: 'malformed_line', file: journal(file), line: 1 } })
  })

  it('does not let the journal grow with answers whose rows are stored', async () => {
    const file = await temporaryLogFile()
    const log = await openLog(file)
    const other = await openLog(file)
    const pending = await claimFree(log, one.row_id)
    await log.keepAnswer(pending.claim, one)
    for (let cell = 0; cell < 12; cell += 1) {
      const row = sampleRow({ question: `big${cell}`, answer: 'x'.repeat(250_000) })
      const { claim } = await claimFree(cell % 2 === 0 ? log : other, row.row_id)
      const writer = cell % 2 === 0 ? log : other
      await writer.keepAnswer(claim, row)
      await writer.append(claim, row)
    }
    expect((await readFile(journal(file))).length).toBeLessThan(9_000_000)
    await log.release(pending.claim)
    expect((await claimFree(other, one.row_id)).answered).toEqual(one)
  })
})
