import { basename } from 'node:path'
import type { IndexChange } from '../../contract/control/run-index/upkeep.ts'
import type { JudgeSection } from '../../contract/evidence/aggregate.ts'
import { isOfSystem } from '../../core/system-limit.ts'
import { ARTIFACT_KINDS, type ArtifactKind } from '../evidence/files/artifact-files.ts'
import { parseJudgments } from '../report/aggregate/judge-input.ts'
import { AggregateWriter, aggregateOf } from './apply/apply-aggregate.ts'
import { applyEvidence, OvertakenError, type Follow } from './apply/apply-evidence.ts'
import { JudgmentsWriter } from './apply/apply-judgments.ts'
import type { Artifact } from './apply/artifact-store.ts'
import { scanFolders, type FoundFile, type ScannedFiles } from './folders/folder-scan.ts'
import { FollowedFile, readWholeFile, wholeFileChange, type WholeFile } from './folders/followed-file.ts'
import { parseHistorical } from './apply/historical-record.ts'
import { ChangeLog, type IndexSession } from './index-session.ts'
import { nextTurn } from './threads/line-blocks.ts'
import type { StoredScope } from './apply/scope-store.ts'

/** The artifacts of one dataset run in one folder. */
type Group = Partial<Record<ArtifactKind, { artifact: Artifact; file: FoundFile }>>

/** Other files are read again when a file becomes a copy, or stops being one: at most this many times per sync. */
const MAX_PASSES = 4

/** Brings the index up to date with folders of results. Calls must not overlap. */
export class IndexWriter {
  readonly #session: IndexSession
  readonly #scanned: ScannedFiles
  readonly #aggregate: AggregateWriter
  readonly #judgments: JudgmentsWriter
  readonly #followed = new Map<string, FollowedFile>()
  /** Folders that could not be listed last time, with the reason. */
  #unreadable = new Map<string, string>()

  constructor(session: IndexSession, scanned: ScannedFiles) {
    this.#session = session
    this.#scanned = scanned
    this.#aggregate = new AggregateWriter(session)
    this.#judgments = new JudgmentsWriter(session)
  }

  /** Applies everything that changed in the folders. Rejects with the signal's reason and the system's errors; what was applied before stays. */
  async sync(signal: AbortSignal): Promise<IndexChange> {
    const changes = new ChangeLog()
    const follow: Follow = { session: this.#session, changes, signal }
    const { files, unreadable } = scanFolders(this.#scanned)
    for (const { folder, message } of unreadable)
      if (this.#unreadable.get(folder) !== message)
        changes.damaged.push({ path: folder, damage: { offset: null, line: null, message } })
    this.#unreadable = new Map(unreadable.map(({ folder, message }) => [folder, message]))
    this.#removeMissing(
      files,
      unreadable.map(({ folder }) => folder),
      changes,
    )
    for (let pass = 0; pass < MAX_PASSES; pass += 1) if (!(await this.#pass(files, follow))) break
    return changes.finish(this.#session.revision)
  }

  #removeMissing(files: readonly FoundFile[], unreadable: readonly string[], changes: ChangeLog): void {
    const present = new Set(files.map(({ path }) => path))
    const isHidden = ({ path }: Artifact) => unreadable.some((folder) => path.startsWith(folder))
    const missing = this.#session.artifacts.all().filter((known) => !present.has(known.path) && !isHidden(known))
    if (missing.length === 0) return
    this.#session.write(() => {
      for (const { id, path } of missing) {
        // Read again: an earlier one of them may have changed it.
        const artifact = this.#session.artifacts.get(id)!
        this.#forgetContent(artifact, changes)
        this.#session.artifacts.remove(id)
        this.#followed.delete(path)
      }
    })
  }

  /** Removes from the index what came from a removed file. */
  #forgetContent(artifact: Artifact, changes: ChangeLog): void {
    const { scopes } = this.#session
    const owned = scopes.ofOwner(artifact.id)
    if (owned !== null) this.#session.wipe(owned, changes)
    const scope = artifact.scope === null || artifact.state === 'copy' ? null : scopes.get(artifact.scope)
    if (scope === null) return
    if (artifact.kind === 'evaluation') this.#aggregate.clear(scope)
    if (artifact.kind === 'judgments') this.#judgments.clear(scope)
    changes.added(scopes.names(scope.id), 0, true)
  }

  /** Reads every file that changed. True when files must be read again. */
  async #pass(files: readonly FoundFile[], follow: Follow): Promise<boolean> {
    const known = this.#known(files)
    this.#applyFolderOrder(files, known)
    const groups = new Map<string, Group>()
    for (const file of files) {
      const group = groups.get(file.prefix) ?? {}
      group[file.kind] = { artifact: known.get(file.path)!, file }
      groups.set(file.prefix, group)
    }
    let isOvertaken = false
    for (const [prefix, group] of groups) {
      if (!ARTIFACT_KINDS.some((kind) => isUnread(group[kind]))) continue
      try {
        await this.#follow(prefix, group, follow)
      } catch (error) {
        // The other process's rows are kept: the next pass continues after them.
        if (error instanceof OvertakenError) isOvertaken = true
        // A file that cannot be read must not block the others.
        else if (isOfSystem(error)) this.#noteUnreadable(group, error, follow)
        else throw error
      }
      await nextTurn(follow.signal)
    }
    const paths = new Set(files.map(({ path }) => path))
    if (isOvertaken) return true
    return this.#session.artifacts.all().some(({ path, identity }) => identity === '' && paths.has(path))
  }

