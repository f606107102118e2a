import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { bytes, plural } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import styles from './datasets.module.css'

/** Documents on the left; the chosen one with its gold facts underlined. */
export function DocumentBrowser({ dataset, path }: { dataset: string; path: string | undefined }) {
  const list = useQuery(api.datasets.documents.queryOptions({ input: { dataset_id: dataset } }))
  const chosen = path ?? list.data?.documents[0]?.path
  const document = useQuery({
    ...api.datasets.document.queryOptions({ input: { dataset_id: dataset, path: chosen ?? '-' } }),
    enabled: chosen !== undefined,
  })
  if (list.isError)
    return <ErrorPanel error={list.error} what="The list of documents" retry={() => void list.refetch()} />
  if (list.data === undefined) return <LoadingRows rows={14} height={44} />
  return (
    <div className={styles.split}>
      <nav aria-label="Documents">
        <ul className={styles.documents}>
          {list.data.documents.map(({ path: each, title, size_bytes: size, gold_facts: facts }) => (
            <li key={each}>
              <Link
                to="/datasets"
                search={{ dataset, view: 'documents', document: each }}
                aria-current={each === chosen ? 'true' : undefined}
              >
                <span>{title}</span>
                <span className="dim">
                  {bytes(size)} · {plural(facts, 'gold fact')}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div>
        {document.isError && (
          <ErrorPanel error={document.error} what={`Document ${chosen ?? ''}`} retry={() => void document.refetch()} />
        )}
        {document.isPending && <LoadingRows rows={14} />}
        {document.data?.is_text === false && <p className="dim">{document.data.reason}</p>}
        {document.data?.is_text === true && (
          <article className={styles.text} tabIndex={0} aria-label={document.data.path}>
            {document.data.lost_gold.map(({ question_id: id, fact }) => (
              <p key={id + fact}>
                ▲ {id}: this gold fact stands nowhere here: <MarkedText text={fact} />
              </p>
            ))}
            <MarkedText text={document.data.text} spans={document.data.gold} />
            {document.data.next_offset !== null && (
              <p className="dim">Shown up to character {document.data.next_offset}.</p>
            )}
          </article>
        )}
      </div>
    </div>
  )
}
