import { basename } from 'node:path'
import { artifactName } from '../evidence/artifact-files.ts'
import type { Artifact } from './artifact-store.ts'
import type { ChangeLog, IndexSession } from './index-session.ts'
import type { NewScope, StoredScope } from './scope-store.ts'

/**
 * Makes `artifact` the file that its dataset run is indexed from; inside `write`. Where several files hold the same dataset run, such as a
 * working file and its published copy, evidence goes before snapshots, earlier folders before later ones, and the name that the runner
 * gives before any other. Null when another file comes first; `artifact` is its copy then.
 */
export function claimScope(
  session: IndexSession,
  changes: ChangeLog,
  scope: NewScope,
  artifact: Artifact,
): StoredScope | null {
  const { scopes, artifacts } = session
  const stored = scopes.find(scope.runId, scope.datasetId)
  const owner = stored === null ? null : artifacts.get(stored.owner)
  if (stored !== null && owner !== null && owner.id !== artifact.id) {
    if (comesFirst(scope, owner, artifact)) {
      artifacts.change(artifact, { scope: stored.id })
      return null
    }
  }
  if (stored !== null) session.wipe(stored, changes)
  const created = scopes.create(scope, artifact)
  artifacts.change(artifacts.get(artifact.id)!, { scope: created.id })
  return created
}

type Names = Pick<NewScope, 'runId' | 'datasetId'>

const rankOf = ({ runId, datasetId }: Names, { kind, folder, path }: Artifact): (number | string)[] => [
  kind === 'evidence' ? 0 : 1,
  folder,
  basename(path) === artifactName(kind, runId, datasetId) ? 0 : 1,
  path,
]

function comesFirst(names: Names, a: Artifact, b: Artifact): boolean {
  const [first, second] = [rankOf(names, a), rankOf(names, b)]
  for (const [place, value] of first.entries()) if (value !== second[place]) return value < second[place]!
  return true
}
