import type { ConnectionView, ModelTest, TestModelInput } from '../../../contract/control/models.ts'
import {
  connectionKey,
  connectionKind,
  isNearAddress,
  type Connection,
  type ConnectionKind,
} from '../../../contract/manifests/model-connections.ts'
import { freeName, identifierOf, type Choice } from './set-draft.ts'

export type DraftKind = ConnectionKind | 'gguf'

export interface ConnectionDraft {
  kind: DraftKind
  /** Null: as the address proposes. */
  name: string | null
  address: string
  /** Variable with the key. */
  key: string
  /** The key itself, as it is being entered. */
  secret: string
  /** Null where nothing is set. */
  concurrency: number | null
  timeout: number | null
  cloud: boolean
  model: string
  embeddingModel: string
  path: string
  /** The saved connection that is being edited. */
  edited: ConnectionView | null
}

const EMPTY = {
  secret: '',
  concurrency: null,
  timeout: null,
  model: '',
  embeddingModel: '',
  path: '',
  edited: null,
} as const

/** A draft of a kind with its usual name, address and key. */
export function draftOfKind(kind: DraftKind): ConnectionDraft {
  if (kind === 'gguf') return { ...EMPTY, kind, name: '', address: '', key: '', cloud: false }
  const { usualAddress, usualKey, isCloud } = connectionKind(kind)
  return {
    ...EMPTY,
    kind,
    name: kind === 'compatible' ? null : kind,
    address: usualAddress ?? '',
    key: usualKey ?? '',
    cloud: isCloud,
  }
}

/** A draft of a saved connection. */
export function draftOfConnection(view: ConnectionView): ConnectionDraft {
  const { name, kind, address, cloud, declared } = view
  return {
    ...EMPTY,
    kind,
    name,
    address,
    key: connectionKey(declared) ?? '',
    concurrency: declared.concurrency ?? null,
    timeout: declared.timeout_s ?? null,
    cloud,
    edited: view,
  }
}

/** The name of a draft: typed, or made of host and port of its address, and then free among those that are taken. */
export function nameOfDraft({ name, address }: ConnectionDraft, taken: readonly string[]): string {
  if (name !== null) return name.trim()
  const host = /^https?:\/\/(?:[^/@]*@)?([^/?#]+)/i.exec(address.trim())?.[1] ?? ''
  return freeName(identifierOf(host), taken)
}

export const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

/** The connection of a draft of a service; what is usual for its kind is left out. */
export function connectionOfDraft({ kind, edited, ...draft }: ConnectionDraft & { kind: ConnectionKind }): Connection {
  const { usualAddress, usualKey, isCloud } = connectionKind(kind)
  const [address, variable] = [draft.address.trim(), textOrNull(draft.key)]
  return {
    kind,
    ...(address === '' || address === usualAddress ? {} : { base_url: address }),
    ...(variable === usualKey ? {} : { api_key_env: variable }),
    ...(edited?.key === 'stored' ? { api_key: 'stored' as const } : {}),
    ...(draft.timeout === null ? {} : { timeout_s: draft.timeout }),
    ...(draft.concurrency === null ? {} : { concurrency: draft.concurrency }),
    ...(draft.cloud === isCloud ? {} : { cloud: draft.cloud }),
  }
}

/** Asks for a test of a draft. */
export function testOfDraft(draft: ConnectionDraft): TestModelInput {
  const { kind, edited, secret } = draft
  const target: TestModelInput['target'] =
    kind === 'gguf'
      ? { file: draft.path.trim() }
      : {
          connection: connectionOfDraft({ ...draft, kind }),
          ...(edited === null ? {} : { name: edited.name }),
          ...(textOrNull(secret) === null ? {} : { key: secret.trim() }),
        }
  return {
    target,
    model: textOrNull(draft.model),
    embedding_model: textOrNull(draft.embeddingModel),
    list_only: false,
    timeout_s: 60,
  }
}

/** True when calls to an address are taken as paid ones: as usual for the kind, or for a service that is on no network of the person's. */
export const cloudAt = (kind: ConnectionKind, address: string): boolean =>
  connectionKind(kind).isCloud || !isNearAddress(address.trim())

/** The models of a service that its test found to work: one for text, and one for embeddings or null. */
export function foundModels(
  source: Choice['source'],
  draft: Pick<ConnectionDraft, 'model' | 'embeddingModel'>,
  test: ModelTest | undefined,
): { text: Choice; embedding: Choice | null } {
  const found = (kind: 'chat' | 'embedding'): string | null =>
    test?.probes.find(({ probe, status }) => probe === kind && (status === 'passed' || status === 'adapted'))?.model ??
    null
  const embedding = textOrNull(draft.embeddingModel) ?? found('embedding')
  return {
    text: { source, model: textOrNull(draft.model) ?? found('chat') ?? test?.models[0] ?? '' },
    embedding: embedding === null ? null : { source, model: embedding },
  }
}
