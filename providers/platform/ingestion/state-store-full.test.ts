import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gatedEmbedding, ingest, openIngestionSite } from '../../../tests/helpers/ingestion-fixture.ts'
import type { IngestionSite } from '../../../tests/helpers/ingestion-fixture.ts'

let site: IngestionSite
let other: Database.Database
beforeEach(async () => {
  site = await openIngestionSite()
})
afterEach(() => other.close())

/** From now on no job can be written, as on a full disk; what is stored can still be read. */
function fillDisk(): void {
  other = new Database(path.join(site.folder, 'state.sqlite'))
  for (const change of ['UPDATE', 'INSERT'])
    other.exec(
      `CREATE TRIGGER full_${change} BEFORE ${change} ON tasks BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`,
    )
}
function freeDisk(): void {
  for (const change of ['UPDATE', 'INSERT']) other.exec(`DROP TRIGGER full_${change}`)
}

describe('a state store that cannot be written while a job runs', () => {
  it('shows the job as failed with both reasons, stores that when it can, and the job can be submitted again', async () => {
    const { embed, gate, release } = gatedEmbedding()
    const service = site.service({ embed })
    service.start()
    const { ingestion_id: id } = await service.submit({ profile: 'smoke' })
    await gate.reached
    fillDisk()
    release()
    const failed = await service.settled(id)
    expect(failed.status).toBe('failed')
    expect(failed.errors.map(({ message }) => message).join('\n')).toMatch(
      /state\.sqlite.*database or disk is full.*[Ff]ree/s,
    )
    expect(failed.phases.filter(({ status }) => status === 'running')).toEqual([])
    expect((await service.get(id))?.status).toBe('failed')
    await expect(service.submit({ profile: 'smoke' })).rejects.toThrow('database or disk is full')
    freeDisk()
    const again = await ingest(service)
    expect(again.status).toBe('completed')
    expect(again.id).not.toBe(id)
    expect((await service.get(id))?.status).toBe('failed')
  })

  it('makes a job that waits unreadable with the reason, until its worker can write again', async () => {
    const service = site.service()
    const { ingestion_id: id } = await service.submit({ profile: 'smoke' })
    fillDisk()
    service.start()
    await expect
      .poll(() => statusOf(async () => (await service.get(id))?.status), { timeout: 15_000 })
      .toBe('unreadable')
    await expect(service.get(id)).rejects.toThrow('database or disk is full')
    freeDisk()
    await expect
      .poll(() => statusOf(async () => (await service.get(id))?.status), { timeout: 15_000 })
      .toBe('completed')
  })
})

const statusOf = async (read: () => Promise<string | undefined>): Promise<string | undefined> => {
  try {
    return await read()
  } catch {
    return 'unreadable'
  }
}
