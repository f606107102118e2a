import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { placeSearch } from './check-place.ts'
import styles from './own-data.module.css'
import { OWN_WORDS } from './own-words.ts'

const WORDS = OWN_WORDS.check

/** Everything that is wrong with a dataset, each with a link to its place, and what its number of questions can decide. */
export function CheckView({ dataset }: { dataset: string }) {
  const check = useQuery(api.datasets.check.queryOptions({ input: { dataset_id: dataset } }))
  if (check.isError) return <ErrorPanel error={check.error} what={WORDS.theCheck} retry={() => void check.refetch()} />
  if (check.data === undefined) return <LoadingRows rows={6} />
  const { problems, detectable_difference: difference } = check.data
  return (
    <div className={styles.form}>
      {problems.length === 0 ? (
        <p role="status">{WORDS.clean}</p>
      ) : (
        <div className={table.scroll}>
          <table className={table.table} aria-label={WORDS.problems}>
            <thead>
              <tr>
                <th scope="col">{WORDS.place}</th>
                <th scope="col">{WORDS.problem}</th>
                <th scope="col">{WORDS.remedy}</th>
              </tr>
            </thead>
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
      <p>
        {WORDS.facts(check.data.documents, check.data.questions)}{' '}
        {difference === null ? WORDS.noDifference : WORDS.difference(Math.ceil(difference * 100))}
      </p>
      <Button variant="default" w={140} loading={check.isFetching} onClick={() => void check.refetch()}>
        {WORDS.again}
      </Button>
    </div>
  )
}
