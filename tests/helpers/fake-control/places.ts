import { os } from './implementer.ts'
import { startRun } from './runs.ts'
import type { FakeState } from './state.ts'
import { RUN_METRICS, sha } from './world.ts'

async function* exported(file: string, text: string) {
  yield { type: 'begin' as const, file_name: file, media_type: 'text/plain' }
  yield { type: 'text' as const, text }
  yield { type: 'end' as const, size_bytes: text.length, sha256: sha(text) }
}

/** Services, index, exports, settings and the blinded vote. */
export function placeProcedures(state: FakeState) {
  const { judged, services, judging, indexStatus, serviceOf, setService } = state
  return {
    judges: {
      blindSets: os.judges.blindSets.handler(({ input }) => judging.sets(...judged(input), input.offset, input.limit)),
      vote: os.judges.vote.handler(({ input }) => judging.vote(...judged(input), input.vote)),
      reveal: os.judges.reveal.handler(({ input }) => judging.reveal(...judged(input), input.rater)),
      judgeRun: os.judges.judgeRun.handler(({ input }) => {
        const { datasets, aliases } = state.runOf(input.run_id)
        const request = { dataset_ids: input.dataset_ids ?? datasets, models: aliases, repeats: 1 }
        return startRun(state, { ...request, cold_reset: false, publish: false, judge: input.judge }, input.run_id)
      }),
      results: os.judges.results.handler(({ input }) => judging.results(...judged(input), input.offset, input.limit)),
    },
    services: {
      list: os.services.list.handler(() => services),
      logs: os.services.logs.handler(async function* ({ input }) {
        for (let number = input.after + 1; number <= 12; number += 1)
          yield {
            number,
            at: '2026-11-20T09:00:00.000Z',
            text: `${input.name}: line ${number} <b>not markup</b>`,
            missed: 0,
          }
      }),
      start: os.services.start.handler(({ input }) =>
        setService(input.name, {
          state: 'ready',
          detail: null,
          pid: 4200,
          since: new Date().toISOString(),
          can: { start: false, stop: true, restart: true },
        }),
      ),
      stop: os.services.stop.handler(({ input }) =>
        setService(input.name, { state: 'stopped', pid: null, can: { start: true, stop: false, restart: false } }),
      ),
      restart: os.services.restart.handler(({ input }) =>
        setService(input.name, { state: 'ready', restarts: serviceOf(input.name).restarts + 1 }),
      ),
    },
    index: {
      status: os.index.status.handler(indexStatus),
      verify: os.index.verify.handler(() => ({
        ok: true,
        files: 12,
        rows: 1_728,
        bytes: 4_621_172,
        problems: [],
        problem_count: 0,
      })),
      rebuild: os.index.rebuild.handler(indexStatus),
    },
    exports: {
      csv: os.exports.csv.handler(({ input }) =>
        exported(`${input.run_id}.csv`, `run,metric,value\n${input.run_id},faithfulness,0.8\n`),
      ),
      json: os.exports.json.handler(({ input }) =>
        exported(`${input.run_id}.json`, JSON.stringify({ run: input.run_id, metrics: RUN_METRICS })),
      ),
      report: os.exports.report.handler(({ input }) =>
        exported(`${input.run_id}.html`, `<!doctype html><title>${input.run_id}</title>`),
      ),
    },
    settings: {
      get: os.settings.get.handler(() => state.settings),
      update: os.settings.update.handler(({ input }) => {
        const secrets = Object.entries(input.secrets ?? {}).map(([name, value]) => [
          name,
          value === null ? 'unset' : 'session',
        ])
        state.settings = {
          ...state.settings,
          settings: { ...state.settings.settings, ...input.settings },
          secrets: { ...state.settings.secrets, ...(Object.fromEntries(secrets) as object) },
        }
        return state.settings
      }),
    },
  }
}
