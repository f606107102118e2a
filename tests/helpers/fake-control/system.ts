import { isBlindEvent } from '../../../contract/control/index.ts'
import type { DeletionList, PublicationChange, StoredRunRequest } from '../../../contract/control/run-job.ts'
import { RUNS } from './state.ts'
import { os, refuse } from './implementer.ts'
import type { FakeState } from './state.ts'
import { settled } from './world.ts'

const SCOPE = { models: ['vanilla-rag', 'hybrid-rag'], questions: 4, repeats: 1, cells: 8, judged: true }

/** The first finished run is published and has files; every other name is new. */
function effectsOf(input: StoredRunRequest): { deletions: DeletionList[]; publications: PublicationChange[] } {
  const isKnown = input.run_id === RUNS[0]
  return {
    deletions: !input.cold_reset
      ? []
      : input.dataset_ids.map((dataset_id) => ({
          dataset_id,
          keeps_external_collections: false,
          items: !isKnown
            ? []
            : [
                {
                  what: 'evidence',
                  path: `/project/results/${RUNS[0]}-${dataset_id}-evidence.jsonl`,
                  size_bytes: 412_000,
                  rows: 28,
                },
                {
                  what: 'human_round',
                  path: `/project/results/${RUNS[0]}-${dataset_id}-human-round.json`,
                  size_bytes: 9_100,
                  rows: null,
                },
                {
                  what: 'collections',
                  path: `/project/.rag-ladder/platform/${dataset_id}`,
                  size_bytes: 2_400_000,
                  rows: null,
                },
              ],
        })),
    publications: !input.publish
      ? []
      : input.dataset_ids.map((dataset_id) => ({
          dataset_id,
          current: { ...SCOPE, run_id: RUNS[0]!, readable: true },
          next: { ...SCOPE, run_id: input.run_id ?? 'new', models: input.models, judged: false },
          lost: ['the judgments'],
          refusal: null,
        })),
  }
}

/** Status, events, the experiment and its plan. */
export function systemProcedures(state: FakeState) {
  const { world, options, feed, services, streams, datasetOf, indexStatus } = state
  return {
    system: {
      status: os.system.status.handler(() => ({
        ...{ engine_id: 'fake', version: '0.1.0', started_at: '2026-11-20T09:00:00.000Z', pid: 1, node: 'v24.21.0' },
        ...{ rss_bytes: 90_000_000, seq: feed.seq },
        project: { name: 'rag-ladder', root: options.root, results: 'results' },
        experiment: { file: null, problems: [] },
        active: state.active?.job ?? null,
        queued: [],
        services,
        index: { state: 'ready' as const, message: null, status: indexStatus() },
      })),
      events: os.system.events.handler(async function* ({ input, signal }) {
        const cut = new AbortController()
        streams.add(cut)
        signal?.addEventListener('abort', () => cut.abort(), { once: true })
        for await (const event of feed.follow(input.after ?? feed.seq, cut.signal))
          if (!input.blind || isBlindEvent(event.event)) yield event
        streams.delete(cut)
        if (signal?.aborted !== true) throw new Error('the stream was cut')
      }),
      browserLink: os.system.browserLink.handler(() => refuse('forbidden', 'only for holders of the launch token')),
      endSessions: os.system.endSessions.handler(() => undefined),
    },
    experiment: {
      get: os.experiment.get.handler(() => world.experiment),
      plan: os.experiment.plan.handler(({ input: request }) => {
        const input = settled(request, world)
        const problems = [
          ...input.dataset_ids.flatMap((id, index) =>
            world.datasets.has(id) ? [] : [{ path: `dataset_ids[${index}]`, message: `no dataset is called ${id}` }],
          ),
          ...input.models.flatMap((id, index) =>
            world.aliases.has(id) ? [] : [{ path: `models[${index}]`, message: `no alias is called ${id}` }],
          ),
          ...(input.run_id === 'taken'
            ? [{ path: 'run_id', message: 'another run of this name was made under other conditions' }]
            : []),
        ]
        if (problems.length > 0) return { ok: false as const, problems }
        const evaluated = input.metrics === undefined || input.metrics.length > 0
        const datasets = input.dataset_ids.map((id) => {
          const total = datasetOf(id).questions.length * input.models.length
          const reuse = input.run_id === 'ladder-2026-11-20' ? Math.floor(total / 3) : 0
          return {
            ...{
              dataset_id: id,
              total,
              reuse,
              run: total - reuse,
              resume_answered: 0,
              conflicts: [],
              conflict_count: 0,
            },
            ...{ unavailable: [], evaluations: evaluated ? total - reuse : 0, verdicts: 0 },
            ...{ estimated_ms: (total - reuse) * 160, unknown_latency: [] },
          }
        })
        const sum = (key: 'total' | 'reuse' | 'run' | 'evaluations'): number =>
          datasets.reduce((whole, dataset) => whole + dataset[key], 0)
        return {
          ok: true as const,
          run_id: input.run_id ?? 'live-2026-11-20-1204',
          datasets,
          totals: {
            ...{ total: sum('total'), reuse: sum('reuse'), run: sum('run'), evaluations: sum('evaluations') },
            ...{ answered: 0, conflicts: 0, unavailable: 0, verdicts: 0 },
          },
          estimated_minutes: (sum('run') * 160) / 60_000,
          notices: input.models.includes('graph-rag') ? world.experiment.notices : [],
          ...effectsOf(input),
          blockers: [],
        }
      }),
    },
  }
}
