import type { KnowledgeGraph } from './knowledge-graph.ts'

/** The graph that queries see. */
export interface GraphHolder {
  /** The last graph that was published; waits while there is none. Throws the error of the last attempt when that failed. */
  get(signal?: AbortSignal): Promise<KnowledgeGraph>
  /** True when a graph must be built: documents have changed since the last one, or there is none. */
  readonly outdated: boolean
  /** True when queries have a graph to answer from, be it outdated. */
  readonly answers: boolean
  /** True when a query has asked for the graph since the last one was published, or failed. */
  readonly wanted: boolean
  /** Documents were replaced: the current graph answers until the next one is published. */
  outdate(): void
  /** Documents were deleted by request, or damaged: queries must not use the current graph any more. */
  invalidate(): void
  /** Number of the state that the graph is built from; `outdate` and `invalidate` raise it. */
  readonly revision: number
  /** Publishes a graph built at `revision`; returns false and does nothing when that revision is outdated. */
  publish(graph: KnowledgeGraph, revision: number): boolean
  fail(error: unknown): void
}

type State =
  | { kind: 'missing' }
  | { kind: 'ready'; graph: KnowledgeGraph; outdated: boolean }
  | { kind: 'failed'; error: unknown }

/** A holder without a graph. `onNeeded` is called when a query needs one that is not there. */
export function createGraphHolder(onNeeded: () => void): GraphHolder {
  let state: State = { kind: 'missing' }
  let revision = 0
  let wanted = false
  let settled = Promise.withResolvers<undefined>()
  const settle = (next: State) => {
    state = next
    wanted = false
    settled.resolve(undefined)
    settled = Promise.withResolvers()
  }
  return {
    get outdated() {
      return state.kind === 'missing' || (state.kind === 'ready' && state.outdated)
    },
    get answers() {
      return state.kind === 'ready'
    },
    get wanted() {
      return wanted
    },
    get revision() {
      return revision
    },
    async get(signal) {
      wanted = true
      if (state.kind === 'failed') state = { kind: 'missing' }
      if (state.kind === 'missing') onNeeded()
      for (;;) {
        signal?.throwIfAborted()
        // Control flow cannot see that an await lets others change the state.
        const now = state as State
        if (now.kind === 'ready') return now.graph
        if (now.kind === 'failed') throw now.error
        await (signal === undefined ? settled.promise : Promise.race([settled.promise, aborted(signal)]))
      }
    },
    outdate() {
      revision += 1
      state = state.kind === 'ready' ? { ...state, outdated: true } : { kind: 'missing' }
    },
    invalidate() {
      revision += 1
      state = { kind: 'missing' }
    },
    publish(graph, builtAt) {
      if (builtAt !== revision) return false
      settle({ kind: 'ready', graph, outdated: false })
      return true
    },
    fail(error) {
      settle({ kind: 'failed', error })
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
