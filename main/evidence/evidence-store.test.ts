import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import type { RunIdentity } from '../../contract/evidence/run-identity.ts'
import { postgresMissing, usePostgres, whyNoPostgres } from '../../tests/helpers/postgres-server.ts'
import { claimFree, store } from '../../tests/helpers/evidence-files.ts'
import {
  failedRow,
  identityOf,
  sampleIdentity,
  sampleReproducibility,
  sampleRow,
} from '../../tests/helpers/evidence-rows.ts'
import type { EvidenceLog } from './evidence-log.ts'
import { fileStore, type EvidenceStore, type RunToOpen, type StoredRunPlace } from './evidence-store.ts'
import { databaseAddress } from './postgres/database-address.ts'
import { DatabaseStore } from './postgres/database-store.ts'
import { sealRow } from './rows/row-line.ts'
import { verifyEvidence } from './verify-evidence.ts'

// Each store of evidence promises this.

const rows = ['q1', 'q2', 'q3'].map((question) => sampleRow({ question }))
const [one, two, three] = rows as [(typeof rows)[0], (typeof rows)[0], (typeof rows)[0]]
const HOLDER = join(import.meta.dirname, '../../tests/helpers/claim-holder.ts')

interface Fixture {
  store: EvidenceStore
  place: StoredRunPlace
  /** Holds what another process names the store by. */
  address: string
  open: (options?: Partial<RunToOpen>, identity?: RunIdentity | null) => Promise<EvidenceLog>
}

async function fixtureOf(address: string | null): Promise<Fixture> {
  const folder = await temporaryFolder('store')
  const file = join(folder, 'run-1-baseline_curated-evidence.jsonl')
  const store = address === null ? fileStore : new DatabaseStore(databaseAddress(address))
  const place = { runId: 'run-1', datasetId: 'baseline_curated', file }
  return {
    store,
    place,
    address: address ?? file,
    async open(options = {}, identity = sampleIdentity()) {
      const opened = await store.open({ ...place, create: true, ...options })
      if (!opened.ok) throw new Error(opened.refusal.message)
      onTestFinished(() => opened.log.close())
      if (identity === null) return opened.log
      const outcome = await opened.log.setIdentity(() => identity)
      if (!outcome.ok) throw new Error(JSON.stringify(outcome.conflicts))
      return opened.log
    },
  }
}

const all = (log: EvidenceLog): Promise<CanonicalRow[]> => Array.fromAsync(log.rows())

