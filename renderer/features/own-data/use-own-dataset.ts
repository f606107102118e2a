import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { OwnDataset } from '../../../contract/control/own-datasets.ts'
import { api } from '../../data/client.ts'

/** A dataset that can be edited, with the revision that a write names. */
export const useOwnDataset = (dataset: string) =>
  useQuery(api.datasets.own.queryOptions({ input: { dataset_id: dataset } }))

/** Brings what pages know of datasets up to date after a write; with the write's answer, that dataset at once. */
export function useDatasetRefresh(): (written?: OwnDataset) => Promise<void> {
  const client = useQueryClient()
  return useCallback(
    async (written) => {
      if (written !== undefined)
        client.setQueryData(api.datasets.own.queryKey({ input: { dataset_id: written.dataset_id } }), written)
      await Promise.all([
        client.invalidateQueries({ queryKey: api.datasets.key() }),
        client.invalidateQueries({ queryKey: api.experiment.key() }),
      ])
    },
    [client],
  )
}

/** A change of a dataset reads these again. */
export const DATASET_QUERIES = [api.datasets.key(), api.experiment.key()]
