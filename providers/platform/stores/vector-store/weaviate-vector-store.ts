import { randomBytes } from 'node:crypto'
import { joinedCodes, keywordTerms } from '../../../../core/keyword-terms.ts'
import { textKey } from './stored-vectors.ts'
import {
  checkHybridQuery,
  checkInput,
  checkLimit,
  checkVector,
  documentOrder,
  UnknownCollectionError,
  VectorStoreUnavailableError,
} from './vector-store.ts'
import type { CollectionInfo, Fusion, SearchHit, StoredChunk, VectorStore } from './vector-store.ts'
import { graphqlText, requireStatus, weaviateClient } from './weaviate-client.ts'
import type { WeaviateClient } from './weaviate-client.ts'

/*
 * A Weaviate server as the vector store, by its REST API and GraphQL.
 *
 * A collection is an alias (`RagBase_<profile>`, Weaviate 1.32 or later) of a class that is written once and never changed. Replacing a
 * collection writes a new class and then moves the alias, so that readers see the old one or the new one; what is known of a
 * collection (its digest, model and dimensions) is JSON in the description of its class. The ids of objects count in document and chunk
 * order, which is how Weaviate breaks ties and pages.
 *
 * Searches are Weaviate's own: cosine distance, BM25 with its tokens (no stemming), and its fusion. Their figures differ from those of the
 * embedded store.
 */

const OBJECTS_PER_REQUEST = 100
const CHUNKS_PER_PAGE = 1000
/** A class of ours that no alias leads to is what a killed writer left, once it is this old. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000

/** Texts of a keyword search: the passage with its context, and its codes in one piece. */
const SEARCHED = '["indexText","codes"]'
const CHUNK_FIELDS = 'source title chunkIndex startChar endChar content indexText'
const FUSIONS: Readonly<Record<Fusion, string>> = { relative_score: 'relativeScoreFusion', ranked: 'rankedFusion' }

/** Describes what the description of a class of ours holds. */
interface Description extends CollectionInfo {
  writer: 'rag-ladder'
  /** Milliseconds since 1970. */
  writtenAt: number
}

interface WeaviateHit {
  source: string
  title: string
  chunkIndex: number
  startChar: number
  endChar: number
  content: string
  indexText: string
  _additional: { score?: string; distance?: number }
}

interface WeaviateObject {
  id: string
  properties: WeaviateHit
  vector?: number[]
}

