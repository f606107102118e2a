import { api } from '../../data/client.ts'

/** After a change of connections or sets, the list that comes back is shown, and what names sets is read again. */
export const MODELS_CHANGE = {
  returns: api.models.list.queryKey(),
  refreshes: [api.models.prices.key(), api.models.catalogue.key(), api.experiment.key()],
}
