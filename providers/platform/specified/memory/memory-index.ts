import { createHash, hash } from 'node:crypto'
import type { VectorStore } from '../../stores/vector-store/vector-store.ts'
import type { Fact, FactVector, MemoryStore } from './memory-store.ts'

export interface MemoryIndexDeps {
  store: MemoryStore
  /** Collections of facts only, one per user: apart from those of corpora, which approaches read. */
  vectors: VectorStore
  embed: (texts: string[], side: 'query' | 'document', signal?: AbortSignal) => Promise<Float32Array[]>
  embeddingSpace: string
}

export interface FoundFact extends Fact {
  /** Cosine similarity to the query. */
  score: number
}

/**
 * Searches the facts of one user by meaning. The collection is derived: it is rebuilt at the first search after a change, with the vectors that the
 * facts keep, and only facts without one of the current embedding model are embedded.
 */
export class MemoryIndex {
  readonly #deps: MemoryIndexDeps

  constructor(deps: MemoryIndexDeps) {
    this.#deps = deps
  }

  async search(user: string, query: string, limit: number, signal?: AbortSignal): Promise<FoundFact[]> {
    const collection = await this.#refresh(user, signal)
    if (collection === null) return []
    const [vector] = await this.#deps.embed([query], 'query', signal)
    const hits = await this.#deps.vectors.dense(collection, vector!, limit)
    const found: FoundFact[] = []
    for (const { chunk, score } of hits) {
      const fact = await this.#deps.store.fact(chunk.document)
      // Another request may have removed it meanwhile.
      if (fact !== null) found.push({ ...fact, score })
    }
    return found
  }

  /** The user's collection, as its facts are now; null without facts. */
  async #refresh(user: string, signal?: AbortSignal): Promise<string | null> {
    const { store, vectors, embeddingSpace } = this.#deps
    const name = `Memory_${hash('sha256', user).slice(0, 32)}`
    const facts = await store.vectors(user, embeddingSpace)
    if (facts.length === 0) {
      await vectors.remove(name)
      return null
    }
    const digest = createHash('sha256').update(JSON.stringify([embeddingSpace, facts.map(({ id }) => id)]))
    const contentDigest = digest.digest('hex')
    if ((await vectors.info(name))?.contentDigest === contentDigest) return name
    const embeddings = await this.#embedded(facts, signal)
    const chunks = facts.map(({ id, text }) => ({
      document: id,
      title: '',
      chunkIndex: 0,
      startChar: 0,
      endChar: text.length,
      content: text,
      indexText: text,
    }))
    const dimensions = embeddings[0]!.length
    await vectors.replace(name, { dimensions, contentDigest, embeddingModel: embeddingSpace }, chunks, embeddings)
    return name
  }

  async #embedded(facts: readonly FactVector[], signal?: AbortSignal): Promise<Float32Array[]> {
    const missing = facts.filter(({ vector }) => vector === null)
    const fresh = new Map<string, Float32Array>()
    if (missing.length > 0) {
      const made = await this.#deps.embed(
        missing.map(({ text }) => text),
        'document',
        signal,
      )
      for (const [index, { id }] of missing.entries()) {
        fresh.set(id, made[index]!)
        await this.#deps.store.setVector(id, this.#deps.embeddingSpace, made[index]!)
      }
    }
    return facts.map(({ id, vector }) => vector ?? fresh.get(id)!)
  }
}
