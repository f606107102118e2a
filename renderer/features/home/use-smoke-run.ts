import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { DECLARABLE_APPROACHES } from '../../../contract/approaches.ts'
import type { DatasetView } from '../../../contract/control/experiment.ts'
import { api } from '../../data/client.ts'
import { useBlind } from '../../stores/sight.ts'
import { smallestDataset } from './smallest-dataset.ts'

/** Baselines are no part of a first look. */
const DECLARABLE: ReadonlySet<string> = new Set(DECLARABLE_APPROACHES)

/**
 * The smallest run: the fewest questions of the lowest rung, all base approaches. Starting it opens its progress, which ends in the verdict, unless
 * `onStarted` does something else with its name.
 */
export function useSmokeRun({ onStarted }: { onStarted?: (run: string) => void } = {}): {
  smoke: DatasetView | undefined
  approaches: string[]
  start: () => void
  isStarting: boolean
} {
  const navigate = useNavigate()
  const client = useQueryClient()
  // The palette is on every page, also where a person votes blindly: the experiment names all approaches.
  const blind = useBlind()
  const experiment = useQuery({ ...api.experiment.get.queryOptions(), enabled: !blind }).data
  const smoke = smallestDataset(experiment?.datasets ?? [])
  const approaches = experiment?.aliases.filter(({ alias }) => DECLARABLE.has(alias)).map(({ alias }) => alias) ?? []
  const { mutate, isPending } = useMutation(
    api.runs.start.mutationOptions({
      onSuccess: async ({ run_id: run }) => {
        await client.invalidateQueries({ queryKey: api.runs.jobs.key() })
        if (onStarted === undefined)
          void navigate({ to: '/runs/$run/progress', params: { run }, search: { land: true } })
        else onStarted(run)
      },
      meta: { failed: 'Starting the example' },
    }),
  )
  return {
    smoke,
    approaches,
    isStarting: isPending,
    start: () => {
      if (smoke !== undefined)
        mutate({
          dataset_ids: [smoke.id],
          models: approaches,
        })
    },
  }
}
