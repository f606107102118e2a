import { plural } from '../../../contract/words.ts'
import { messageOf } from '../../../core/json.ts'
import { ModelCallError } from '../models/model-host.ts'
import { isOwnFault, mostFailedOf } from '../rag/derived-collection.ts'

/** True for a failed call that another text may not have. A service that gives no answer in time, or is unavailable, does so for any. */
export const isFaultOfText = (error: unknown): boolean =>
  isOwnFault(error) && error.code !== 'timeout' && !(error instanceof ModelCallError && (error.status ?? 0) > 500)

/** Documents of which a text cannot be embedded, with what failed: a few are left out instead of ending the ingestion. */
export class LeftOutDocuments {
  readonly #reasons = new Map<string, string>()
  readonly #documents: number

  constructor(documents: number) {
    this.#documents = documents
  }

  get count(): number {
    return this.#reasons.size
  }

  get paths(): string[] {
    return [...this.#reasons.keys()].toSorted()
  }

  has(document: string): boolean {
    return this.#reasons.has(document)
  }

  /** Leaves a document out; throws the error where it is not about the text, and where too many or all others are left out. */
  add(document: string, error: unknown): void {
    const { size } = this.#reasons
    if (!isFaultOfText(error) || size >= mostFailedOf(this.#documents) || size + 1 >= this.#documents) throw error
    this.#reasons.set(document, messageOf(error))
  }

  /** A warning; null where all documents are there. */
  warning(): string | null {
    if (this.count === 0) return null
    const failed = [...this.#reasons].map(([document, error]) => ({ document, error }))
    return `search finds nothing of ${plural(this.count, 'document')} of ${this.#documents}: ${namedDocuments(failed)}; a new run tries again`
  }
}

/** The first three documents with what failed, and how many more there are. */
export function namedDocuments(failed: readonly { document: string; error: string }[]): string {
  const named = failed.slice(0, 3).map(({ document, error }) => `${document} (${error})`)
  const more = failed.length > named.length ? [`${failed.length - named.length} more`] : []
  return [...named, ...more].join(', ')
}
