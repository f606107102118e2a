import { afterAll, describe, expect, it, vi } from 'vitest'
import type { ControlEvent } from '../../contract/control/events.ts'
import type { RunJob, RunState } from '../../contract/control/run-job.ts'

vi.stubGlobal('location', { origin: 'http://127.0.0.1' })
vi.mock('./page-key.ts', () => ({ pageKeyHeader: () => ({}) }))
const { staleKeys } = await import('./events.ts')
const { api } = await import('./client.ts')

// Other files of this worker read the address, too.
afterAll(() => void vi.unstubAllGlobals())

const changed = (state: RunState): ControlEvent => ({ type: 'run.changed', job: { state } as RunJob })

describe('staleKeys', () => {
  it('reads the list of jobs again when a run was removed, in every window', () => {
    const change = { revision: 2, runs: [], damaged: [], truncated: false }
    const keysOf = (removed: { run_id: string; dataset_id: string }[]) =>
      staleKeys({ event: { type: 'index.changed', change: { ...change, removed } } })
    expect(keysOf([{ run_id: 'gone', dataset_id: 'smoke' }])).toContainEqual(api.runs.jobs.key())
    expect(keysOf([])).not.toContainEqual(api.runs.jobs.key())
  })
  it('reads again whether a run still makes its answers, when it starts and when it ends', () => {
    for (const state of ['running', 'failed', 'completed'] as const)
      expect(staleKeys({ event: changed(state) })).toContainEqual(api.judges.state.key())
  })
})