function promises(make: () => Promise<Fixture>): void {
  it('finds its rows again, and does not create a run unless asked to', async () => {
    const { open, store: kept, place } = await make()
    expect(await kept.has(place)).toBe(false)
    expect(await kept.open({ ...place, create: false })).toMatchObject({ ok: false, refusal: { code: 'missing' } })
    const log = await open()
    for (const row of rows) await store(log, row)
    await log.close()
    const again = await open({ create: false })
    expect(await all(again)).toEqual(rows)
    expect(await again.read(two.row_id)).toEqual(two)
    expect(await again.read('f'.repeat(64))).toBeNull()
    expect(again.rowCount).toBe(3)
    expect(again.isStored(one.row_id)).toBe(true)
    expect(await kept.has(place)).toBe(true)
  })

  it('stores a row once: a second caller, here and in another process, waits and takes it over', async () => {
    const { open } = await make()
    const [log, other] = [await open(), await open()]
    const { claim } = await claimFree(log, one.row_id)
    expect(await log.tryClaim(one.row_id)).toEqual({ outcome: 'held' })
    expect(await other.tryClaim(one.row_id)).toEqual({ outcome: 'held' })
    const waiting = Promise.all([log.claim(one.row_id), other.claim(one.row_id)])
    await log.append(claim, one)
    for (const outcome of await waiting) expect(outcome).toEqual({ outcome: 'stored', row: one })
    await expect(log.append(claim, one)).rejects.toMatchObject({ code: 'claim_lost' })
    expect(await all(other)).toEqual([one])
    expect(other.rowCount).toBe(1)
  })

  it('gives a released cell to the next caller', async () => {
    const { open } = await make()
    const [log, other] = [await open(), await open()]
    const { claim } = await claimFree(log, one.row_id)
    const next = other.claim(one.row_id)
    await log.release(claim)
    await log.release(claim)
    const taken = await next
    if (taken.outcome !== 'claimed') throw new Error('the cell was not free')
    await expect(log.append(claim, one)).rejects.toMatchObject({ code: 'claim_lost' })
    await other.append(taken.claim, one)
    expect(await log.tryClaim(one.row_id)).toEqual({ outcome: 'stored', row: one })
  })

  it('stores many rows that two processes claim at once, each once, in one order for every reader', async () => {
    const { open } = await make()
    const [log, other] = [await open(), await open()]
    const many = Array.from({ length: 60 }, (_, index) => sampleRow({ question: `m${index}` }))
    let made = 0
    const write = async (writer: EvidenceLog, row: (typeof rows)[0]): Promise<void> => {
      const outcome = await writer.claim(row.row_id)
      if (outcome.outcome === 'stored') return
      made += 1
      await writer.append(outcome.claim, row)
    }
    await Promise.all([log, other].flatMap((writer) => many.map((row) => write(writer, row))))
    expect(made).toBe(many.length)
    const found = await all(log)
    expect(found.map(({ row_id }) => row_id).sort()).toEqual(many.map(({ row_id }) => row_id).sort())
    expect(await all(other)).toEqual(found)
  })

  it('refuses rows before the identity, of other conditions, of another cell and of another run', async () => {
    const { open } = await make()
    const without = await open({}, null)
    const first = await claimFree(without, one.row_id)
    await expect(without.keepAnswer(first.claim, one)).rejects.toMatchObject({ code: 'no_identity' })
    await expect(without.append(first.claim, one)).rejects.toMatchObject({ code: 'no_identity' })
    await without.close()
    const log = await open()
    const { claim } = await claimFree(log, one.row_id)
    const changed = { ...one, reproducibility: sampleReproducibility('other') }
    await expect(log.append(claim, changed)).rejects.toMatchObject({ code: 'other_identity' })
    await expect(log.append(claim, two)).rejects.toMatchObject({ code: 'invalid_row' })
    await log.append(claim, one)
    expect(await all(log)).toEqual([one])
  })

  it('refuses a second run of other conditions, also before the first row while one is open', async () => {
    const { open, store: kept, place } = await make()
    const log = await open()
    const opened = await kept.open({ ...place, create: true })
    if (!opened.ok) throw new Error(opened.refusal.message)
    const conflict = { ok: false, conflicts: [{ path: 'reproducibility.seed' }] }
    expect(await opened.log.setIdentity(() => sampleIdentity('other'))).toMatchObject(conflict)
    await opened.log.close()
    await store(log, one)
    await log.close()
    const later = await open({}, null)
    expect(await later.checkIdentity(() => sampleIdentity('other'))).toMatchObject(conflict)
    expect(await later.checkIdentity((known) => known!)).toMatchObject({ ok: true })
  })

  it('replaces the identity of a run without rows that no process has open', async () => {
    const { open } = await make()
    await (await open()).close()
    const log = await open({}, sampleIdentity('other'))
    const row = sampleRow({ question: 'q1', reproducibility: sampleReproducibility('other') })
    await store(log, row)
    expect(await all(log)).toEqual([row])
  })

  it('plans what to reuse, to evaluate, to call and to refuse', async () => {
    const { open } = await make()
    const log = await open()
    await store(log, one)
    await store(log, two)
    const { claim } = await claimFree(log, three.row_id)
    await log.keepAnswer(claim, three)
    await log.release(claim)
    const four = sampleRow({ question: 'q4' })
    const cells = [one, three, four].map(identityOf)
    cells.push({ ...identityOf(two), approach: { ...two.approach, parameters: { k: 8 } } })
    const expected = {
      reuse: [one.row_id],
      answered: [three.row_id],
      run: [four.row_id],
      conflicts: [{ row_id: two.row_id, path: 'approach.parameters.k', stored: '5', current: '8' }],
    }
    expect(await log.planResume(cells)).toEqual(expected)
    await log.close()
    expect(await (await open({ create: false })).planResume(cells)).toEqual(expected)
  })

  it('hands a kept answer to the next process and forgets it with its row', async () => {
    const { open } = await make()
    const log = await open()
    const first = await claimFree(log, one.row_id)
    expect(first.answered).toBeNull()
    const digests = [await log.contentDigest()]
    await log.keepAnswer(first.claim, one)
    digests.push(await log.contentDigest())
    await log.close()
    const again = await open()
    expect(await again.contentDigest()).toBe(digests[1])
    const { claim, answered } = await claimFree(again, one.row_id)
    expect(answered).toEqual(one)
    await again.append(claim, one)
    expect(await again.planResume([identityOf(one)])).toMatchObject({ reuse: [one.row_id], answered: [] })
    expect(new Set([...digests, await again.contentDigest()]).size).toBe(3)
  })

  it('keeps a failed row and counts the one that tries its cell again', async () => {
    const { open } = await make()
    const log = await open()
    const failed = failedRow({ question: 'q1' })
    const retried = sampleRow({ question: 'q1', retry: 1 })
    await store(log, failed)
    await store(log, retried)
    await log.close()
    const again = await open({ create: false })
    expect(await all(again)).toEqual([retried])
    expect(again.retryOf(failed.row_id)).toBe(1)
    expect(await Array.fromAsync(again.openRows())).toEqual([])
  })

  it('frees the cells of a process that is killed, and keeps its answers', async () => {
    const { open, address, place } = await make()
    const log = await open()
    const child = spawn(process.execPath, [HOLDER, address, place.file, '2'], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    expect(await log.tryClaim(one.row_id)).toEqual({ outcome: 'held' })
    const waiting = log.claim(one.row_id)
    child.kill('SIGKILL')
    expect(await waiting).toMatchObject({ outcome: 'claimed', answered: one })
    expect(await log.claim(two.row_id)).toMatchObject({ outcome: 'claimed', answered: null })
  })

  it('gives the file every stored line, byte for byte, and verify agrees', async () => {
    const { open, store: kept, place } = await make()
    const log = await open()
    const escaped = sampleRow({ question: 'q9', answer: 'ünïcode ✓ \u0000 \ud800 "quoted"\n' })
    for (const row of [one, escaped]) await store(log, row)
    await log.close()
    expect(await kept.bringToFile(place)).toEqual({ ok: true })
    const lines = [one, escaped].map((row) => {
      const sealed = sealRow(row)
      return sealed.ok ? sealed.line : Buffer.alloc(0)
    })
    expect(await readFile(place.file)).toEqual(Buffer.concat(lines))
    expect(await verifyEvidence(place.file)).toMatchObject({ ok: true, rows: 2, sealedRows: 2 })
  })

  it('ends the wait for a cell with the reason of the signal', async () => {
    const { open } = await make()
    const [log, other] = [await open(), await open()]
    await claimFree(log, one.row_id)
    const stop = new AbortController()
    const waiting = [log.claim(one.row_id, stop.signal), other.claim(one.row_id, stop.signal)]
    stop.abort(new Error('stopped by the test'))
    for (const claim of waiting) await expect(claim).rejects.toThrow('stopped by the test')
  })

  it('takes nothing after it is closed', async () => {
    const { open } = await make()
    const log = await open()
    const { claim } = await claimFree(log, one.row_id)
    await log.close()
    await log.close()
    await log.release(claim)
    await expect(log.append(claim, one)).rejects.toMatchObject({ code: 'log_closed' })
    await expect(log.claim(two.row_id)).rejects.toMatchObject({ code: 'log_closed' })
    await expect(log.planResume([])).rejects.toMatchObject({ code: 'log_closed' })
  })
}

describe('evidence in files', () => {
  promises(() => fixtureOf(null))
})

// A server that syncs every write is slow on a busy machine.
describe.skipIf(postgresMissing !== null)(`evidence in PostgreSQL${whyNoPostgres}`, { timeout: 180_000 }, () => {
  const server = usePostgres()
  const fixture = async (): Promise<Fixture> => fixtureOf(await server().freshDatabase())
  promises(fixture)

  const ask = async (address: string, sql: string): Promise<unknown[]> => {
    const client = new pg.Client({ connectionString: address })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows
    } finally {
      await client.end()
    }
  }

  it('leaves a cell to the process that claimed it while the connection was broken', async () => {
    const { open, address } = await fixture()
    const log = await open()
    const { claim } = await claimFree(log, one.row_id)
    const other = await open()
    // The server ends the first connection; the second one waits for the cell and gets it before the first connects again.
    const taken = other.claim(one.row_id)
    await ask(
      address,
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted`,
    )
    const outcome = await taken
    if (outcome.outcome !== 'claimed') throw new Error('the cell was not free')
    await expect(log.append(claim, one)).rejects.toMatchObject({ code: 'claim_lost' })
    await other.append(outcome.claim, one)
    expect(await log.claim(one.row_id)).toMatchObject({ outcome: 'stored' })
  })

  it('refuses a run whose rows were deleted or changed by others, naming the row', async () => {
    const { open, address } = await fixture()
    const log = await open()
    for (const row of rows) await store(log, row)
    await log.close()
    await ask(address, `UPDATE rag_ladder.rows SET line = overlay(line placing 'X' from 900) WHERE position = 2`)
    const changed = await open({ create: false }, null)
    await expect(changed.read(two.row_id)).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('row 2'),
    })
    await changed.close()
    await ask(address, 'DELETE FROM rag_ladder.rows WHERE position = 2')
    const cut = await open({ create: false }, null)
    await expect(cut.planResume([])).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('row 2 is missing'),
    })
  })

  it('refuses to remove a run that is open, and removes it afterwards', async () => {
    const { open, store: kept, place } = await fixture()
    const log = await open()
    await store(log, one)
    expect(await kept.remove(place)).toMatchObject({ ok: false, refusal: { code: 'in_use' } })
    expect(await kept.outside(place)).toMatchObject({ rows: 1 })
    await log.close()
    expect(await kept.remove(place)).toEqual({ ok: true })
    expect(await kept.has(place)).toBe(false)
  })

  it('refuses rows of a process whose run was removed and started again meanwhile', async () => {
    const { open, address } = await fixture()
    const log = await open()
    const { claim } = await claimFree(log, one.row_id)
    await ask(address, 'UPDATE rag_ladder.runs SET identity_revision = identity_revision + 1')
    await expect(log.append(claim, one)).rejects.toMatchObject({ code: 'other_identity' })
  })

  it('makes the copy again where it was cut off, and never one of a file that is none', async () => {
    const { open, store: kept, place } = await fixture()
    const log = await open()
    await store(log, one)
    await kept.bringToFile(place)
    await store(log, two)
    await log.close()
    const { appendFile, writeFile } = await import('node:fs/promises')
    await appendFile(place.file, '{"half')
    expect(await kept.bringToFile(place)).toEqual({ ok: true })
    expect(await verifyEvidence(place.file)).toMatchObject({ ok: true, rows: 2 })
    expect(await fileStore.open({ ...place, create: true })).toMatchObject({ ok: false, refusal: { code: 'copy' } })
    const own = join(dirname(place.file), 'own-evidence.jsonl')
    await writeFile(own, 'a run of its own\n')
    expect(await kept.bringToFile({ ...place, file: own })).toMatchObject({ ok: false, refusal: { code: 'copy' } })
    expect(await readFile(own, 'utf8')).toBe('a run of its own\n')
  })

  it('makes its tables once when many processes open an empty database at the same time', async () => {
    const { store: kept, place } = await fixture()
    const opened = await Promise.all(Array.from({ length: 8 }, () => kept.open({ ...place, create: true })))
    for (const outcome of opened) if (outcome.ok) await outcome.log.close()
    expect(opened.map(({ ok }) => ok)).toEqual(opened.map(() => true))
  })

  it('lists who works on a run, with cells in hand and stored', async () => {
    const { open, address, place } = await fixture()
    const kept = new DatabaseStore(databaseAddress(address), 'anna')
    const log = await open()
    await store(log, one)
    await claimFree(log, two.row_id)
    const working = { inHand: 1, stored: 1, pid: process.pid, lastSeenAt: expect.any(Date) }
    expect(await kept.workers(place)).toMatchObject([working])
    await log.close()
    expect(await kept.workers(place)).toMatchObject([{ inHand: 0, stored: 1, lastSeenAt: null }])
  })

  it('reports why a database cannot be used, without its password', async () => {
    const { place } = await fixture()
    const nowhere = new DatabaseStore(databaseAddress('postgres://anna:very-secret@127.0.0.1:1/none'))
    const opened = await nowhere.open({ ...place, create: true })
    expect(opened).toMatchObject({ ok: false, refusal: { code: 'unreachable' } })
    expect(JSON.stringify(opened)).not.toContain('very-secret')
    const absent = new DatabaseStore(databaseAddress(server().url('no_such_database')))
    expect(await absent.open({ ...place, create: true })).toMatchObject({ ok: false, refusal: { code: 'unreachable' } })
  })

  it('keeps claims and rows through a crash of the server', async () => {
    const { open } = await fixture()
    const log = await open()
    await store(log, one)
    const { claim } = await claimFree(log, two.row_id)
    await server().halt('crash')
    const appending = log.append(claim, two)
    await server().resume()
    await appending
    expect(await all(log)).toEqual([one, two])
  })
  it('waits for a server that recovers from a crash when a run is opened', async () => {
    const { address, place } = await fixture()
    const front = await recoveringServer(Number(new URL(address).port), 2, 2)
    const behind = new URL(address)
    behind.port = String(front.port)
    const opened = await new DatabaseStore(databaseAddress(behind.href)).open({ ...place, create: true })
    if (!opened.ok) throw new Error(opened.refusal.message)
    await opened.log.close()
    expect([front.refused(), front.cut()]).toEqual([2, 2])
  })
  it('opens a run while the server ends connections that it has not let in yet', async () => {
    const { address, place } = await fixture()
    const front = await recoveringServer(Number(new URL(address).port), 0, 2, 'start')
    const behind = new URL(address)
    behind.port = String(front.port)
    const opened = await new DatabaseStore(databaseAddress(behind.href)).open({ ...place, create: true })
    if (!opened.ok) throw new Error(opened.refusal.message)
    await opened.log.close()
    expect(front.cut()).toBe(2)
  })
  it('keeps claims and rows while the connections that replace a lost one are lost too', async () => {
    const { address, place } = await fixture()
    const front = await recoveringServer(Number(new URL(address).port), 0, 0)
    const behind = new URL(address)
    behind.port = String(front.port)
    const opened = await new DatabaseStore(databaseAddress(behind.href)).open({ ...place, create: true })
    if (!opened.ok) throw new Error(opened.refusal.message)
    const { log } = opened
    await log.setIdentity(() => sampleIdentity())
    await store(log, one)
    const { claim } = await claimFree(log, two.row_id)
    front.crash(1, 2)
    await log.append(claim, two)
    expect(await all(log)).toEqual([one, two])
    expect([front.refused(), front.cut()]).toEqual([1, 2])
    await log.close()
  })
})

/** Answers the first connections as a server that recovers, ends the next ones at their first query, or at their start, as one that crashes, and passes later ones on. */
async function recoveringServer(port: number, refusals: number, cuts: number, cutAt: 'start' | 'query' = 'query') {
  const fields = ['SFATAL', 'VFATAL', 'C57P03', 'Mthe database system is in recovery mode', ''].join('\0')
  const body = Buffer.from(`${fields}\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeUInt32BE(body.length + 4, 1)
  let [refused, cut] = [0, 0]
  const open = new Set<Socket>()
  const front = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    if (refused < refusals) {
      refused += 1
      return void socket.once('data', () => socket.end(Buffer.concat([head, body])))
    }
    const behind = connect(port, '127.0.0.1')
    behind.on('error', () => undefined)
    socket.once('close', () => behind.destroy())
    if (cut >= cuts) return void socket.pipe(behind).pipe(socket)
    cut += 1
    if (cutAt === 'start') return void socket.once('data', () => socket.destroy())
    behind.pipe(socket)
    socket.once('data', (start: Buffer) => {
      behind.write(start)
      socket.once('data', () => socket.destroy())
    })
  })
  onTestFinished(() => void front.close())
  await once(front.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (front.address() as AddressInfo).port,
    refused: () => refused,
    cut: () => cut,
    /** Ends every connection, and begins again with so many refusals and cuts. */
    crash(nextRefusals: number, nextCuts: number) {
      ;[refusals, cuts, refused, cut] = [nextRefusals, nextCuts, 0, 0]
      for (const socket of open) socket.destroy()
    },
  }
}
