import { createHash, type Hash } from 'node:crypto'
import { closeSync } from 'node:fs'
import type { Artifact } from './artifact-store.ts'
import { stateOfOpen, type FileState } from '../folders/folder-scan.ts'
import { digestOf, hashPrefix, type FollowedFile } from '../folders/followed-file.ts'
import type { ChangeLog, IndexSession } from '../index-session.ts'
import { nextTurn, openIfExists } from '../threads/line-blocks.ts'
import {
  parsedBlocks,
  type Damage,
  type IndexRow,
  type ParsedBlock,
  type ParsedBlocks,
} from '../threads/parsed-blocks.ts'
import type { StoredScope } from './scope-store.ts'

export interface Follow {
  session: IndexSession
  changes: ChangeLog
  signal: AbortSignal
}

type Claim = { holder: 'this'; scope: StoredScope } | { holder: 'other' } | { holder: 'none' }

/** Describes what was done with the dataset run of an evidence file. */
interface EvidenceOutcome {
  rowsAdded: number
  /** The dataset run is new in the index, or was read again from its start. */
  created: boolean
}

/** Another process has applied the same bytes: its rows are kept, and the next sync continues from there. */
export class OvertakenError extends Error {
  constructor(path: string) {
    super(`${path}: another process indexed it at the same time`)
    this.name = 'OvertakenError'
  }
}

const NOTHING: EvidenceOutcome = { rowsAdded: 0, created: false }

/**
 * Brings the index up to the last complete line of an evidence file. Rows and offset are written together, block by block; a file that does
 * not begin any more with the applied bytes is read again from its start. A line that cannot be used marks the file as damaged at its
 * offset, and nothing after it is read. Rejects with the signal's reason and the system's error.
 */
export async function applyEvidence(
  artifact: Artifact,
  followed: FollowedFile,
  follow: Follow,
): Promise<EvidenceOutcome> {
  const fd = openIfExists(artifact.path)
  if (fd === null) return NOTHING
  try {
    return await new EvidenceApplier(artifact, followed, follow, fd).run()
  } finally {
    closeSync(fd)
  }
}

class EvidenceApplier {
  #artifact: Artifact
  readonly #followed: FollowedFile
  readonly #follow: Follow
  readonly #fd: number
  readonly #state: FileState
  /** Of the applied bytes. */
  #hash = createHash('sha256')
  #outcome: EvidenceOutcome = { ...NOTHING }

  constructor(artifact: Artifact, followed: FollowedFile, follow: Follow, fd: number) {
    this.#artifact = artifact
    this.#followed = followed
    this.#follow = follow
    this.#fd = fd
    this.#state = stateOfOpen(fd)
  }

