import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { plural } from '../../components/format.ts'
import { notifyFailure } from '../../components/notify.ts'
import { desktop } from '../../data/desktop.ts'
import styles from './documents.module.css'
import { type Preview, previewOf } from './office-preview.ts'
import { DOCUMENTS_WORDS } from './documents-words.ts'

const WORDS = DOCUMENTS_WORDS.originalText

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
      <div className="row apart">
        <span className="dim">{noteOf(data, sourceFormat)}</span>
        {desktop !== null && (
          <Button
            size="compact-sm"
            onClick={() =>
              void desktop!.openOriginal(file).catch((error: unknown) => notifyFailure(WORDS.opening(file.name), error))
            }
          >
            {WORDS.openOutside}
          </Button>
        )}
      </div>
      {isPending && <p className="dim">{WORDS.readingTheFile}</p>}
      {data?.kind === 'source' && <pre className={styles.source}>{data.text}</pre>}
      {data?.kind === 'parts' && (
        <ol className={styles.parts} aria-label={WORDS.partsOf(file.name)}>
          {data.parts.map(({ name, text }, index) => (
            <li key={index}>
              <strong>{data.noun === 'slide' ? WORDS.slide(name) : name}</strong>
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
      return `${sourceFormat === 'html' ? WORDS.sourceText : WORDS.plainText}${preview.isCut ? WORDS.itsBeginning : ''}`
    case 'parts':
      return WORDS.textWithoutLayout(plural(preview.parts.length, preview.noun))
    case 'none':
      return desktop === null ? WORDS.noPages(format) : WORDS.noPagesHere(format)
  }
}
