import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { plural } from '../../components/format.ts'
import { api } from '../../data/client.ts'
import styles from './documents.module.css'
import type { Sent } from './use-sending.ts'

/** The document is in the corpus: what a person does next, and what happens by itself. */
export function SentNote({ sent: { dataset, path }, onClose }: { sent: Sent; onClose: () => void }) {
  const { data } = useQuery(api.datasets.list.queryOptions())
  const view = data?.find(({ id }) => id === dataset)
  return (
    <div className={styles.send}>
      <p role="status">
        ● <strong>{path}</strong> is in the corpus of {view?.label ?? dataset}.
      </p>
      <ol className={styles.steps}>
        <li>
          Questions: {view === undefined ? 'some' : plural(view.questions, 'question')} so far.{' '}
          <Link to="/datasets" search={{ dataset, view: 'questions' }}>
            Add those that this document answers
          </Link>
          .
        </li>
        <li>Ingestion: the next run cuts, embeds and extracts the new document; until then no approach knows it.</li>
        <li>
          Run:{' '}
          <Link to="/launch" search={{ datasets: [dataset] }}>
            choose approaches and start
          </Link>
          .
        </li>
      </ol>
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  )
}
