import type { KnowledgeGraph } from './knowledge-graph.ts'

/** The graph that queries see. */
export interface GraphHolder {
  /** The finished graph; waits while there is none. Throws what made the last attempt fail. */
  get(signal?: AbortSignal): Promise<KnowledgeGraph>
  /** True when the graph has to be made anew before anyone may see it. */
  readonly outdated: boolean
  /** Documents were taken away or renamed: nobody may see the present graph any more. */
  invalidate(): void
  /** A mark of what the graph is made from; it changes with `invalidate`. */
  readonly revision: number
  /** Shows a graph made at `revision`; false, and nothing shown, when that is outdated meanwhile. */
  publish(graph: KnowledgeGraph, revision: number): boolean
  fail(error: unknown): void
}

type State = { kind: 'outdated' } | { kind: 'ready'; graph: KnowledgeGraph } | { kind: 'failed'; error: unknown }

/** A holder without a graph. `onNeeded` is called when somebody asks after a failure. */
export function createGraphHolder(onNeeded: () => void): GraphHolder {
  let state: State = { kind: 'outdated' }
  let revision = 0
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
    get revision() {
      return revision
    },
    async get(signal) {
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
    publish(graph, madeAt) {
      if (madeAt !== revision) return false
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