  /** Marks the unread files of a group as damaged until they change. */
  #noteUnreadable(group: Group, error: NodeJS.ErrnoException, { changes }: Follow): void {
    const message = `cannot be read: ${error.message}`
    for (const kind of ARTIFACT_KINDS) {
      const member = group[kind]
      if (member === undefined || !this.#isDue(member)) continue
      const { identity, sizeBytes, modifiedMs, path } = member.file
      this.#session.write(() => {
        const artifact = this.#session.artifacts.get(member.artifact.id)!
        if (artifact.damageMessage !== message)
          changes.damaged.push({ path, damage: { offset: null, line: null, message } })
        const damage = { state: 'damaged', damageOffset: null, damageLine: null, damageMessage: message } as const
        this.#session.artifacts.change(artifact, { identity, sizeBytes, modifiedMs, ...damage })
      })
    }
  }

  /** The artifacts of these files, new ones added. */
  #known(files: readonly FoundFile[]): Map<string, Artifact> {
    const read = () => new Map(this.#session.artifacts.all().map((artifact) => [artifact.path, artifact]))
    const known = read()
    if (files.every(({ path }) => known.has(path))) return known
    return this.#session.write(() => {
      // Read again: another process may have added some of them.
      const current = read()
      for (const { path, prefix, kind, folder } of files)
        if (!current.has(path)) current.set(path, this.#session.artifacts.add({ path, prefix, kind, folder }))
      return current
    })
  }

  /** After the order of folders changed, which of several copies is indexed is decided again. */
  #applyFolderOrder(files: readonly FoundFile[], known: Map<string, Artifact>): void {
    const moved = files.filter(({ path, folder }) => known.get(path)!.folder !== folder)
    if (moved.length === 0) return
    this.#session.write(() => {
      for (const { path, folder } of moved)
        known.set(path, this.#session.artifacts.change(known.get(path)!, { folder, identity: '' }))
    })
  }

  async #follow(prefix: string, group: Group, follow: Follow): Promise<void> {
    if (group.evidence !== undefined) await this.#followCanonical(group, group.evidence.artifact, follow)
    else if (group.matrix !== undefined && group.evaluation === undefined) this.#followHistorical(prefix, group, follow)
    else this.#list(group, follow)
  }

  /** Evidence and the files that belong to it. */
  async #followCanonical(group: Group, evidence: Artifact, follow: Follow): Promise<void> {
    const session = this.#session
    if (group.matrix !== undefined) this.#releaseOwner(group.matrix.artifact, follow)
    let outcome = { rowsAdded: 0, created: false }
    if (isUnread(group.evidence)) {
      const followed = this.#followed.get(evidence.path) ?? new FollowedFile()
      this.#followed.set(evidence.path, followed)
      outcome = await applyEvidence(session.artifacts.get(evidence.id)!, followed, follow)
    }
    const scope = session.scopes.ofOwner(evidence.id)
    if (scope === null) {
      this.#list(group, follow)
      return
    }
    const { created, rowsAdded } = outcome
    const isOrdered = this.#isDue(group.evaluation)
    this.#whole(group.evaluation, created, scope, follow, (file) => this.#applyAggregate(file, scope))
    this.#whole(group.matrix, created, scope, follow, () => null)
    // Verdicts of cells that were just added are in a file that was read before them.
    this.#whole(group.judgments, created || rowsAdded > 0 || isOrdered, scope, follow, (file, artifact) =>
      this.#applyJudgments(file, artifact, scope),
    )
  }

  /** Returns true when it changed on disk, or was marked as unread since its group was built. */
  #isDue(member: Group[ArtifactKind]): boolean {
    return member !== undefined && isUnread({ ...member, artifact: this.#session.artifacts.get(member.artifact.id)! })
  }

  /** Applies a file that is replaced as a whole, if it changed or `force` is set; `apply` returns the problem with it. */
  #whole(
    member: Group[ArtifactKind],
    force: boolean,
    scope: StoredScope,
    { changes }: Follow,
    apply: (file: WholeFile, artifact: Artifact) => string | null,
  ): void {
    if (member === undefined || !(force || this.#isDue(member))) return
    const file = readWholeFile(member.artifact)
    if (file === null) return
    this.#session.write(() => {
      const artifact = this.#session.artifacts.get(member.artifact.id)!
      const problem = apply(file, artifact)
      const status = member.artifact.kind === 'matrix' ? 'listed' : 'applied'
      this.#note(artifact, file, status, problem, changes, scope.id)
      changes.added(this.#session.scopes.names(scope.id), 0, true)
    })
  }

  #note(
    artifact: Artifact,
    file: WholeFile,
    status: Artifact['state'],
    problem: string | null,
    changes: ChangeLog,
    scope: number | null,
  ): void {
    this.#session.artifacts.change(artifact, { ...wholeFileChange(file, status, problem), scope })
    if (problem !== null && problem !== artifact.damageMessage)
      changes.damaged.push({ path: artifact.path, damage: { offset: null, line: null, message: problem } })
  }

  #applyAggregate(file: WholeFile, scope: StoredScope): string | null {
    const parsed = aggregateOf(file.text, this.#session.scopes.names(scope.id))
    if (parsed.ok) this.#aggregate.apply(scope, parsed.aggregate)
    else this.#aggregate.clear(scope)
    return parsed.ok ? null : parsed.problem
  }

  #applyJudgments(file: WholeFile, { path }: Artifact, scope: StoredScope): string | null {
    return problemOf(this.#judgments.apply(scope, parseJudgments(file.text, basename(path))))
  }

  /** A snapshot from before evidence files existed: small, so it is read again whenever one of its files changes. */
  #followHistorical(prefix: string, group: Group, { changes }: Follow): void {
    const matrix = readWholeFile(group.matrix!.artifact)
    const judgments = group.judgments === undefined ? null : readWholeFile(group.judgments.artifact)
    if (matrix === null) return
    const input = judgments === null ? null : parseJudgments(judgments.text, basename(group.judgments!.artifact.path))
    const parsed = parseHistorical(matrix.text, basename(prefix), input?.state === 'read' ? input.judgments : null)
    this.#session.write(() => {
      const { artifacts, scopes, cells } = this.#session
      const { id } = group.matrix!.artifact
      const owned = scopes.ofOwner(id)
      if (owned !== null) this.#session.wipe(owned, changes)
      const note = (
        kind: 'matrix' | 'judgments',
        file: WholeFile,
        status: Artifact['state'],
        problem: string | null,
        scope: number | null,
      ): void => this.#note(artifacts.get(group[kind]!.artifact.id)!, file, status, problem, changes, scope)
      if (!parsed.ok) {
        note('matrix', matrix, 'damaged', parsed.problem, null)
        if (judgments !== null) note('judgments', judgments, 'listed', null, null)
        return
      }
      const { runId, datasetId } = parsed.records
      const names = { runId, datasetId, kind: 'historical', label: datasetId, complexityLevel: null } as const
      const scope = this.#session.claim(names, artifacts.get(id)!, changes)
      if (scope === null) {
        const other = artifacts.get(id)!.scope
        note('matrix', matrix, 'copy', null, other)
        if (judgments !== null) note('judgments', judgments, 'copy', null, other)
        return
      }
      let duplicate: string | null = null
      for (const record of parsed.records.cells)
        if (!cells.add(scope, record, null))
          duplicate ??= `duplicate cell ${record.question.id} × ${record.alias.model}`
      cells.finish(scope)
      note('matrix', matrix, 'applied', duplicate, scope.id)
      if (judgments !== null)
        note('judgments', judgments, 'applied', problemOf(this.#judgments.apply(scope, input!)), scope.id)
      changes.added({ run_id: runId, dataset_id: datasetId }, parsed.records.cells.length, true)
    })
  }

  /** A matrix is not a snapshot any more once its evidence exists. */
  #releaseOwner(artifact: Artifact, { changes }: Follow): void {
    const owned = this.#session.scopes.ofOwner(artifact.id)
    if (owned !== null) this.#session.write(() => this.#session.wipe(owned, changes))
  }

  /** Files that are not indexed themselves: of a copy, or without the evidence that they belong to. */
  #list(group: Group, { changes }: Follow): void {
    for (const kind of ARTIFACT_KINDS) {
      const member = group[kind]
      if (member === undefined || kind === 'evidence' || !this.#isDue(member)) continue
      const file = readWholeFile(member.artifact)
      if (file === null) continue
      this.#session.write(() => {
        const owned = this.#session.scopes.ofOwner(member.artifact.id)
        if (owned !== null) this.#session.wipe(owned, changes)
        const evidence = group.evidence && this.#session.artifacts.get(group.evidence.artifact.id)
        const isCopy = evidence?.state === 'copy'
        const artifact = this.#session.artifacts.get(member.artifact.id)!
        this.#note(artifact, file, isCopy ? 'copy' : 'listed', null, changes, isCopy ? evidence.scope : null)
      })
    }
  }
}

const isUnread = (member: Group[ArtifactKind]): boolean =>
  member !== undefined &&
  (member.artifact.identity !== member.file.identity ||
    member.artifact.sizeBytes !== member.file.sizeBytes ||
    member.artifact.modifiedMs !== member.file.modifiedMs)

/** Judgments that cannot be joined do not damage the run, but the problem is shown. */
const problemOf = (section: JudgeSection): string | null => (section.status === 'error' ? section.message : null)
