import { useQueryClient } from '@tanstack/react-query'
import type { ModelsView } from '../../../contract/control/models.ts'
import { api } from '../../data/client.ts'

/** Follows a change of connections or sets: the list that came back is shown, and New run reads the sets again. */
export function useModelsChange(): { onSettled: (view: ModelsView | undefined) => Promise<void> } {
  const client = useQueryClient()
  return {
    onSettled: async (view) => {
      if (view !== undefined) client.setQueryData(api.models.list.queryKey(), view)
      await client.invalidateQueries({ queryKey: api.models.prices.key() })
      // It lists which sets name a file.
      await client.invalidateQueries({ queryKey: api.models.catalogue.key() })
      await client.invalidateQueries({ queryKey: api.experiment.key() })
    },
  }
}
