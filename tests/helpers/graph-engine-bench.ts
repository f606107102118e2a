import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { GraphQueryRequest, type GraphQueryInput } from '../../contract/http/graph-engine.ts'
import { createGraphEngine } from '../../providers/platform/stores/graph-engine/create-graph-engine.ts'
import type { GraphEngine, GraphEngineDeps } from '../../providers/platform/stores/graph-engine/graph-engine.ts'
import { scriptedModels } from './scripted-models.ts'

/** Engines in a temporary folder; `cleanUp` closes them and removes it. */
export function engineBench() {
  const folder = mkdtempSync(join(tmpdir(), 'graph-engine-'))
  const engines: GraphEngine[] = []
  return {
    folder,
    file: (name = 'graph.sqlite') => join(folder, name),
    open(deps: Partial<GraphEngineDeps> = {}): GraphEngine {
      const engine = createGraphEngine({
        stateFile: join(folder, 'graph.sqlite'),
        models: scriptedModels(),
        rerank: null,
        apiKey: null,
        ...deps,
      })
      engines.push(engine)
      return engine
    },
    async cleanUp() {
      await Promise.all(engines.splice(0).map((engine) => engine.close()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A bench of its own for each test of a file. */
export function useEngineBench(): Omit<ReturnType<typeof engineBench>, 'cleanUp'> {
  let bench: ReturnType<typeof engineBench>
  beforeEach(() => {
    bench = engineBench()
  })
  afterEach(() => bench.cleanUp())
  return {
    get folder() {
      return bench.folder
    },
    file: (name) => bench.file(name),
    open: (deps) => bench.open(deps),
  }
}

/** Hands in texts by path and waits until the pipeline is idle. */
export async function feed(engine: GraphEngine, texts: Readonly<Record<string, string>>): Promise<string[]> {
  const trackIds = Object.entries(texts).map(
    ([filePath, text]) => engine.insert([{ filePath, text, replace: true }]).track_id,
  )
  await engine.idle()
  return trackIds
}

/** A query with the engine's defaults. */
export const ask = (query: string, more: Partial<GraphQueryInput> = {}): GraphQueryRequest =>
  GraphQueryRequest.parse({ query, ...more })