/** The store on a server; nothing is asked until it is used. Searches and writes reject with `VectorStoreUnavailableError` where the server does. */
export function openWeaviateVectorStore(url: string, apiKey: string | null): VectorStore {
  const client = weaviateClient(url, apiKey)
  /** Classes never change, so what was read once holds. */
  const known = new Map<string, Description | null>()

  /** The description of a class; null where there is none or it is not one of ours. */
  async function describe(className: string): Promise<Description | null> {
    const before = known.get(className)
    if (before !== undefined) return before
    const answer = await client.call('GET', `/schema/${className}`)
    if (answer.status === 404) return null
    const { description } = requireStatus(answer, [200], `GET /v1/schema/${className}`) as { description?: string }
    const read = parseDescription(description)
    known.set(className, read)
    return read
  }

  /** The class that an alias leads to; null where there is none. */
  async function target(name: string): Promise<string | null> {
    const answer = await client.call('GET', `/aliases/${aliasOf(name)}`)
    if (answer.status === 404) {
      await requireAliases(client, answer.body)
      return null
    }
    return (requireStatus(answer, [200], `GET /v1/aliases/${aliasOf(name)}`) as { class: string }).class
  }

  async function find(name: string): Promise<{ className: string; info: CollectionInfo } | null> {
    const className = await target(name)
    if (className === null) return null
    const found = await describe(className)
    if (found === null || found.name !== name)
      throw new VectorStoreUnavailableError(
        `Weaviate's alias ${aliasOf(name)} leads to ${className}, which is not the collection ${name}. Rename the collection by its profile, or remove that alias`,
      )
    return { className, info: infoOf(found) }
  }

  async function require(name: string): Promise<{ className: string; info: CollectionInfo }> {
    const found = await find(name)
    if (found === null) throw new UnknownCollectionError(name)
    return found
  }

  /** Runs a read; once more where the collection was replaced between looking it up and reading its class. */
  async function read<Result>(
    name: string,
    action: (className: string, info: CollectionInfo) => Promise<Result>,
  ): Promise<Result> {
    const { className, info } = await require(name)
    try {
      return await action(className, info)
    } catch (error) {
      if ((await target(name)) === className) throw error
      const again = await require(name)
      return action(again.className, again.info)
    }
  }

  async function search(className: string, operator: string, limit: number): Promise<WeaviateHit[]> {
    const fields = `${CHUNK_FIELDS} _additional { score distance }`
    const data = await client.query(`{ Get { ${className}(limit: ${limit}, ${operator}) { ${fields} } } }`)
    return (data['Get'] as Record<string, WeaviateHit[]>)[className]!
  }

  async function* objectsOf(className: string, include = ''): AsyncGenerator<WeaviateObject> {
    for (let after = ''; ;) {
      const from = after === '' ? '' : `&after=${after}`
      const page = `/objects?class=${className}&limit=${CHUNKS_PER_PAGE}${include}${from}`
      const { objects } = requireStatus(await client.call('GET', page), [200], 'GET /v1/objects') as {
        objects?: WeaviateObject[] | null
      }
      if (objects === undefined || objects === null || objects.length === 0) return
      yield* objects
      after = objects.at(-1)!.id
    }
  }

  /** Vectors of a class by the keys of their index texts; one without direction was stored without a vector. */
  async function vectorsIn(className: string, dimensions: number): Promise<Map<bigint, Float32Array>> {
    const vectors = new Map<bigint, Float32Array>()
    for await (const { properties, vector } of objectsOf(className, '&include=vector'))
      vectors.set(textKey(properties.indexText), Float32Array.from(vector ?? Array(dimensions).fill(0)))
    return vectors
  }

  async function remove(className: string): Promise<void> {
    known.delete(className)
    requireStatus(await client.call('DELETE', `/schema/${className}`), [200, 404], `DELETE /v1/schema/${className}`)
  }

  /** Removes what killed writers of a collection left. */
  async function sweep(name: string, live: string): Promise<void> {
    const { classes } = requireStatus(await client.call('GET', '/schema'), [200], 'GET /v1/schema') as {
      classes?: { class: string; description?: string }[]
    }
    for (const { class: className, description } of classes ?? []) {
      const found = parseDescription(description)
      if (found === null || found.name !== name || className === live) continue
      if (found.writtenAt < Date.now() - ABANDONED_AFTER_MS) await remove(className)
    }
  }

  return {
    info: async (name) => (await find(name))?.info ?? null,

    async list() {
      const answer = await client.call('GET', '/aliases')
      if (answer.status === 404) await requireAliases(client, answer.body)
      const { aliases } = requireStatus(answer, [200], 'GET /v1/aliases') as { aliases?: { class: string }[] }
      const found = await Promise.all((aliases ?? []).map(({ class: className }) => describe(className)))
      return found
        .filter((entry) => entry !== null)
        .map(infoOf)
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    },

    async replace(name, source, chunks, embeddings, options = {}) {
      await checkInput(name, source, chunks, embeddings)
      const alias = aliasOf(name)
      const before = await find(name)
      const className = `${alias}_${randomBytes(6).toString('hex')}`
      const info = { name, ...source, chunkCount: chunks.length }
      requireStatus(await client.call('POST', '/schema', classOf(className, info)), [200], 'POST /v1/schema')
      try {
        const order = documentOrder(chunks)
        for (let from = 0; from < order.length; from += OBJECTS_PER_REQUEST)
          await insert(
            client,
            order
              .slice(from, from + OBJECTS_PER_REQUEST)
              .map((index, position) => objectOf(className, from + position, chunks[index]!, embeddings.at(index)!)),
          )
        const stored = await countIn(client, className, null)
        if (stored !== chunks.length)
          throw new VectorStoreUnavailableError(`Weaviate stored ${stored} of ${chunks.length} chunks of ${name}`)
        await options.beforeSwitch?.()
        const [method, path] =
          before === null ? (['POST', '/aliases'] as const) : (['PUT', `/aliases/${alias}`] as const)
        requireStatus(await client.call(method, path, { alias, class: className }), [200], `${method} /v1${path}`)
      } catch (error) {
        // A class that cannot be removed now is swept by a later writer.
        await remove(className).catch(() => undefined)
        throw error
      }
      if (before !== null) await remove(before.className)
      await sweep(name, className)
      return info
    },

    chunks: (name) =>
      read(name, async (className) => {
        const all: StoredChunk[] = []
        for await (const { properties } of objectsOf(className)) all.push(chunkOf(properties))
        return all
      }),

    async vectors(name) {
      const found = await find(name)
      if (found === null) return null
      const { className, info } = found
      let known: Map<bigint, Float32Array> | null = null
      return {
        embeddingModel: info.embeddingModel,
        async get(texts) {
          known ??= await vectorsIn(className, info.dimensions)
          return texts.map((text) => known!.get(textKey(text)) ?? null)
        },
      }
    },

    async dense(name, vector, limit) {
      checkLimit(limit)
      return read(name, async (className, info) => {
        checkVector(vector, info.dimensions)
        if (isZero(vector)) return []
        const found = await search(className, `nearVector: { vector: [${vector.join(',')}] }`, limit)
        return found.map((hit) => {
          const score = 1 - hit._additional.distance!
          return { chunk: chunkOf(hit), score, denseScore: score, keywordScore: null }
        })
      })
    },

    async keyword(name, text, limit) {
      checkLimit(limit)
      return read(name, async (className) => {
        const words = wordsOf(text)
        if (words === null) return []
        const found = await search(className, `bm25: { query: ${words}, properties: ${SEARCHED} }`, limit)
        return found.map((hit) => ({ ...hitOf(hit), keywordScore: Number(hit._additional.score) }))
      })
    },

    async hybrid(name, query) {
      checkHybridQuery(query)
      const { text, vector, limit, fusion = 'relative_score' } = query
      return read(name, async (className, info) => {
        checkVector(vector, info.dimensions)
        const words = wordsOf(text)
        // A leg without weight, or with nothing to search with, is not searched.
        const hasKeywords = words !== null && query.alpha < 1
        const hasVector = !isZero(vector) && query.alpha > 0
        if (!hasKeywords && !hasVector) return []
        const alpha = !hasKeywords ? 1 : !hasVector ? 0 : query.alpha
        const leg = hasVector ? `, vector: [${vector.join(',')}]` : ''
        const operator = `hybrid: { query: ${words ?? '""'}, alpha: ${alpha}${leg}, properties: ${SEARCHED}, fusionType: ${FUSIONS[fusion]} }`
        return (await search(className, operator, limit)).map(hitOf)
      })
    },

    termStatistics: (name, text) =>
      read(name, async (className, info) => {
        const counts = keywordTerms(text).map(async (term) => [term, await countIn(client, className, term)] as const)
        return { passages: info.chunkCount, holding: new Map(await Promise.all(counts)) }
      }),

    // The service keeps them.
    releaseVectors: async () => undefined,
    async remove(name) {
      const className = await target(name)
      if (className === null) return false
      const path = `/aliases/${aliasOf(name)}`
      requireStatus(await client.call('DELETE', path), [204, 404], `DELETE /v1${path}`)
      await remove(className)
      return true
    },

    close: () => client.close(),
  }
}

