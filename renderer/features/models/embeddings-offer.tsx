import { useQuery } from '@tanstack/react-query'
import type { ModelSetView } from '../../../contract/control/experiment.ts'
import { isRuleBased } from '../../../contract/manifests/model-backends.ts'
import { LOCAL_EMBEDDINGS } from '../../../contract/manifests/model-catalogue.ts'
import { bytes } from '../../components/format.ts'
import { RowButton } from '../../components/row-button.tsx'
import { api } from '../../data/client.ts'
import { FetchButton } from './fetch-button.tsx'
import styles from './models.module.css'
import { MODELS_WORDS } from './models-words.ts'

const WORDS = MODELS_WORDS.embeddingsOffer

interface EmbeddingsOfferProps {
  sets: readonly ModelSetView[]
  /** The set that the next run uses. */
  current: ModelSetView | undefined
  /** Takes the set of this offer for the next run. */
  onUse: () => void
}

/** While runs search by hashed words: how to get vectors of a model, with its size. Nothing where the project has no such set. */
export function EmbeddingsOffer({ sets, current, onUse }: EmbeddingsOfferProps) {
  const isOffered =
    sets.some(({ name }) => name === LOCAL_EMBEDDINGS.set) && isRuleBased(current?.roles['embed']?.backend ?? '')
  const catalogue = useQuery({ ...api.models.catalogue.queryOptions(), enabled: isOffered }).data
  const entry = catalogue?.find(({ id }) => id === LOCAL_EMBEDDINGS.model)
  if (!isOffered || entry === undefined) return null
  const size = entry.files.reduce((sum, { size_bytes: each }) => sum + each, 0)
  return (
    <section className={`notice ${styles.offer}`} aria-label={WORDS.title}>
      <p>{WORDS.about(bytes(size))}</p>
      {entry.fetched ? <RowButton label={WORDS.use} onClick={onUse} /> : <FetchButton entry={entry} />}
    </section>
  )
}
