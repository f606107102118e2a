import type { ModelRole } from '../../../contract/manifests/models.ts'
import { addressedName, readAddresses, rememberAddress } from '../../../core/model-records/model-addresses.ts'
import type { SelectedModels } from '../../../core/select-models.ts'
import type { ModelHost } from '../models/model-host.ts'

/** A model host whose names of embeddings and writers tell services at different addresses apart. */
export function withAddresses(models: ModelHost, { roles }: SelectedModels, stateDir: string): ModelHost {
  const known = readAddresses(stateDir)
  const named = (role: ModelRole, name: string): string => addressedName(known, role, name, roles[role])
  const remember = (role: ModelRole, name: string): void => rememberAddress(stateDir, known, role, name, roles[role])
  return {
    ...models,
    embeddingSpace: () => named('embed', models.embeddingSpace()),
    writer: (role) => named(role, models.writer(role)),
    async embed(role, ...rest) {
      const vectors = await models.embed(role, ...rest)
      if (role === 'embed') remember(role, models.embeddingSpace())
      return vectors
    },
    async chat(role, ...rest) {
      const completion = await models.chat(role, ...rest)
      remember(role, models.writer(role))
      return completion
    },
  }
}
