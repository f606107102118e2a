import { Button, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { MarkedText } from '../../../components/marked-text.tsx'
import { ErrorPanel, Loaded, Panel } from '../../../components/states.tsx'
import { control } from '../../../data/client.ts'
import { factSpans, type Span } from '../../../components/text-match.ts'
import { convertFile } from '../../documents/convert.ts'
import { isConverted } from '../documents/dropped-files.ts'
import { selectedSpan, trimmedSpan } from './gold-selection.ts'
import styles from '../own-data.module.css'
import { OWN_WORDS } from '../own-words.ts'
import { receivedFile } from '../documents/received-file.ts'
import { PREVIEW } from '../documents/use-file-drop.ts'
import { useDocument } from '../../datasets/use-document.ts'

const WORDS = OWN_WORDS.editor

const SLICE = 100_000

/** Returns what ingestion will read of a document that has no text of its own. */
async function convertedText(dataset: string, path: string, signal: AbortSignal): Promise<string> {
  const { name, parts } = await receivedFile(
    await control.datasets.documentFile({ dataset_id: dataset, path }, { signal }),
  )
  return (await convertFile(new File(parts, name), PREVIEW, signal)).content
}

interface GoldDocumentProps {
  dataset: string
  documents: readonly string[]
  path: string
  /** Gold facts of the question that name this document. */
  facts: readonly string[]
  onChoose: (path: string) => void
  onUse: (fact: string) => void
}

/** A document whose passages a person selects as gold facts; those that are chosen are marked. */
export function GoldDocument({ dataset, documents, path, facts, onChoose, onUse }: GoldDocumentProps) {
  const { query, slices, unread } = useDocument(dataset, path, SLICE)
  const article = useRef<HTMLElement>(null)
  const [selected, setSelected] = useState<Span | null>(null)
  useEffect(() => {
    const read = (): void => {
      const root = article.current
      if (root === null) return
      const span = selectedSpan(root, document.getSelection())
      setSelected(span === null ? null : trimmedSpan(root.textContent, span))
    }
    document.addEventListener('selectionchange', read)
    return () => document.removeEventListener('selectionchange', read)
  }, [])
  const isToConvert = unread !== undefined && isConverted(path)
  const conversion = useQuery({
    queryKey: ['converted-document', dataset, path, unread?.size_bytes],
    queryFn: ({ signal }) => convertedText(dataset, path, signal),
    enabled: isToConvert,
    // A conversion takes seconds, and the same file gives the same text.
    staleTime: Infinity,
    retry: false,
  })
  const text = conversion.data ?? slices.map((slice) => slice.text).join('')
  const total = slices[0]?.total ?? 0
  return (
    <Panel
      title={WORDS.document}
      aside={
        <Select
          size="xs"
          aria-label={WORDS.document}
          searchable
          data={[...new Set([path, ...documents])]}
          value={path}
          onChange={(next) => next !== null && onChoose(next)}
        />
      }
    >
      <div className="stack">
        <div className="row">
          <Button
            variant="filled"
            // The button would take the focus, and with it the selection in some browsers.
            onMouseDown={(event) => event.preventDefault()}
            disabled={selected === null}
            onClick={() => {
              if (selected === null) return
              onUse(text.slice(selected.start, selected.end))
              document.getSelection()?.removeAllRanges()
            }}
          >
            {WORDS.useSelection}
          </Button>
          <span className="dim" role="status">
            {selected === null ? WORDS.nothingSelected : WORDS.selected(selected.end - selected.start)}
          </span>
        </div>
        <Loaded query={query} what={WORDS.theDocument} rows={12} />
        {unread !== undefined && !isToConvert && <p>{WORDS.notText(unread.reason)}</p>}
        {isToConvert && conversion.isPending && <p role="status">{OWN_WORDS.documents.converting}</p>}
        {conversion.isError && (
          <ErrorPanel error={conversion.error} what={WORDS.theDocument} retry={() => void conversion.refetch()} />
        )}
        {conversion.isSuccess && <p className="dim">{WORDS.convertedText}</p>}
        {text !== '' && (
          <article ref={article} className={styles.document} tabIndex={0} aria-label={path}>
            <MarkedText text={text} spans={facts.flatMap((fact) => factSpans(text, fact))} />
          </article>
        )}
        {query.hasNextPage && (
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {WORDS.more(Math.min(SLICE, total - text.length))}
          </Button>
        )}
      </div>
    </Panel>
  )
}
