import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { messageOf } from '../../../core/json.ts'
import { notifyFailure } from '../../components/notify.ts'
import { RowButton } from '../../components/row-button.tsx'
import { desktop } from '../../data/desktop.ts'
import { callConverter } from './convert.ts'
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
          <RowButton
            size="compact-sm"
            label="←"
            name={WORDS.previousPage}
            disabled={page === 1}
            onClick={() => setPage(page - 1)}
          />
          <span>{WORDS.pageOf(page, pages)}</span>
          <RowButton
            size="compact-sm"
            label="→"
            name={WORDS.nextPage}
            disabled={page === pages}
            onClick={() => setPage(page + 1)}
          />
        </div>
      )}
      {shown === null && <p className="dim">{WORDS.drawingThePage}</p>}
      {shown !== null && 'reason' in shown && <p className="dim">{shown.reason}</p>}
      {shown !== null && 'address' in shown && <img src={shown.address} alt={WORDS.pageImage(page, file.name)} />}
    </div>
  )
}

/** An original whose pages cannot be drawn: the desktop app opens it in its own program. */
export function UndrawnOriginal({ file, sourceFormat }: { file: File; sourceFormat: string }) {
  return (
    <div className={`${styles.original} stack`}>
      <p className="dim">{WORDS.noPages(sourceFormat.toUpperCase())}</p>
      {desktop !== null && (
        <div>
          <Button
            onClick={() =>
              void desktop!.openOriginal(file).catch((error: unknown) => notifyFailure(WORDS.opening(file.name), error))
            }
          >
            {WORDS.openOutside}
          </Button>
        </div>
      )}
    </div>
  )
}

async function drawPage(file: File, page: number, signal: AbortSignal): Promise<Blob> {
  return (await callConverter('/v1/document/page', file, { page: String(page) }, signal)).blob()
}
