import table from '../../components/table.module.css'
import { TableHead } from '../../components/table-head.tsx'
import styles from './own-data.module.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { measuredLevelWords } from '../../../core/measured-level-words.ts'
import { plannedWords } from '../../../core/planned-words.ts'
import { OWN_WORDS } from './own-words.ts'
import type { DatasetCheck } from '../../../contract/control/own-datasets.ts'
import type { DatasetSearch } from '../../app/search-params.ts'

type Place = Pick<DatasetCheck['problems'][number], 'kind' | 'place'>

/** The view of a dataset where a problem of its check is repaired. */
function placeSearch(dataset: string, { kind, place }: Place): DatasetSearch {
  if (kind === 'question') return { dataset, view: 'questions', question: place }
  if (place === 'questions') return { dataset, view: 'questions' }
  return place === 'documents' ? { dataset, view: 'documents' } : { dataset, view: 'documents', document: place }
}

const WORDS = OWN_WORDS.check

/** Everything that is wrong with a dataset, each with a link to its place, and what its number of questions can decide. */
export function CheckView({ dataset }: { dataset: string }) {
  const check = useQuery(api.datasets.check.queryOptions({ input: { dataset_id: dataset } }))
  if (check.isError) return <ErrorPanel error={check.error} what={WORDS.theCheck} retry={() => void check.refetch()} />
  if (check.data === undefined) return <LoadingRows rows={6} />
  const { problems, warnings, planned_difference: planned } = check.data
  const decides = plannedWords(WORDS.subject, planned)
  return (
    <div className={styles.form}>
      {problems.length === 0 ? (
        <p role="status">{WORDS.clean}</p>
      ) : (
        <div className={table.scroll}>
          <table className={table.table} aria-label={WORDS.problems}>
            <TableHead columns={[WORDS.place, WORDS.problem, WORDS.remedy]} />
            <tbody>
              {problems.map(({ kind, place, message, remedy }) => (
                <tr key={`${place} ${message}`}>
                  <th scope="row" className={styles.place}>
                    <Link to="/datasets" search={placeSearch(dataset, { kind, place })}>
                      {place}
                    </Link>
                  </th>
                  <td className={table.wrap}>▲ {message}</td>
                  <td className={table.wrap}>{remedy}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {warnings.length > 0 && (
        <section>
          <h3>{WORDS.warnings}</h3>
          <ul>
            {warnings.map(({ place, message }) => (
              <li key={`${place} ${message}`}>
                <Link to="/datasets" search={placeSearch(dataset, { kind: 'document', place })}>
                  {place}
                </Link>
                : {message}
              </li>
            ))}
          </ul>
        </section>
      )}
      <p>
        {WORDS.facts(check.data.documents, check.data.questions)} {decides !== null && `${decides}.`}
      </p>
      <p>{WORDS.level(check.data.complexity_level, measuredLevelWords(check.data.measured_level))}</p>
      <Button variant="default" w={140} loading={check.isFetching} onClick={() => void check.refetch()}>
        {WORDS.again}
      </Button>
    </div>
  )
}
