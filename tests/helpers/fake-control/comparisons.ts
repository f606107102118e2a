import type { FrontierPoint } from '../../../contract/control/index.ts'
import { os } from './implementer.ts'
import { columnHeads, pairs, runPairs } from './index-answers.ts'
import type { FakeState } from './state.ts'
import { draw, sha } from './world.ts'

/** Runs side by side, the frontier, and pairs of approaches. */
export function comparisonProcedures(state: FakeState) {
  const { world, finishedRuns, judging, runOf, datasetOf, aliasesOf } = state
  return {
    compare: {
      runs: os.compare.runs.handler(({ input }) => {
        const known = input.run_ids.filter((run) => finishedRuns.has(run))
        const datasets =
          known.length === 0
            ? []
            : runOf(known[0]!).datasets.filter((id) => input.dataset_id === undefined || id === input.dataset_id)
        return {
          ...{ metric: input.metric, better: 'higher' as const, run_ids: known },
          unknown_run_ids: input.run_ids.filter((run) => !finishedRuns.has(run)),
          aliases: datasets.flatMap((id) =>
            aliasesOf(known[0]!, input.aliases).map((model) => ({
              ...{ dataset_id: id, model, common: datasetOf(id).questions.length },
              runs: known.map((run) => {
                const head = columnHeads(world, run, datasetOf(id), [model], input.metric).heads[0]!
                return {
                  run_id: run,
                  n: head.n,
                  mean: head.mean,
                  common_mean: head.mean,
                  changed: run === known[0] ? 0 : 7,
                }
              }),
            })),
          ),
          changed: { total: 0, cells: [] },
        }
      }),
      provenance: os.compare.provenance.handler(({ input }) => ({
        ...{ run_ids: input.run_ids, unknown_run_ids: [], same: 31 },
        differences: [
          { path: 'runtime.repository.revision', values: input.run_ids.map((run) => sha(run).slice(0, 12)) },
        ],
      })),
      result: os.compare.result.handler(() => ({ verdicts: [], pending: [], caution: null })),
      frontier: os.compare.frontier.handler(({ input }) => {
        const points: FrontierPoint[] = input.run_ids.flatMap((run) =>
          runOf(run)
            .datasets.filter((id) => input.dataset_id === undefined || id === input.dataset_id)
            .flatMap((id) =>
              runOf(run).aliases.map((model) => {
                const quality = columnHeads(world, run, datasetOf(id), [model], input.metric).heads[0]!
                const latency = columnHeads(world, run, datasetOf(id), [model], 'latency_ms').heads[0]!
                return {
                  ...{
                    run_id: run,
                    dataset_id: id,
                    model,
                    quality: quality.mean,
                    n: quality.n,
                    expected: quality.expected,
                  },
                  ...{
                    latency_ms: latency.mean,
                    total_tokens: 600 + 200 * draw(model),
                    llm_calls: 1,
                    cloud_calls: 0,
                    on_frontier: false,
                  },
                }
              }),
            ),
        )
        const beats = (a: FrontierPoint, b: FrontierPoint): boolean =>
          a.run_id === b.run_id &&
          a.dataset_id === b.dataset_id &&
          a.quality !== null &&
          b.quality !== null &&
          a.quality >= b.quality &&
          a.latency_ms! <= b.latency_ms! &&
          (a.quality > b.quality || a.latency_ms! < b.latency_ms!)
        return {
          ...{ metric: input.metric, better: 'higher' as const },
          points: points.map((point) => ({
            ...point,
            on_frontier: point.quality !== null && !points.some((other) => beats(other, point)),
          })),
        }
      }),
    },
    statistics: {
      pairs: os.statistics.pairs.handler(({ input }) => {
        const dataset = datasetOf(input.dataset_id)
        return {
          revision: 1,
          comparison:
            input.metric === 'judge_mean'
              ? judging.pairs(input.run_id, dataset, aliasesOf(input.run_id, input.aliases))
              : pairs(world, input.run_id, dataset, aliasesOf(input.run_id, input.aliases), input.metric),
          clusters: {
            ...{ basis: 'question' as const, questions: dataset.questions.length, clusters: dataset.questions.length },
            ...{ largest: 1, effective: dataset.questions.length, links_cut: 0 },
          },
        }
      }),
      runs: os.statistics.runs.handler(({ input }) => {
        const dataset = datasetOf(input.dataset_id)
        return {
          revision: 1,
          comparison: runPairs(world, input.run_ids, dataset, input.alias, input.metric),
          clusters: {
            ...{ basis: 'question' as const, questions: dataset.questions.length, clusters: dataset.questions.length },
            ...{ largest: 1, effective: dataset.questions.length, links_cut: 0 },
          },
        }
      }),
    },
  }
}