  async run(): Promise<EvidenceOutcome> {
    this.#hash = await this.#startingHash()
    const range = { fd: this.#fd, from: this.#artifact.appliedBytes, to: this.#state.sizeBytes }
    const blocks = parsedBlocks(range, this.#followed.parser)
    try {
      return await this.#applyAll(blocks)
    } finally {
      await blocks.close()
    }
  }

  async #applyAll(blocks: ParsedBlocks): Promise<EvidenceOutcome> {
    const { session, signal } = this.#follow
    let scope = session.scopes.ofOwner(this.#artifact.id)
    for (;;) {
      const block = await blocks.next()
      signal.throwIfAborted()
      if (block === null) break
      if (scope === null) {
        const claim = this.#claim(block)
        if (claim.holder === 'other') return this.#keepAsCopy()
        if (claim.holder === 'this') scope = claim.scope
      }
      if (this.#apply(block, scope)) return this.#outcome
      await nextTurn(signal)
    }
    this.#write({ state: 'applied', sha256: digestOf(this.#hash), ...this.#state })
    this.#remember()
    return this.#outcome
  }

  /** The hash of the applied bytes; removes the dataset run and starts at 0 when the file has other bytes there. */
  async #startingHash(): Promise<Hash> {
    const { session, signal, changes } = this.#follow
    const artifact = this.#artifact
    if (artifact.state === 'copy')
      this.#write({ appliedBytes: 0, appliedLines: 0, sha256: null, state: 'listed', scope: null })
    const known = await this.#followed.prefixHash(this.#fd, this.#artifact, this.#state, signal)
    if (known !== null) return known
    session.write(() => {
      const scope = session.scopes.ofOwner(artifact.id)
      if (scope !== null) session.wipe(scope, changes)
      const fresh = session.artifacts.get(artifact.id) ?? artifact
      this.#artifact = session.artifacts.change(fresh, { appliedBytes: 0, appliedLines: 0, sha256: null })
    })
    return createHash('sha256')
  }

  #write(change: Partial<Artifact>): void {
    const clean = { damageOffset: null, damageLine: null, damageMessage: null }
    const { session } = this.#follow
    this.#artifact = session.write(() => session.artifacts.change(this.#artifact, { ...clean, ...change }))
  }

  /** Claims the dataset run of the file's first row; there is no holder when that row cannot be read. */
  #claim({ rows: [first] }: ParsedBlock): Claim {
    const { session, changes } = this.#follow
    if (first === undefined) return { holder: 'none' }
    const { runId, dataset } = first
    const { id: datasetId, label, complexity_level: complexityLevel } = dataset
    const scope = session.write(() =>
      session.claim({ runId, datasetId, kind: 'canonical', label, complexityLevel }, this.#artifact, changes),
    )
    this.#artifact = session.artifacts.get(this.#artifact.id)!
    if (scope === null) return { holder: 'other' }
    this.#outcome.created = true
    return { holder: 'this', scope }
  }

  async #keepAsCopy(): Promise<EvidenceOutcome> {
    const hash = await hashPrefix(this.#fd, this.#state.sizeBytes, this.#follow.signal)
    if (hash === null) return NOTHING
    const sha256 = digestOf(hash)
    this.#write({ state: 'copy', sha256, appliedBytes: this.#state.sizeBytes, ...this.#state })
    return NOTHING
  }

  /** Writes one block. True at the end of the file, or at damage. */
  #apply(block: ParsedBlock, scope: StoredScope | null): boolean {
    const { session } = this.#follow
    const { rows, damage: unreadable } = block
    const before = this.#artifact
    let damage = unreadable
    let next = this.#hash
    session.write(() => {
      const stored = session.artifacts.get(before.id)
      // Another process syncs this index too and was faster.
      if (stored?.appliedBytes !== before.appliedBytes) throw new OvertakenError(before.path)
      const added = scope === null ? { applied: 0, damage: null } : this.#addAll(scope, rows)
      const { applied } = added
      damage = added.damage ?? unreadable
      const end = damage === null ? block.offset + block.bytes.length : damage.offset
      next = this.#hash.copy().update(block.bytes.subarray(0, end - block.offset))
      const stops = block.isLast || damage !== null
      this.#artifact = session.artifacts.change(before, {
        appliedBytes: end,
        appliedLines: before.appliedLines + applied,
        sha256: digestOf(next),
        state: damage === null ? 'applied' : 'damaged',
        damageOffset: damage?.offset ?? null,
        damageLine: damage === null ? null : before.appliedLines + applied + 1,
        damageMessage: damage?.message ?? null,
        ...(stops ? this.#state : { identity: '' }),
      })
      this.#outcome.rowsAdded += applied
    })
    this.#hash = next
    this.#reportDamage(before)
    if (!block.isLast && damage === null) return false
    this.#remember()
    return true
  }

  #remember(): void {
    this.#followed.remember(this.#fd, this.#artifact.appliedBytes, this.#hash, this.#state)
  }

  /** Adds rows up to the first that does not belong here. */
  #addAll(scope: StoredScope, rows: readonly IndexRow[]): { applied: number; damage: Damage | null } {
    const { session, changes } = this.#follow
    const names = session.scopes.names(scope.id)
    let applied = 0
    let damage: Damage | null = null
    for (const read of rows) {
      const message = this.#add(scope, names, read)
      if (message !== null) {
        damage = { offset: read.offset, message }
        break
      }
      applied += 1
    }
    session.cells.finish(scope)
    changes.added(names, applied, this.#outcome.created)
    return { applied, damage }
  }

  /** Null when the row was added, else the reason why it was not. */
  #add(
    scope: StoredScope,
    names: { run_id: string; dataset_id: string },
    { runId, dataset, provenance, record, offset, length }: IndexRow,
  ): string | null {
    if (runId !== names.run_id || dataset.id !== names.dataset_id)
      return `the row belongs to run ${runId}, dataset ${dataset.id}, not to ${names.run_id}, ${names.dataset_id}`
    const { session } = this.#follow
    const range = { offset, length, provenance: session.dictionary.provenance(provenance) }
    return session.cells.add(scope, record, range) ? null : `duplicate row ${record.rowId} in this run`
  }

  #reportDamage(before: Artifact): void {
    const { path, damageOffset: offset, damageLine: line, damageMessage: message } = this.#artifact
    if (message !== null && (before.damageMessage !== message || before.damageOffset !== offset))
      this.#follow.changes.damaged.push({ path, damage: { offset, line, message } })
  }
}
