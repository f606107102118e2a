import { RunIdentity } from '../../../contract/evidence/run-identity.ts'
import { describeIssues } from '../../../core/issues.ts'
import { EvidenceError, messageOf } from '../errors.ts'
import { firstRow, otherRows } from '../rows/identity-record.ts'
import type { StoredRun } from '../rows/run-identity.ts'
import type { DatabaseAnswers } from './database-answers.ts'
import { isRunShared } from './database-locks.ts'
import type { DatabaseRows } from './database-rows.ts'
import type { DatabaseSession } from './database-session.ts'

interface StoredParts {
  file: string
  session: DatabaseSession
  run: number
  rows: DatabaseRows
  answers: DatabaseAnswers
}

/** A run in a database as `checkIdentity` looks at it. `revision` is that of the record which was read or kept last. */
interface DatabaseRun extends StoredRun {
  readonly revision: number
  /** Returns true when another living process has the run open. */
  isShared(): Promise<boolean>
}

/** Use it with rows and answers read that others stored. */
export function storedRunIn({ file, session, run, rows, answers }: StoredParts): DatabaseRun {
  let revision = 0
  return {
    get revision() {
      return revision
    },
    rowCount: rows.index.count,
    answerCount: answers.rowIds().length,
    isShared: () => session.use((client) => isRunShared(client, run)),
    async record() {
      const { rows: found } = await session.use((client) =>
        client.query<{ identity: string | null; identity_revision: number }>(
          'SELECT identity, identity_revision FROM rag_ladder.runs WHERE key = $1',
          [run],
        ),
      )
      const [stored] = found
      if (stored === undefined) throw new EvidenceError('log_failed', `${file}: the run was removed`, { file })
      revision = stored.identity_revision
      return stored.identity === null ? null : parsed(stored.identity, file)
    },
    async keep(identity) {
      // Done again after a lost connection it finds its own record: the next look at it agrees.
      const { rowCount } = await session.use((client) =>
        client.query(
          `UPDATE rag_ladder.runs SET identity = $3, identity_revision = identity_revision + 1
           WHERE key = $1 AND identity_revision = $2`,
          [run, revision, JSON.stringify(identity)],
        ),
      )
      if (rowCount !== 1) return false
      revision += 1
      return true
    },
    first: () => firstRow(rows, answers),
    others: (reproducibility) => otherRows(rows, answers, reproducibility),
  }
}

function parsed(text: string, file: string): RunIdentity {
  let problem: string
  try {
    const outcome = RunIdentity.safeParse(JSON.parse(text))
    if (outcome.success) return outcome.data
    problem = describeIssues(outcome.error).slice(0, 3).join('; ')
  } catch (error) {
    problem = messageOf(error)
  }
  throw new EvidenceError('damaged', `${file}: invalid run identity (${problem})`, { file })
}
