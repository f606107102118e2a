import { Progress } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ServiceName } from '../../../contract/control/services.ts'
import type { ServiceModel } from '../../../contract/http/service-model.ts'
import { bytes } from '../../components/format.ts'
import { ProblemLine } from '../../components/dialog-form.tsx'
import { RowButton } from '../../components/row-button.tsx'
import { StateDot } from '../../components/state-dot.tsx'
import { ServiceCallError } from '../../data/service-call.ts'
import { canFetchModels, fetchModel, removeModel } from './models-of.ts'
import styles from './services.module.css'
import { SERVICES_WORDS } from './services-words.ts'

const WORDS = SERVICES_WORDS.modelRow

/** The service answers this to a fetch that was cancelled. */
const STOPPED = 409

/** Shows where a model is, or how far its download is. */
export function ModelState({ model }: { model: ServiceModel }) {
  const { id, installed, progress, pinned, download_bytes: size } = model
  if (progress !== null) {
    const { received_bytes: received, total_bytes: total } = progress
    // The sum so far is not the whole size where sizes are reported file by file.
    return (
      <div role="status" className={styles.fetching}>
        {size !== null && <Progress value={(received / Math.max(1, total)) * 100} aria-label={WORDS.fetching(id)} />}
        {size === null ? WORDS.soFar(bytes(received)) : WORDS.of(bytes(received), bytes(total))}
      </div>
    )
  }
  return (
    <>
      <StateDot tone={installed ? 'good' : 'idle'} />{' '}
      {pinned === null ? WORDS.bundled : installed ? WORDS.here : WORDS.notHere}
      {pinned === false && (
        <span className="badge" title={WORDS.replaceable}>
          {WORDS.unpinned}
        </span>
      )}
    </>
  )
}

/** Fetches a model or removes it, and says what failed. */
export function ModelActions({ service, model }: { service: ServiceName; model: ServiceModel }) {
  const { id, installed, progress, failure, source_page: source } = model
  const settled = { mutationKey: ['models', service], meta: { refreshes: [['models', service], ['speech']] } }
  const fetching = useMutation({ ...settled, mutationFn: () => fetchModel(service, id) })
  const removing = useMutation({ ...settled, mutationFn: () => removeModel(service, id) })
  const isUnderWay = fetching.isPending || progress !== null
  const wasStopped = fetching.error instanceof ServiceCallError && fetching.error.status === STOPPED
  const fault = isUnderWay
    ? undefined
    : (failure ?? (wasStopped ? undefined : fetching.error?.message) ?? removing.error?.message)
  return (
    <>
      {source === null || !canFetchModels(service) ? null : installed || isUnderWay ? (
        <RowButton
          label={isUnderWay ? WORDS.cancel : WORDS.remove}
          of={id}
          loading={removing.isPending}
          onClick={() => removing.mutate()}
        />
      ) : (
        <RowButton label={WORDS.fetch} of={id} onClick={() => fetching.mutate()} />
      )}
      <ProblemLine problem={fault} />
    </>
  )
}
