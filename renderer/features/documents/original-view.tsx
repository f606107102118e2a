import { useEffect, useState } from 'react'
import { CONTROL_REFUSAL_HEADER } from '../../../contract/control/service-routes.ts'
import { messageOf } from '../../../core/json.ts'
import { Button } from '@mantine/core'
import { fetchService } from '../../data/service-call.ts'
import styles from './documents.module.css'
import { DOCUMENTS_WORDS } from './documents-words.ts'

const WORDS = DOCUMENTS_WORDS.originalView

/** The original's page as a picture, drawn by the converter. */
export function OriginalView({ file, pages }: { file: File; pages: number }) {
  const [page, setPage] = useState(1)
  const [shown, setShown] = useState<{ address: string } | { reason: string } | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    let address: string | null = null
    setShown(null)
    drawPage(file, page, stop.signal).then(
      (picture) => {
        address = URL.createObjectURL(picture)
        setShown({ address })
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setShown({ reason: messageOf(error) })
      },
    )
    return () => {
      stop.abort()
      if (address !== null) URL.revokeObjectURL(address)
    }
  }, [file, page])
  return (
    <div className={styles.original}>
      {pages > 1 && (
        <div className="row apart">
          <Button
            size="compact-sm"
            variant="default"
            disabled={page === 1}
            onClick={() => setPage(page - 1)}
            aria-label={WORDS.previousPage}
          >
            ←
          </Button>
          <span>{WORDS.pageOf(page, pages)}</span>
          <Button
            size="compact-sm"
            variant="default"
            disabled={page === pages}
            onClick={() => setPage(page + 1)}
            aria-label={WORDS.nextPage}
          >
            →
          </Button>
        </div>
      )}
      {shown === null && <p className="dim">{WORDS.drawingThePage}</p>}
      {shown !== null && 'reason' in shown && <p className="dim">{shown.reason}</p>}
      {shown !== null && 'address' in shown && <img src={shown.address} alt={WORDS.pageImage(page, file.name)} />}
    </div>
  )
}

const BUSY_PAUSE_MS = 1000

async function drawPage(file: File, page: number, signal: AbortSignal): Promise<Blob> {
  for (;;) {
    const form = new FormData()
    form.append('page', String(page))
    form.append('file', file)
    const response = await fetchService('converter', '/v1/document/page', { method: 'POST', body: form, signal })
    if (response.ok) return response.blob()
    if (response.status !== 429) {
      const body = (await response.json().catch(() => null)) as { detail?: unknown; message?: unknown } | null
      const message = response.headers.has(CONTROL_REFUSAL_HEADER) ? body?.message : body?.detail
      throw new Error(typeof message === 'string' ? message : WORDS.converterFailed(response.status))
    }
    await response.body?.cancel()
    await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS))
    signal.throwIfAborted()
  }
}
