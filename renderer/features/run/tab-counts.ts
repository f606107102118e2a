import { useQuery } from '@tanstack/react-query'
import type { RunHead } from '../../../contract/control/run-index/runs.ts'
import type { RunTab } from '../../../core/pages.ts'
import { count } from '../../components/format.ts'
import { api } from '../../data/client.ts'
import { coveredPercent } from './covered-percent.ts'
import { RUN_WORDS } from './run-words.ts'

const WORDS = RUN_WORDS.counts

/** A figure beside the name of a tab, and what it counts. */
export interface TabCount {
  text: string
  about: string
}

/**
 * The figures of a dataset run beside the names of its tabs. `isComplete` is false while answers are made, and while a person votes blindly: then only
 * the answers are counted, because the other figures change with every answer or name approaches.
 */
export function useTabCounts(
  run: string,
  dataset: RunHead['datasets'][number] | undefined,
  isComplete: boolean,
): Partial<Record<RunTab, TabCount>> {
  const input = { run_id: run, dataset_id: dataset?.dataset_id ?? '' }
  const isAsked = isComplete && dataset !== undefined
  const round = useQuery({ ...api.judges.state.queryOptions({ input }), enabled: isAsked }).data
  const coverage = useQuery({ ...api.coverage.get.queryOptions({ input }), enabled: isAsked }).data
  const judged = useQuery({
    ...api.judges.results.queryOptions({ input: { ...input, limit: 1 } }),
    enabled: isAsked && round !== undefined && round.round !== 'open',
  }).data
  if (dataset === undefined) return {}
  const { ok, error, timeout } = dataset.cells
  const judges = judged?.judges.length ?? 0
  const persons = (judged?.human ?? null) === null ? 0 : 1
  const percent = coverage === undefined ? null : coveredPercent(coverage)
  return {
    matrix: { text: count(ok + error + timeout), about: WORDS.answers },
    ...(judges + persons > 0 && {
      judges: { text: persons === 0 ? `${judges}` : `${judges}+${persons}`, about: WORDS.judges(judges, persons) },
    }),
    ...(percent !== null && { coverage: { text: `${percent} %`, about: WORDS.coverage } }),
  }
}
