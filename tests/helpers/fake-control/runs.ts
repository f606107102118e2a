import type { RunJob } from '../../../contract/control/index.ts'
import type { StoredRunRequest } from '../../../contract/control/run-job.ts'
import { runSummary } from './index-answers.ts'
import { os, refuse } from './implementer.ts'
import { FakeRun } from './run.ts'
import type { FakeState } from './state.ts'
import { settled } from './world.ts'

/** Starts a run that ends in a moment. */
export function startRun(state: FakeState, input: StoredRunRequest, runId: string): { run_id: string } {
  const { world, options, feed, done, finishedRuns, started } = state
  const ended = (job: RunJob): void => {
    state.active = null
    done.splice(0, done.length, job, ...done.filter(({ run_id: id }) => id !== job.run_id))
    if ((job.cells?.done ?? 0) > 0) finishedRuns.set(runId, { datasets: input.dataset_ids, aliases: input.models })
  }
  const run = new FakeRun(world, feed, input, runId, options.cellMs ?? 8, ended, options.failStep ?? null)
  started.set(runId, run)
  state.active = run
  void run.climb()
  return { run_id: runId }
}

/** Runs that end in a moment: started, paused, resumed, cancelled, listed. */
export function runProcedures(state: FakeState) {
  const { world, feed, done, finishedRuns, started, runOf, datasetOf, running } = state
  return {
    runs: {
      start: os.runs.start.handler(({ input: request }) => {
        const input = settled(request, world)
        return startRun(state, input, input.run_id ?? `live-${feed.seq}`)
      }),
      pause: os.runs.pause.handler(() => running().pause()),
      resume: os.runs.resume.handler(({ input }) => {
        const run = started.get(input.run_id)
        if (state.active !== null || run === undefined) return running().resume()
        state.active = run
        return run.again()
      }),
      cancel: os.runs.cancel.handler(() => running().cancel()),
      failures: os.runs.failures.handler(({ input }) => ({
        run_id: input.run_id,
        classes: [{ class: 'http_error' as const, cells: 3 }],
      })),
      retryFailures: os.runs.retryFailures.handler(() => refuse('not_supported', 'the fake server cannot retry')),
      list: os.runs.list.handler(() => ({
        runs: [...finishedRuns].reverse().map(([run, { datasets, aliases }]) => ({
          ...{ run_id: run, kind: 'canonical' as const, aliases: aliases.length },
          ...{ first_finished_at: '2026-11-20T09:12:00.000Z', last_finished_at: '2026-11-20T09:14:02.000Z' },
          datasets: datasets.map((id) => {
            const { view } = datasetOf(id)
            const cells = view.questions * aliases.length
            return {
              ...{
                dataset_id: id,
                label: view.label,
                complexity_level: view.complexity_level,
                questions: view.questions,
              },
              ...{ cells: { ok: cells - 3, error: 2, timeout: 1 }, expected_cells: cells, damaged: false },
            }
          }),
          state: done.find((job) => job.run_id === run)?.state ?? null,
        })),
        total: finishedRuns.size,
        next_cursor: null,
      })),
      summary: os.runs.summary.handler(({ input }) => {
        const { datasets, aliases } = runOf(input.run_id)
        return runSummary(world, input.run_id, datasets.map(datasetOf), aliases)
      }),
      recover: os.runs.recover.handler(({ input }) => ({
        run_id: input.run_id,
        files: [
          { file: 'results/x-evidence.jsonl', rows: 7, moved_bytes: 120, moved_to: 'results/x-evidence.jsonl.torn-1' },
        ],
      })),
      steps: os.runs.steps.handler(({ input }) => ({
        run_id: input.run_id,
        datasets: started.get(input.run_id)?.steps ?? [],
      })),
      jobs: os.runs.jobs.handler(() => (state.active === null ? done : [state.active.job, ...done])),
      interrupted: os.runs.interrupted.handler(() => []),
      dismiss: os.runs.dismiss.handler(() => refuse('not_found', 'no such run')),
    },
  }
}
