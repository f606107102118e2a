import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { plural } from '../../components/format.ts'
import { notifyFailure } from '../../components/notify.ts'
import { desktop } from '../../data/desktop.ts'
import styles from './documents.module.css'
import { type Preview, previewOf } from './office-preview.ts'

interface OriginalTextProps {
  id: number
  file: File
  sourceFormat: string
}

/** An original without pages to draw: what the page itself can read of it, and the way to its own program. */
export function OriginalText({ id, file, sourceFormat }: OriginalTextProps) {
  const { data, isPending } = useQuery({
    queryKey: ['original', id],
    queryFn: () => previewOf(file, sourceFormat).catch((): Preview => ({ kind: 'none' })),
    staleTime: Infinity,
  })
  return (
    <div className={styles.original}>
      <div className={styles.pager}>
        <span className="dim">{noteOf(data, sourceFormat)}</span>
        {desktop !== null && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() =>
              void desktop!.openOriginal(file).catch((error: unknown) => notifyFailure(`Opening ${file.name}`, error))
            }
          >
            Open in its own program
          </Button>
        )}
      </div>
      {isPending && <p className="dim">Reading the file …</p>}
      {data?.kind === 'source' && <pre className={styles.source}>{data.text}</pre>}
      {data?.kind === 'parts' && (
        <ol className={styles.parts} aria-label={`Parts of ${file.name}`}>
          {data.parts.map(({ name, text }, index) => (
            <li key={index}>
              <strong>{data.noun === 'slide' ? `Slide ${name}` : name}</strong>
              <pre className={styles.source}>{text}</pre>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

function noteOf(preview: Preview | undefined, sourceFormat: string): string {
  if (preview === undefined) return ''
  const format = sourceFormat.toUpperCase()
  switch (preview.kind) {
    case 'source':
      return `${sourceFormat === 'html' ? 'Source of the page' : 'Text of the document, without its layout'}${preview.isCut ? ', its beginning' : ''}`
    case 'parts':
      return `${plural(preview.parts.length, preview.noun)}, text without layout`
    case 'none':
      return desktop === null
        ? `A ${format} file has no pages that can be drawn here; open it in its own program to compare.`
        : `A ${format} file has no pages that can be drawn here.`
  }
}
