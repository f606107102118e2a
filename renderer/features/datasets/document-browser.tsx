import { useState, type ReactNode } from 'react'
import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { DocumentChunksInput } from '../../../contract/control/document-chunks.ts'
import { bytes, plural } from '../../components/format.ts'
import { EmptyPanel, Loaded } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import styles from './datasets.module.css'
import { DocumentText } from './document-text.tsx'
import { DATASETS_WORDS } from './datasets-words.ts'

const WORDS = DATASETS_WORDS.documentBrowser

interface DocumentBrowserProps {
  dataset: string
  path: string | undefined
  /** States how to cut for a look, where that is not saved yet. */
  chunker?: DocumentChunksInput['chunker']
  /** Returns what can be done with a document, beside its name. */
  action?: (path: string) => ReactNode
}

/** Rows that are fetched at once. */
const PAGE = 100
/** A list that a person sees whole needs no search. */
const SMALL = 10

/** Documents whose paths hold the words of a text, a page at a time. */
function useDocuments(dataset: string, text: string) {
  return useInfiniteQuery({
    ...api.datasets.documents.infiniteOptions({
      input: (offset: number) => ({ dataset_id: dataset, offset, limit: PAGE, text }),
      initialPageParam: 0,
      getNextPageParam: ({ offset, matching, documents }) =>
        offset + documents.length < matching && documents.length > 0 ? offset + documents.length : undefined,
    }),
    placeholderData: keepPreviousData,
  })
}

/** Documents on the left, the chosen one beside them. */
export function DocumentBrowser({ dataset, path, chunker, action }: DocumentBrowserProps) {
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed.trim(), 200)
  const list = useDocuments(dataset, text)
  const { chunks } = useSearch({ from: '/datasets' })
  const documents = list.data?.pages.flatMap((page) => page.documents) ?? []
  const { total = 0, matching = 0 } = list.data?.pages[0] ?? {}
  const chosen = path ?? documents[0]?.path
  if (list.data === undefined) return <Loaded query={list} what={WORDS.documentList} rows={14} height={44} />
  return (
    <div className={styles.split}>
      <nav aria-label={WORDS.documents}>
        {total > SMALL && (
          <TextInput
            size="xs"
            aria-label={WORDS.search}
            placeholder={WORDS.search}
            maxLength={200}
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
          />
        )}
        <p role="status" className="dim">
          {text === '' ? WORDS.all(total) : WORDS.found(matching, total)}
        </p>
        <ul className={styles.documents}>
          {documents.map(({ path: each, title, size_bytes: size, gold_facts: facts }) => (
            <li key={each} className={action === undefined ? undefined : styles.withAction}>
              <Link
                to="/datasets"
                search={{ dataset, view: 'documents', document: each, ...(chunks === true ? { chunks } : {}) }}
                aria-current={each === chosen ? 'true' : undefined}
              >
                <span>{title}</span>
                <span className="dim">
                  {bytes(size)} · {plural(facts, 'gold fact')}
                </span>
              </Link>
              {action?.(each)}
            </li>
          ))}
        </ul>
        {list.hasNextPage && (
          <Button loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {WORDS.showMore(Math.min(PAGE, matching - documents.length))}
          </Button>
        )}
      </nav>
      <div>
        {chosen === undefined ? (
          <EmptyPanel title={WORDS.noDocumentYet}>
            <p>{WORDS.emptyAbout}</p>
          </EmptyPanel>
        ) : (
          <DocumentText key={chosen} dataset={dataset} path={chosen} chunker={chunker} />
        )}
      </div>
    </div>
  )
}