/** Names of Weaviate begin with a capital and hold letters, digits and underscores. */
function aliasOf(name: string): string {
  const plain = name.replaceAll(/\W/g, '_')
  return plain[0]!.toUpperCase() + plain.slice(1)
}

/** A 404 for an alias means that it does not exist, or that the server has no aliases at all. */
async function requireAliases(client: WeaviateClient, body: unknown): Promise<void> {
  // An alias that does not exist is answered in Weaviate's own form.
  if (Array.isArray((body as { error?: unknown } | null)?.error)) return
  const { version } = requireStatus(await client.call('GET', '/meta'), [200], 'GET /v1/meta') as { version?: string }
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
  if (major > 1 || (major === 1 && minor >= 32)) return
  throw new VectorStoreUnavailableError(
    `Weaviate ${version ?? 'of unknown version'} has no aliases of collections. Use version 1.32 or later`,
  )
}

function parseDescription(text: string | undefined): Description | null {
  try {
    const read = JSON.parse(text ?? '') as Partial<Description> | null
    return read?.writer === 'rag-ladder' ? (read as Description) : null
  } catch {
    return null
  }
}

const infoOf = (found: Description): CollectionInfo => {
  const { name, dimensions, chunkCount, contentDigest, embeddingModel, derivation } = found
  const made = derivation === undefined ? {} : { derivation }
  return { name, dimensions, chunkCount, contentDigest, embeddingModel, ...made }
}

