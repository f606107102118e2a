import { Progress } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { CatalogueEntry } from '../../../contract/control/models.ts'
import { bytes } from '../../components/format.ts'
import { notifyDone } from '../../components/notify.ts'
import { RowButton } from '../../components/row-button.tsx'
import { api, control } from '../../data/client.ts'
import styles from './models.module.css'
import { MODELS_WORDS } from './models-words.ts'

const WORDS = MODELS_WORDS.catalogue

/** Downloads the files with progress. Leaving the page pauses it, and the next try continues. */
export function FetchButton({ entry: { id, files, received_bytes: before } }: { entry: CatalogueEntry }) {
  const total = files.reduce((sum, { size_bytes: size }) => sum + size, 0)
  const [received, setReceived] = useState(0)
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])
  const fetch = useMutation({
    mutationFn: async () => {
      stop.current = new AbortController()
      const { signal } = stop.current
      setReceived(before)
      try {
        for await (const step of await control.models.fetch({ id }, { signal })) setReceived(step.received_bytes)
      } catch (error) {
        // A download that the person has ended has not failed.
        if (!signal.aborted) throw error
      }
      return !signal.aborted
    },
    onSuccess: (isDone) => isDone && notifyDone(WORDS.isFetched(id)),
    meta: { refreshes: [api.models.catalogue.key(), api.models.found.key()] },
  })
  if (fetch.isPending)
    return (
      <div className={styles.fetching}>
        <Progress value={(100 * received) / total} aria-label={WORDS.progressOf(id)} transitionDuration={0} />
        <span className="dim">{WORDS.progress(bytes(received), bytes(total))}</span>
        <RowButton label={WORDS.cancel} name={WORDS.cancelOf(id)} onClick={() => stop.current?.abort()} />
      </div>
    )
  return (
    <>
      <RowButton
        label={before > 0 ? WORDS.goOn(Math.floor((100 * before) / total)) : WORDS.fetch}
        name={`${WORDS.fetch} ${id}`}
        onClick={() => fetch.mutate()}
      />
      {fetch.isError && (
        <span role="alert" className={styles.fetchError}>
          ▲ {fetch.error.message}
        </span>
      )}
    </>
  )
}
