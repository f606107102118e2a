import { createHook } from 'node:async_hooks'
import { join } from 'node:path'
import { RunCopy } from '../../main/evidence/postgres/database-copy.ts'
import type { DatabaseSession } from '../../main/evidence/postgres/database-session.ts'
import { writeNew } from '../../main/lib/files/write-atomic.ts'
import { makeProject } from '../../main/manifests/project/make-project.ts'

/** Lists what this process writes, by name: `node whole-files-child.ts <name> <folder> <moment>`. */
export const WORK: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  copy: async (folder) => {
    const outcome = await new RunCopy({
      session: LINES,
      run: 1,
      record: { schema_version: 1, database: 'ladder', run_id: 'r', dataset_id: 'smoke' },
      file: join(folder, 'r-smoke-evidence.jsonl'),
    }).update()
    if (!outcome.ok) throw new Error(outcome.refusal.message)
  },
  document: (folder) =>
    writeNew(join(folder, 'corpus/lock.md'), DOCUMENT).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }),
  project: (folder) => makeProject(join(folder, 'project'), join(folder, 'template')),
}

export const ROWS = ['{"row":1}\n', '{"row":2}\n', '{"row":3}\n'].map((line) => Buffer.from(line))
export const DOCUMENT = 'Ada opened the lock.\n'

/** A database whose one run has these rows, and no identity. */
const LINES = {
  use: (work: (client: { query: (sql: string, values: [number, number]) => unknown }) => unknown) =>
    Promise.resolve(
      work({
        query: (sql, [, position]) => {
          if (sql.includes('identity')) return { rows: [{ identity: null }] }
          const found = sql.includes('position =') ? ROWS.slice(position - 1, position) : ROWS.slice(position)
          return { rows: found.map((line) => ({ line })) }
        },
      }),
    ),
} as unknown as DatabaseSession

const [name = '', folder = '', moment = ''] = process.argv.slice(2)
const work = WORK[name]
if (work !== undefined && moment !== '') {
  let requests = 0
  // The system gets a request of a file after its object is made: this one never reaches it.
  createHook({
    init(_id, type) {
      if (!type.startsWith('FSREQ')) return
      requests += 1
      if (requests > Number(moment)) process.kill(process.pid, 'SIGKILL')
    },
  }).enable()
  await work(folder)
}
