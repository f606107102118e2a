import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { InputProblem } from '../../../contract/control/control-error.ts'
import type { RunRequestInput } from '../../../contract/control/run-job.ts'
import { api } from '../../data/client.ts'
import type { Plan } from './effects.ts'
import { refusedFields } from './refused-fields.ts'

const SETTLE_MS = 200

/** The newest plan of a request, and what is wrong with the request. */
export interface PlanState {
  plan: Plan | null
  problems: InputProblem[]
  /** True when what is shown is of an earlier request. */
  isStale: boolean
  isPending: boolean
  error: Error | null
  refetch: () => void
}

function missingChoice({ dataset_ids: datasets = [], models = [] }: RunRequestInput): InputProblem[] {
  return [
    ...(datasets.length === 0 ? [{ path: 'dataset_ids', message: 'choose at least one dataset' }] : []),
    ...(models.length === 0 ? [{ path: 'models', message: 'choose at least one approach' }] : []),
  ]
}

/** Asks for a plan again with each change that lasts a moment. Nothing is called or written by it. */
export function usePlan(request: RunRequestInput): PlanState {
  const [settled] = useDebouncedValue(request, SETTLE_MS)
  const missing = missingChoice(request)
  const query = useQuery({
    ...api.experiment.plan.queryOptions({ input: settled }),
    enabled: missingChoice(settled).length === 0,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  const outcome = missing.length > 0 ? undefined : query.data
  const error = missing.length === 0 ? query.error : null
  const refused = error === null ? [] : refusedFields(error)
  return {
    plan: outcome?.ok === true ? outcome : null,
    problems: outcome?.ok === false ? outcome.problems : [...missing, ...refused],
    isStale: query.isPlaceholderData || JSON.stringify(settled) !== JSON.stringify(request),
    isPending: missing.length === 0 && query.isPending,
    error: refused.length === 0 ? error : null,
    refetch: () => void query.refetch(),
  }
}

/** Returns what is wrong with a field of the request or with something inside it; undefined when nothing is. */
export const problemOf = (problems: readonly InputProblem[], field: string): string | undefined =>
  problems
    .filter(({ path }) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`))
    .map(({ path, message }) => (path === field ? message : `${path}: ${message}`))
    .join('; ') || undefined
