import { useMutation } from '@tanstack/react-query'
import type { OwnFlavor } from '../../../contract/manifests/flavors.ts'
import { notifyUndo } from '../../components/notify-undo.tsx'
import { api } from '../../data/client.ts'
import { NEW_RUN_WORDS } from './new-run-words.ts'

const WORDS = NEW_RUN_WORDS.flavors

/** Saves and removes a person's own flavors; New run reads its aliases again. A removal can be undone. */
export function useFlavors() {
  const refreshes = [api.experiment.key()]
  const save = useMutation(api.flavors.save.mutationOptions({ meta: { refreshes } }))
  const removal = useMutation(api.flavors.remove.mutationOptions({ meta: { refreshes, failed: WORDS.removing } }))
  const again = useMutation(api.flavors.save.mutationOptions({ meta: { refreshes, failed: WORDS.restoring } }))
  return {
    save,
    remove: (name: string, flavor: OwnFlavor): void =>
      removal.mutate(
        { name },
        { onSuccess: () => notifyUndo(WORDS.removed(name), WORDS.restore, () => again.mutate({ name, flavor })) },
      ),
  }
}
