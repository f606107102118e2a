import { afterAll, beforeAll, describe } from 'vitest'
import { postgresMissing, startPostgres, whyNoPostgres, type PostgresServer } from './postgres-server.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Describes how a test gets a database of the platform's own records. */
export interface DatabaseKind {
  name: 'SQLite' | 'PostgreSQL'
  /** Address of a new, empty database: a file, or a connection string. */
  fresh(): Promise<string>
}

/**
 * Declares the tests of a suite twice, on SQLite and on PostgreSQL; those on PostgreSQL are skipped, with the reason in their title, where no
 * server can be started. `fsync: false` is for suites that end no process.
 */
export function onEachDatabase(title: string, suite: (kind: DatabaseKind) => void, { fsync = false } = {}): void {
  describe(`${title} on SQLite`, () => {
    suite({ name: 'SQLite', fresh: async () => `${await temporaryFolder('database')}/platform.sqlite` })
  })
  describe.skipIf(postgresMissing !== null)(`${title} on PostgreSQL${whyNoPostgres}`, () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await startPostgres({ fsync })
    }, 60_000)
    afterAll(() => server.close())
    suite({ name: 'PostgreSQL', fresh: () => server.freshDatabase() })
  })
}
