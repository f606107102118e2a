import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { DatasetView } from '../../../contract/control/experiment.ts'
import { notifyFailure } from '../../components/notify.ts'
import { api } from '../../data/client.ts'
import { useBlind } from '../../stores/sight.ts'
import { smallestDataset } from './smallest-dataset.ts'

/** The smallest run: the fewest questions of the lowest rung, all base approaches. Starting it opens the ladder, which ends in the matrix. */
export function useSmokeRun(): {
  smoke: DatasetView | undefined
  approaches: string[]
  start: () => void
  isStarting: boolean
} {
  const navigate = useNavigate()
  // The palette is on every page, also where a person votes blindly: the experiment names all approaches.
  const blind = useBlind()
  const experiment = useQuery({ ...api.experiment.get.queryOptions(), enabled: !blind }).data
  const smoke = smallestDataset(experiment?.datasets ?? [])
  const approaches = experiment?.aliases.filter(({ alias, base }) => alias === base).map(({ alias }) => alias) ?? []
  const { mutate, isPending } = useMutation(
    api.runs.start.mutationOptions({
      onSuccess: ({ run_id: land }) => void navigate({ to: '/ladder', search: { land } }),
      onError: (error) => notifyFailure('Starting the smoke ladder', error),
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
