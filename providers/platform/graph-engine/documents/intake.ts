import type { GraphInsertResponse } from '../../../../contract/index.ts'
import type { DocumentInput } from '../graph-engine.ts'
import type { GraphEngineLimits } from '../limits.ts'
import type { DocumentStore } from '../storage/document-store.ts'
import { documentId, newTrackId, titleOf } from './document-identity.ts'
import { splitDocument } from './split-document.ts'

export interface IntakeDeps {
  documents: DocumentStore
  /** Texts that another model extracted are extracted again. */
  extractModel: string
  limits: Pick<GraphEngineLimits, 'documentBytes' | 'chunkChars'>
  clock: () => number
}

type Outcome =
  | { kind: 'queued'; changed: boolean }
  | { kind: 'duplicated'; trackId: string; changed: boolean }
  | { kind: 'refused'; reason: string; changed: false }

/** Takes documents into the queue. `changed`: the present graph shows something that is no longer so. */
export type Intake = (
  inputs: readonly DocumentInput[],
  kind: 'upload' | 'insert',
) => { response: GraphInsertResponse; changed: boolean }

/** The way into the queue. A text is one document however often and under whatever path it comes. */
export function createIntake({ documents, extractModel, limits, clock }: IntakeDeps): Intake {
  function take(input: DocumentInput, trackId: string): Outcome {
    // SQLite's own functions end a text at its first NUL.
    const text = input.text
      .replaceAll('\u0000', '')
      .replace(/^\uFEFF/, '')
      .toWellFormed()
      .trim()
    const problem = unusable(text, limits.documentBytes)
    if (problem !== null) return { kind: 'refused', reason: `${input.filePath}: ${problem}`, changed: false }
    const id = documentId(text)
    const title = input.title?.trim() || titleOf(text, input.filePath)
    const known = documents.find(id)
    if (known === null) {
      const replaced = documents.atPath(input.filePath).map((document) => document.id)
      const chunks = splitDocument(text, limits.chunkChars)
      const document = { id, filePath: input.filePath, title, content: text, trackId, extractModel, chunks }
      documents.add(document, replaced, clock())
      return { kind: 'queued', changed: replaced.length > 0 }
    }
    const changed = known.filePath !== input.filePath
    if (changed) {
      const replaced = documents.atPath(input.filePath).map((document) => document.id)
      documents.remove(replaced)
      documents.rename(id, input.filePath, title, clock())
    }
    const forget = known.extractModel !== extractModel
    if (!forget && known.status !== 'failed') return { kind: 'duplicated', trackId: known.trackId, changed }
    documents.requeue(id, { trackId, extractModel, forget }, clock())
    return { kind: 'queued', changed }
  }

  return (inputs, kind) => {
    const trackId = newTrackId(kind, clock())
    const outcomes = inputs.map((input) => take(input, trackId))
    return { response: respond(outcomes, trackId), changed: outcomes.some(({ changed }) => changed) }
  }
}

function unusable(text: string, limitBytes: number): string | null {
  if (text === '') return 'there is no text'
  return Buffer.byteLength(text) > limitBytes ? `the text is larger than ${limitBytes} bytes` : null
}

function respond(outcomes: readonly Outcome[], trackId: string): GraphInsertResponse {
  const queued = outcomes.filter(({ kind }) => kind === 'queued').length
  const known = outcomes.filter((outcome) => outcome.kind === 'duplicated')
  const refused = outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? [outcome.reason] : []))
  const message = [
    ...(queued > 0 ? [`${queued} queued`] : []),
    ...(known.length > 0 ? [`${known.length} known already`] : []),
    ...refused.map((reason) => `refused: ${reason}`),
  ].join('; ')
  if (queued === outcomes.length) return { status: 'success', message, track_id: trackId }
  if (known.length === outcomes.length) return { status: 'duplicated', message, track_id: known[0]!.trackId }
  return { status: queued + known.length > 0 ? 'partial_success' : 'failure', message, track_id: trackId }
}
