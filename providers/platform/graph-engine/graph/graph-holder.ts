import type { KnowledgeGraph } from './knowledge-graph.ts'

/** The graph that queries see. */
export interface GraphHolder {
  /** The finished graph; waits while there is none. Throws the error of the last attempt when that failed. */
  get(signal?: AbortSignal): Promise<KnowledgeGraph>
  /** True when the graph must be built again before queries may use it. */
  readonly outdated: boolean
  /** True when a query has asked for the graph since the last one was published. */
  readonly wanted: boolean
  /** Documents were removed or renamed: queries must not use the current graph any more. */
  invalidate(): void
  /** Number of the state that the graph is built from; `invalidate` raises it. */
  readonly revision: number
  /** Publishes a graph built at `revision`; returns false and does nothing when that revision is outdated. */
  publish(graph: KnowledgeGraph, revision: number): boolean
  fail(error: unknown): void
}

type State = { kind: 'outdated' } | { kind: 'ready'; graph: KnowledgeGraph } | { kind: 'failed'; error: unknown }

/** A holder without a graph. `onNeeded` is called when a query needs the graph after a failure. */
export function createGraphHolder(onNeeded: () => void): GraphHolder {
  let state: State = { kind: 'outdated' }
  let revision = 0
  let wanted = false
  let settled = Promise.withResolvers<undefined>()
  const settle = (next: State) => {
    state = next
    settled.resolve(undefined)
    settled = Promise.withResolvers()
  }
  return {
    get outdated() {
      return state.kind === 'outdated'
    },
    get wanted() {
      return wanted
    },
    get revision() {
      return revision
    },
    async get(signal) {
      wanted = true
      if (state.kind === 'failed') {
        state = { kind: 'outdated' }
        onNeeded()
      }
      for (;;) {
        signal?.throwIfAborted()
        // Control flow cannot see that an await lets others change the state.
        const now = state as State
        if (now.kind === 'ready') return now.graph
        if (now.kind === 'failed') throw now.error
        await (signal === undefined ? settled.promise : Promise.race([settled.promise, aborted(signal)]))
      }
    },
    invalidate() {
      revision += 1
      state = { kind: 'outdated' }
    },
    publish(graph, builtAt) {
      if (builtAt !== revision) return false
      wanted = false
      settle({ kind: 'ready', graph })
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
