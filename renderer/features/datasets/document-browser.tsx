import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { DocumentChunksInput } from '../../../contract/control/document-chunks.ts'
import { bytes, plural } from '../../components/format.ts'
import { EmptyPanel, ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import styles from './datasets.module.css'
import { DocumentText } from './document-text.tsx'
import { DATASETS_WORDS } from './datasets-words.ts'

const WORDS = DATASETS_WORDS.documentBrowser

interface DocumentBrowserProps {
  dataset: string
  path: string | undefined
  /** How to cut for a look, where that is not saved yet. */
  chunker?: DocumentChunksInput['chunker']
  /** What can be done with a document, beside its name. */
  action?: (path: string) => ReactNode
}

/** Documents on the left, the chosen one beside them. */
export function DocumentBrowser({ dataset, path, chunker, action }: DocumentBrowserProps) {
  const list = useQuery(api.datasets.documents.queryOptions({ input: { dataset_id: dataset } }))
  const { chunks } = useSearch({ from: '/datasets' })
  const chosen = path ?? list.data?.documents[0]?.path
  if (list.isError) return <ErrorPanel error={list.error} what={WORDS.documentList} retry={() => void list.refetch()} />
  if (list.data === undefined) return <LoadingRows rows={14} height={44} />
  return (
    <div className={styles.split}>
      <nav aria-label={WORDS.documents}>
        <ul className={styles.documents}>
          {list.data.documents.map(({ path: each, title, size_bytes: size, gold_facts: facts }) => (
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
