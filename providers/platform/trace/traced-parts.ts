import { hash } from 'node:crypto'
import type { SentTrace } from '../../../contract/evidence/trace.ts'
import { TRACE_FIELD } from '../../../contract/evidence/trace.ts'
import { HttpError } from '../../kit/http-error.ts'
import type { ModelHost } from '../models/model-host.ts'
import type { GraphQueries } from '../rag/graph/graph-queries.ts'
import type { SearchHit, VectorStore } from '../stores/vector-store/vector-store.ts'
import { recorded, step } from './trace.ts'

/** Vectors as a trace keeps them: enough to see that two are the same, without their numbers. */
const vectorsOf = (vectors: readonly Float32Array[]) =>
  vectors.map((vector) => ({
    dimensions: vector.length,
    sha256: hash('sha256', new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)),
  }))

/** A model host whose calls are steps of the trace of the request that makes them. */
export function tracedModels(host: ModelHost): ModelHost {
  return {
    ...host,
    embed(role, texts, side, signal, statistics, onTokens) {
      let tokensIn: number | undefined
      return step(
        { kind: 'embedding', name: `${role}: ${host.modelName(role)}`, request: () => ({ side, texts }) },
        () =>
          host.embed(role, texts, side, signal, statistics, (total, how) => {
            tokensIn = total
            onTokens?.(total, how)
          }),
        (vectors) => ({ response: vectorsOf(vectors), tokensIn }),
      )
    },
    chat: (role, request, signal, onText) =>
      step(
        { kind: 'model', name: `${role}: ${host.modelName(role)}`, request: () => request },
        () => host.chat(role, request, signal, onText),
        (completion) => ({
          response: completion,
          tokensIn: completion.usage?.prompt_tokens,
          tokensOut: completion.usage?.completion_tokens,
        }),
      ),
    rerank: (query, texts, signal, pool) =>
      step(
        { kind: 'reranker', name: `rerank: ${host.modelName('rerank')}`, request: () => ({ query, texts }) },
        () => host.rerank(query, texts, signal, pool),
        (scores) => ({ response: scores }),
      ),
  }
}

/** Hits as a trace keeps them. */
export const hitsOf = (hits: readonly Pick<SearchHit, 'chunk' | 'score'>[]) => ({
  response: hits.map(({ chunk: { document, chunkIndex }, score }) => ({ document, chunk: chunkIndex, score })),
})

/** A store whose searches are steps; their hits are kept by place and score, because their texts are in what is sent on. */
export function tracedStore(store: VectorStore): VectorStore {
  const searches: Pick<VectorStore, 'dense' | 'keyword' | 'hybrid'> = {
    dense: (name, vector, limit) =>
      step(
        { kind: 'search', name: `${name}: vectors`, request: () => ({ vector: vectorsOf([vector])[0], limit }) },
        () => store.dense(name, vector, limit),
        hitsOf,
      ),
    keyword: (name, text, limit) =>
      step(
        { kind: 'search', name: `${name}: keywords`, request: () => ({ text, limit }) },
        () => store.keyword(name, text, limit),
        hitsOf,
      ),
    hybrid: (name, query) =>
      step(
        {
          kind: 'search',
          name: `${name}: keywords and vectors`,
          request: () => ({ ...query, vector: vectorsOf([query.vector])[0] }),
        },
        () => store.hybrid(name, query),
        hitsOf,
      ),
  }
  return new Proxy(store, {
    get(target, key) {
      if (Object.hasOwn(searches, key)) return searches[key as keyof typeof searches]
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? (value as (...given: unknown[]) => unknown).bind(target) : value
    },
  })
}

/** A graph whose queries are steps; the calls of models that one makes in this process are steps below it. */
export function tracedGraph(graph: GraphQueries): GraphQueries {
  return {
    ...graph,
    answer: (question, account, signal, search) =>
      step(
        { kind: 'graph', name: 'graph: answer', request: () => question },
        () => graph.answer(question, account, signal, search),
        (response) => ({ response }),
      ),
    find: (question, account, signal) =>
      step(
        { kind: 'graph', name: 'graph: find', request: () => question },
        () => graph.find(question, account, signal),
        (response) => ({ response }),
      ),
  }
}

/** Adds the trace to the body of an error that a caller gets. */
export function attachToError(error: unknown, trace: SentTrace): void {
  if (error instanceof HttpError) error.more[TRACE_FIELD] = trace
}

/** An answer with the trace that its caller asked for. A plugin elsewhere has recorded its own already. */
export const recordedAnswer = <Completion extends { rag_extension?: object | undefined }>(
  header: string | string[] | undefined,
  run: () => Promise<Completion>,
): Promise<Completion> =>
  recorded(
    header,
    run,
    (completion, trace) => {
      const { rag_extension: extension } = completion
      if (extension === undefined || TRACE_FIELD in extension) return completion
      return { ...completion, rag_extension: { ...extension, [TRACE_FIELD]: trace } }
    },
    attachToError,
  )
