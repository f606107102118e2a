import { join } from 'node:path'
import { createGraphEngine } from './create-graph-engine.ts'
import type { GraphEngine, GraphEngineDeps } from './graph-engine.ts'

/** One engine per ingestion profile, each with its own file, so that switching the profile loses no graph and mixes none. */
export interface GraphWorkspaces {
  /** The engine of a profile, opened at its first use. Throws `GraphEngineError`, or `RangeError` for a name that is no file name. */
  open(profile: string): GraphEngine
  /** The engine of a profile if it is open. */
  opened(profile: string): GraphEngine | null
  close(): Promise<void>
}

/** Workspaces as files `<profile>.sqlite` of one folder, which must exist. */
export function createGraphWorkspaces(folder: string, deps: Omit<GraphEngineDeps, 'stateFile'>): GraphWorkspaces {
  const engines = new Map<string, GraphEngine>()
  return {
    open(profile) {
      if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(profile)) throw new RangeError(`'${profile}' is no workspace name`)
      const engine =
        engines.get(profile) ?? createGraphEngine({ ...deps, stateFile: join(folder, `${profile}.sqlite`) })
      engines.set(profile, engine)
      return engine
    },
    opened: (profile) => engines.get(profile) ?? null,
    async close() {
      await Promise.all([...engines.values()].map((engine) => engine.close()))
      engines.clear()
    },
  }
}
