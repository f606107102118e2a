import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../../../tests/helpers/database-address.ts'
import { onEachDatabase } from '../../../../tests/helpers/platform-databases.ts'
import { createEnvReader } from '../../../kit/env-reader.ts'
import { isOneOf, PlatformDatabaseError, type Database, type Queries } from './database.ts'
import { readDatabaseSettings } from './database-settings.ts'
import { MIGRATIONS } from './migrations.ts'
import { openPostgresDatabase, positional } from './postgres-database.ts'
import { openSqliteDatabase } from './sqlite-database.ts'

const add = (queries: Queries, name: string): Promise<number> =>
  queries.run('INSERT INTO objects (bucket, name, sha256, size_bytes, created_ms) VALUES (?, ?, ?, ?, ?)', [
    'notes',
    name,
    'ab',
    5_000_000_000,
    1,
  ])
const count = async (queries: Queries): Promise<number> =>
  (await queries.get<{ objects: number }>('SELECT count(*) AS objects FROM objects'))!.objects

onEachDatabase('the database', (kind) => {
  async function opened(step: (database: Database, address: string) => Promise<void>): Promise<void> {
    const address = await kind.fresh()
    const database = await openDatabase(address)
    try {
      await step(database, address)
    } finally {
      await database.close()
    }
  }

  it('takes parameters in order and by name, and gives whole numbers, bytes and nulls back', async () =>
    opened(async (database) => {
      expect(await add(database, 'it’s a “name”')).toBe(1)
      expect(
        await database.all(
          `SELECT name, size_bytes, subject FROM objects WHERE name = @name AND (CAST(@subject AS TEXT) IS NULL OR subject = @subject)`,
          { name: 'it’s a “name”', subject: null },
        ),
      ).toEqual([{ name: 'it’s a “name”', size_bytes: 5_000_000_000, subject: null }])
      expect(await database.get('SELECT sum(size_bytes) AS used FROM objects')).toEqual({ used: 5_000_000_000 })
      const bytes = Buffer.from([0, 255, 39, 92])
      await database.run(
        'INSERT INTO memory_facts (id, subject, text, words, created_ms, vector) VALUES (?, ?, ?, ?, ?, ?)',
        ['1', 'u', 't', 'w', 1, bytes],
      )
      expect((await database.get<{ vector: Buffer }>('SELECT vector FROM memory_facts'))!.vector.equals(bytes)).toBe(
        true,
      )
      const some = isOneOf('bucket', ['notes', 'other'])
      expect(await database.all(`SELECT name FROM objects WHERE ${some.sql}`, some.params)).toHaveLength(1)
      const none = isOneOf('bucket', [])
      expect(await database.all(`SELECT name FROM objects WHERE NOT (${none.sql})`, none.params)).toHaveLength(1)
      expect(await database.get(`SELECT name FROM objects WHERE ${none.sql}`)).toBeNull()
    }))

  it('undoes a transaction that throws, and goes on', async () =>
    opened(async (database) => {
      const failing = database.transaction(async (tx) => {
        await add(tx, 'a')
        expect(await count(tx)).toBe(1)
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await count(database)).toBe(0)
      const refused = database.transaction(async (tx) => {
        await add(tx, 'a')
        await add(tx, 'a')
      })
      await expect(refused).rejects.toThrow(/unique/i)
      expect(await count(database)).toBe(0)
      expect(await database.transaction(async (tx) => add(tx, 'a'))).toBe(1)
    }))

  it('lets one writer go on at a time, of this process and of others', async () =>
    opened(async (database, address) => {
      const other = await openDatabase(address)
      // Each reads a count that stays true until it has stored: together they store as many as are allowed.
      const addUpTo = (store: Database, most: number, name: string): Promise<boolean> =>
        store.transaction(async (tx) => {
          if ((await count(tx)) >= most) return false
          await add(tx, name)
          return true
        })
      const added = await Promise.all(
        Array.from({ length: 40 }, (_, index) => addUpTo(index % 2 === 0 ? database : other, 7, `${index}`)),
      )
      expect(added.filter(Boolean)).toHaveLength(7)
      expect(await count(other)).toBe(7)
      await other.close()
    }))

  it('refuses a query that goes past the transaction that is open', async () =>
    opened(async (database) => {
      for (const query of [() => count(database), () => add(database, 'a'), () => database.transaction(count)])
        await expect(database.transaction(query)).rejects.toThrow('goes past the transaction')
      expect(await count(database)).toBe(0)
    }))

  it('brings an older schema forward once, when two processes start, and refuses a newer one', async () => {
    const address = await kind.fresh()
    const open = (steps: readonly string[]): Promise<Database> =>
      kind.name === 'SQLite'
        ? Promise.resolve().then(() => openSqliteDatabase(address, steps))
        : openPostgresDatabase({ url: address, poolMin: 0, poolMax: 2 }, steps)
    const old = await open(MIGRATIONS.slice(0, 5))
    await old.run(`INSERT INTO objects (bucket, name, sha256, size_bytes, created_ms) VALUES ('b', 'n', 'abcd', 1, 1)`)
    await old.close()
    const both = await Promise.all([open(MIGRATIONS), open(MIGRATIONS)])
    expect(await both[0].all('SELECT content_key FROM objects')).toEqual([{ content_key: 'ab/abcd' }])
    for (const each of both) await each.close()
    await expect(open(MIGRATIONS.slice(0, 5))).rejects.toThrow(PlatformDatabaseError)
  })
})

describe('settings of the database', () => {
  const read = (env: Record<string, string>) => {
    const reader = createEnvReader(env)
    return { settings: readDatabaseSettings(reader), problems: reader.problems }
  }
  const TASK_SIGNING_SECRET = 'x'.repeat(32)

  it('are none unless DATABASE_URL is set', () => {
    expect(read({})).toEqual({ settings: null, problems: [] })
    const DATABASE_URL = 'postgresql://user:secret@db.test:5432/records'
    expect(read({ DATABASE_URL, TASK_SIGNING_SECRET })).toEqual({
      settings: { url: DATABASE_URL, poolMin: 1, poolMax: 10 },
      problems: [],
    })
  })

  it('are refused with the variable named, and without the password', () => {
    for (const DATABASE_URL of ['mysql://user:secret@db.test/records', 'records', 'postgres://user:secret@db.test'])
      expect(read({ DATABASE_URL, TASK_SIGNING_SECRET }).problems).toEqual([
        'DATABASE_URL: invalid value: expected postgres://user:password@host:port/database',
      ])
    expect(read({ DATABASE_URL: 'postgres://db.test/records' }).problems).toEqual([
      'TASK_SIGNING_SECRET: required with DATABASE_URL, the same for every process that shares it',
    ])
    expect(read({ BACKEND_DB_POOL_MIN: '5', BACKEND_DB_POOL_MAX: '4' }).problems).toEqual([
      'BACKEND_DB_POOL_MAX: 4 must not be less than BACKEND_DB_POOL_MIN (5)',
    ])
    expect(read({ BACKEND_DB_POOL_MIN: '4', BACKEND_DB_POOL_MAX: '4' }).problems).toEqual([])
  })
})

it('numbers parameters of PostgreSQL, one number for each name', () => {
  expect(positional('a = ? AND b = ?', [1, 'x\0y'])).toEqual(['a = $1 AND b = $2', [1, 'x\u{FFFD}y']])
  expect(positional('a = @a OR b = @b OR c = @a', { b: 2, a: 1 })).toEqual(['a = $1 OR b = $2 OR c = $1', [1, 2]])
})