/** `content`, `source` and `chunkIndex` are what other programs read; only `indexText` and `codes` are searched. */
function classOf(className: string, info: CollectionInfo): object {
  const text = { dataType: ['text'], indexFilterable: false, indexSearchable: false }
  const number = { dataType: ['int'], indexFilterable: false }
  const searched = { dataType: ['text'], indexFilterable: true, indexSearchable: true }
  const description: Description = { writer: 'rag-ladder', writtenAt: Date.now(), ...info }
  return {
    class: className,
    description: JSON.stringify(description),
    vectorizer: 'none',
    vectorIndexConfig: { distance: 'cosine' },
    invertedIndexConfig: { bm25: { k1: 1.2, b: 0.75 } },
    properties: [
      { name: 'content', ...text },
      { name: 'source', ...text },
      { name: 'title', ...text },
      { name: 'chunkIndex', ...number },
      { name: 'startChar', ...number },
      { name: 'endChar', ...number },
      { name: 'indexText', ...searched, tokenization: 'word' },
      { name: 'codes', ...searched, tokenization: 'lowercase' },
    ],
  }
}

function objectOf(className: string, position: number, chunk: StoredChunk, vector: Float32Array): object {
  const { document, ...rest } = chunk
  return {
    class: className,
    id: `00000000-0000-4000-8000-${position.toString(16).padStart(12, '0')}`,
    properties: { ...rest, source: document, codes: joinedCodes(chunk.indexText).join(' ') },
    // A vector without direction is near to nothing.
    ...(isZero(vector) ? {} : { vector: Array.from(vector) }),
  }
}

async function insert(client: WeaviateClient, objects: object[]): Promise<void> {
  const answer = await client.call('POST', '/batch/objects', { objects })
  const results = requireStatus(answer, [200], 'POST /v1/batch/objects') as {
    result?: { status?: string; errors?: { error?: { message?: string }[] } | null }
  }[]
  // The status is 200 even when every object failed.
  const failed = results.find(({ result }) => result?.errors !== undefined && result.errors !== null)
  if (failed === undefined) return
  const reason = failed.result!.errors!.error?.[0]?.message ?? 'no reason given'
  throw new VectorStoreUnavailableError(`Weaviate did not store a chunk: ${reason}`)
}

/** Returns how many objects a class has, or how many hold a term. */
async function countIn(client: WeaviateClient, className: string, term: string | null): Promise<number> {
  const where =
    term === null ? '' : `(where: { path: ["indexText"], operator: Equal, valueText: ${graphqlText(term)} })`
  const data = await client.query(`{ Aggregate { ${className}${where} { meta { count } } } }`)
  return (data['Aggregate'] as Record<string, { meta: { count: number } }[]>)[className]![0]!.meta.count
}

const isZero = (vector: Float32Array): boolean => vector.every((value) => value === 0)

/** The words of a keyword search as a GraphQL string; null where there are none, which Weaviate would refuse. */
function wordsOf(text: string): string | null {
  const terms = keywordTerms(text)
  return terms.length === 0 ? null : graphqlText(terms.join(' '))
}

const chunkOf = (hit: WeaviateHit): StoredChunk => ({
  document: hit.source,
  title: hit.title,
  chunkIndex: hit.chunkIndex,
  startChar: hit.startChar,
  endChar: hit.endChar,
  content: hit.content,
  indexText: hit.indexText,
})

/** The store does not report what each leg gave. */
const hitOf = (hit: WeaviateHit): SearchHit => ({
  chunk: chunkOf(hit),
  score: Number(hit._additional.score),
  denseScore: null,
  keywordScore: null,
})
