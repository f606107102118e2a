import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { indexFolders } from '../../tests/helpers/run-index.ts'
import { openForReading, openForWriting } from './open-database.ts'
import { RunIndexError } from './run-index-error.ts'

const revisionOf = (db: Database.Database) => db.prepare('SELECT revision FROM state').pluck().get()

describe('opening an index', () => {
  it('a new index is in write-ahead mode and is found again', async () => {
    const { file } = await indexFolders()
    const db = openForWriting(file)
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
    db.exec('UPDATE state SET revision = 7')
    db.close()
    const again = openForWriting(file)
    const reader = openForReading(file)
    expect([revisionOf(again), revisionOf(reader)]).toEqual([7, 7])
    again.close()
    reader.close()
  })

  it('an index of another version is rebuilt', async () => {
    const { file } = await indexFolders()
    const db = openForWriting(file)
    db.exec('UPDATE state SET revision = 7; PRAGMA user_version = 9999')
    db.close()
    const again = openForWriting(file)
    expect(revisionOf(again)).toBe(0)
    again.close()
  })

  it('a damaged index is rebuilt, and a file that is no database is renamed', async () => {
    const { file } = await indexFolders()
    openForWriting(file).close()
    const bytes = await readFile(file)
    bytes.fill(0xaa, 100, 4096)
    await writeFile(file, bytes)
    const repaired = openForWriting(file)
    expect(revisionOf(repaired)).toBe(0)
    repaired.close()

    await writeFile(file, 'the notes of somebody')
    openForWriting(file).close()
    const names = await readdir(dirname(file))
    const aside = names.find((name) => name.includes('.damaged-'))!
    expect(await readFile(`${dirname(file)}/${aside}`, 'utf8')).toBe('the notes of somebody')
  })

  it('an old write-ahead log is not applied to a new index', async () => {
    const { file } = await indexFolders()
    const db = openForWriting(file)
    db.exec('UPDATE state SET revision = 7')
    const wal = await readFile(`${file}-wal`)
    expect(wal.length).toBeGreaterThan(0)
    const other = `${file}-other`
    await writeFile(`${other}-wal`, wal)
    const fresh = openForWriting(other)
    expect(revisionOf(fresh)).toBe(0)
    fresh.close()
    db.close()
  })

  it('the database of another program is refused and not changed', async () => {
    const { file } = await indexFolders()
    for (const pragma of ['PRAGMA user_version = 0', 'PRAGMA user_version = 3', 'PRAGMA application_id = 5']) {
      const foreign = new Database(file)
      foreign.exec(`CREATE TABLE IF NOT EXISTS notes (text); INSERT INTO notes VALUES ('kept'); ${pragma}`)
      foreign.close()
      expect(() => openForWriting(file)).toThrow(RunIndexError)
      const after = new Database(file)
      expect(after.prepare('SELECT count(*) > 0 FROM notes').pluck().get()).toBe(1)
      after.close()
    }
  })

  it('a path that cannot hold an index is reported', async () => {
    const { results, file } = await indexFolders()
    expect(() => openForWriting(results)).toThrow(expect.objectContaining({ code: 'unusable_file' }) as Error)
    expect(() => openForWriting(`${results}/missing/index`)).toThrow(
      expect.objectContaining({ code: 'unusable_file' }) as Error,
    )
    expect(() => openForReading(file)).toThrow(expect.objectContaining({ code: 'unusable_file' }) as Error)
  })
})
