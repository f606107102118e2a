import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openEvidenceLog } from '../../main/evidence/open-evidence-log.ts'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { claimFree, openLog, store, temporaryLogFile } from '../helpers/evidence-files.ts'
import { sampleRow } from '../helpers/evidence-rows.ts'
import { failingDisk, systemError, type DiskFaults } from '../helpers/failing-disk.ts'

const [one, two, three] = ['q1', 'q2', 'q3'].map((question) => sampleRow({ question })) as [
  ReturnType<typeof sampleRow>,
  ReturnType<typeof sampleRow>,
  ReturnType<typeof sampleRow>,
]

async function logWithRow(faults: DiskFaults) {
  const file = await temporaryLogFile()
  const log = await openLog(file, { ops: failingDisk(faults) })
  await store(log, one)
  return { file, log, before: await readFile(file, 'utf8') }
}

const full = (bytes: number): DiskFaults['write'] => {
  let room = bytes
  return (_, { length }) => {
    if (room <= 0) throw systemError('ENOSPC')
    const count = Math.min(room, length)
    room -= count
    return count
  }
}

describe('a disk that fails to write', () => {
  it('finishes short writes', async () => {
    const file = await temporaryLogFile()
    const log = await openLog(file, { ops: failingDisk({ write: (_, { length }) => Math.min(length, 100) }) })
    for (const row of [one, two, three]) await store(log, row)
    await log.close()
    expect(await verifyEvidence(file)).toMatchObject({ ok: true, rows: 3 })
  })

  it.each([0, 1, 1000])('removes %i bytes when it is full, and continues once there is room', async (room) => {
    const faults: DiskFaults = {}
    const { file, log, before } = await logWithRow(faults)
    faults.write = full(room)
    const { claim } = await claimFree(log, two.row_id)
    await expect(log.append(claim, two)).rejects.toMatchObject({
      code: 'write_failed',
      data: { file },
      cause: { code: 'ENOSPC' },
    })
    expect(await readFile(file, 'utf8')).toBe(before)
    delete faults.write
    await log.append(claim, two)
    await log.close()
    expect(await verifyEvidence(file)).toMatchObject({ ok: true, rows: 2 })
  })

  it('leaves the row alone when only its answer’s journal is full', async () => {
    const faults: DiskFaults = {}
    const { file, log } = await logWithRow(faults)
    const [first, second] = [await claimFree(log, two.row_id), await claimFree(log, three.row_id)]
    faults.write = (path, { length }) => {
      if (path.includes('.answers.')) throw systemError('ENOSPC')
      return length
    }
    const outcomes = await Promise.allSettled([log.append(first.claim, two), log.keepAnswer(second.claim, three)])
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      {
        status: 'rejected',
        reason: { code: 'write_failed', data: { file: file.replace('.jsonl', '.answers.jsonl') } },
      },
    ])
    await log.append(second.claim, three)
    expect(await verifyEvidence(file)).toMatchObject({ ok: true, rows: 3 })
  })

  it('fails for good when half a row can neither be finished nor removed; the rest refuses, the next opening is torn', async () => {
    const faults: DiskFaults = {}
    const { file, log } = await logWithRow(faults)
    faults.write = full(500)
    faults.truncate = () => {
      throw systemError('EIO')
    }
    const { claim } = await claimFree(log, two.row_id)
    await expect(log.append(claim, two)).rejects.toMatchObject({ code: 'log_failed' })
    await expect(log.append(claim, two)).rejects.toMatchObject({ code: 'log_failed' })
    await expect(log.claim(three.row_id)).rejects.toMatchObject({ code: 'log_failed' })
    await log.close()
    expect(await openEvidenceLog(file, { runId: 'run-1', create: false })).toMatchObject({
      refusal: { code: 'torn_tail' },
    })
  })
})

