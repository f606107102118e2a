import type { GraphInsertResponse } from '../../../../contract/index.ts'
import type { DocumentInput } from '../graph-engine.ts'
import type { GraphEngineLimits } from '../limits.ts'
import type { DocumentStore, StoredDocument } from '../storage/document-store.ts'
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
  | { kind: 'duplicated'; trackId: string; reason: string; changed: boolean }
  | { kind: 'refused'; reason: string; changed: false }

/** Takes documents into the queue. `changed`: the present graph shows something that is no longer so. */
export type Intake = (
  inputs: readonly DocumentInput[],
  kind: 'upload' | 'insert',
) => { response: GraphInsertResponse; changed: boolean }

/** The name of texts that come without one: it names no document, so any number of them can have it. */
export const UNNAMED = 'unknown_source'

/**
 * The way into the queue. A text is one document however often it comes, and so is a name. Documents handed in by a client never touch those
 * that are there: a known text or a known name is answered as duplicated. With `replace`, as ingestion sets it, the name is a path in a corpus:
 * a new text takes the place of the old one there, and a known text moves to its new path.
 */
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
    const known = documents.find(id)
    const title = input.title?.trim() || titleOf(text, input.filePath)
    const atPath = input.filePath === UNNAMED ? [] : documents.atPath(input.filePath).filter((other) => other.id !== id)
    if (input.replace !== true && atPath.length > 0) return nameTaken(atPath[0]!)
    const replaced = input.replace === true ? atPath.map((document) => document.id) : []
    if (known === null) {
      const chunks = splitDocument(text, limits.chunkChars)
      const document = { id, filePath: input.filePath, title, content: text, trackId, extractModel, chunks }
      documents.add(document, replaced, clock())
      return { kind: 'queued', changed: replaced.length > 0 }
    }
    const moves = input.replace === true && known.filePath !== input.filePath
    if (moves) {
      documents.remove(replaced)
      documents.rename(id, input.filePath, title, clock())
    }
    const forget = known.extractModel !== extractModel
    if (!forget && known.status !== 'failed') {
      const reason = `${input.filePath}: its text is known already as ${known.filePath} (${known.status})`
      return { kind: 'duplicated', trackId: known.trackId, reason, changed: moves }
    }
    documents.requeue(id, { trackId, extractModel, forget }, clock())
    return { kind: 'queued', changed: moves }
  }

  return (inputs, kind) => {
    const trackId = newTrackId(kind, clock())
    const outcomes = inputs.map((input) => take(input, trackId))
    return { response: respond(outcomes, trackId), changed: outcomes.some(({ changed }) => changed) }
  }
}

function nameTaken({ filePath, status, trackId }: StoredDocument): Outcome {
  const reason = `a document named ${filePath} exists already with another text (${status}); delete it first, or use another name`
  return { kind: 'duplicated', trackId, reason, changed: false }
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
    ...known.map(({ reason }) => `duplicated: ${reason}`),
    ...refused.map((reason) => `refused: ${reason}`),
  ].join('; ')
  if (queued === outcomes.length) return { status: 'success', message, track_id: trackId }
  if (known.length === outcomes.length) return { status: 'duplicated', message, track_id: known[0]!.trackId }
  return { status: queued + known.length > 0 ? 'partial_success' : 'failure', message, track_id: trackId }
}
