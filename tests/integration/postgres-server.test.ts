import { existsSync } from 'node:fs'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { postgresMissing, startPostgres, whyNoPostgres } from '../helpers/postgres-server.ts'
import { processesNaming } from '../helpers/processes.ts'

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

describe.skipIf(postgresMissing !== null)(`the PostgreSQL server of the tests${whyNoPostgres}`, () => {
  it('keeps its databases through a crash and leaves neither process nor folder', async () => {
    const server = await startPostgres()
    try {
      const [first, second] = [await server.freshDatabase(), await server.freshDatabase()]
      await ask(first, 'CREATE TABLE notes AS SELECT 1 AS id')
      await expect(ask(second, 'SELECT * FROM notes')).rejects.toThrow('"notes" does not exist')
      await server.halt('crash')
      await expect(ask(first, 'SELECT 1')).rejects.toThrow('ECONNREFUSED')
      await server.resume()
      expect(await ask(first, 'SELECT * FROM notes')).toEqual([{ id: 1 }])
    } finally {
      await server.close()
    }
    expect(existsSync(server.folder)).toBe(false)
    expect(await processesNaming(server.folder)).toEqual([])
  })
})