describe('a disk that fails to sync', () => {
  it('acknowledges nothing, takes the rows back, and refuses further appends for good', async () => {
    const faults: DiskFaults = {}
    const { file, log, before } = await logWithRow(faults)
    const [first, second, third] = await Promise.all([two, three].map((row) => claimFree(log, row.row_id)))
    expect(third).toBeUndefined()
    faults.sync = () => {
      throw systemError('EIO')
    }
    const outcomes = await Promise.allSettled([log.append(first!.claim, two), log.append(second!.claim, three)])
    delete faults.sync
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'log_failed', cause: { code: 'EIO' } } })
    await expect(log.append(first!.claim, two)).rejects.toMatchObject({ code: 'log_failed' })
    expect(await readFile(file, 'utf8')).toBe(before)
    await log.close()
    const again = await openLog(file)
    expect(again.rowCount).toBe(1)
    await store(again, two)
  })

  it('hands its cells to another process, which trusts nothing that was not synced', async () => {
    const faults: DiskFaults = {}
    const { file, log } = await logWithRow(faults)
    const other = await openLog(file)
    const { claim } = await claimFree(log, two.row_id)
    faults.sync = faults.truncate = () => {
      throw systemError('EIO')
    }
    await expect(log.append(claim, two)).rejects.toMatchObject({ code: 'log_failed' })
    const waiting = other.claim(two.row_id)
    await log.close()
    // The row could not be taken back. The other process syncs it by itself before it hands it out.
    expect(await waiting).toEqual({ outcome: 'stored', row: two })
    await store(other, three)
    await other.close()
    expect(await verifyEvidence(file)).toMatchObject({ ok: true, rows: 3 })
  })

  it('refuses to open', async () => {
    const { file, log } = await logWithRow({})
    await log.close()
    const ops = failingDisk({
      sync: () => {
        throw systemError('EIO')
      },
    })
    expect(await openEvidenceLog(file, { runId: 'run-1', create: false, ops })).toMatchObject({
      ok: false,
      refusal: { code: 'unreadable', message: expect.stringContaining('EIO') },
    })
  })
})

describe('group commit', () => {
  it('acknowledges only after a sync, and shares one between the rows that came during the last', async () => {
    const faults: DiskFaults = {}
    const { log } = await logWithRow(faults)
    const rows = Array.from({ length: 20 }, (_, cell) => sampleRow({ question: `g${cell}` }))
    const claims = await Promise.all(rows.map((row) => claimFree(log, row.row_id)))
    const sync = { begun: Promise.withResolvers<undefined>(), end: Promise.withResolvers<undefined>() }
    let syncs = 0
    faults.sync = async () => {
      syncs += 1
      sync.begun.resolve(undefined)
      if (syncs === 1) await sync.end.promise
    }
    let acknowledged = 0
    const append = async (cell: number) => {
      await log.append(claims[cell]!.claim, rows[cell]!)
      acknowledged += 1
    }
    const first = append(0)
    await sync.begun.promise
    const others = rows.slice(1).map((_, cell) => append(cell + 1))
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect({ syncs, acknowledged }).toEqual({ syncs: 1, acknowledged: 0 })
    sync.end.resolve(undefined)
    await Promise.all([first, ...others])
    expect({ syncs, acknowledged }).toEqual({ syncs: 2, acknowledged: 20 })
  })
})

describe('a folder that may only be read', () => {
  it('refuses to be written to, with the remedy, and still verifies', async () => {
    const { file, log } = await logWithRow({})
    await log.close()
    const copy = join(dirname(await temporaryLogFile()), 'copy-evidence.jsonl')
    await writeFile(copy, await readFile(file))
    await chmod(copy, 0o444)
    await chmod(dirname(copy), 0o555)
    // Root may write anywhere, so the attempt is made by a process of another user then.
    const asUser = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    const script = `
      const { openEvidenceLog } = await import(${JSON.stringify(join(import.meta.dirname, '../../main/evidence/open-evidence-log.ts'))})
      const { verifyEvidence } = await import(${JSON.stringify(join(import.meta.dirname, '../../main/evidence/verify-evidence.ts'))})
      const opened = await openEvidenceLog(${JSON.stringify(copy)}, { runId: 'run-1', create: true })
      console.log(JSON.stringify([opened.ok ? 'open' : opened.refusal, await verifyEvidence(${JSON.stringify(copy)})]))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { ...asUser, stdio: 'pipe' })
    let output = ''
    child.stdout.on('data', (piece: Buffer) => (output += piece.toString()))
    child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
    await once(child, 'close')
    await chmod(dirname(copy), 0o755)
    const [refusal, report] = JSON.parse(output) as unknown[]
    expect(refusal).toMatchObject({ code: 'unwritable', remedy: expect.stringContaining('make the folder') })
    expect(report).toMatchObject({ ok: true, rows: 1 })
    expect(await readdir(dirname(copy))).toEqual(['copy-evidence.jsonl'])
  })
})
