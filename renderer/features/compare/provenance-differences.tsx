import { useQuery } from '@tanstack/react-query'
import { count, plural } from '../../components/format.ts'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import styles from './compare.module.css'

/** Under which other conditions runs were made: the fields of their provenance that differ, side by side. */
export function ProvenanceDifferences({ runIds, dataset }: { runIds: string[]; dataset: string }) {
  const { data, isError, error, refetch } = useQuery(
    api.compare.provenance.queryOptions({ input: { run_ids: runIds, dataset_id: dataset } }),
  )
  if (isError) return <ErrorPanel error={error} what="The provenance" retry={() => void refetch()} />
  if (data === undefined) return <LoadingRows rows={4} />
  return (
    <>
      <p>
        {data.differences.length === 0
          ? `● Made under the same conditions: all ${count(data.same)} fields are equal.`
          : `${plural(data.differences.length, 'field')} ${data.differences.length === 1 ? 'differs' : 'differ'}, ${count(data.same)} are equal.`}
        {data.unknown_run_ids.length > 0 && ` ▲ No provenance is known of ${data.unknown_run_ids.join(', ')}.`}
      </p>
      {data.differences.length > 0 && (
        <div className={table.scroll} tabIndex={0} role="region" aria-label="Fields that differ">
          <table className={table.table}>
            <thead>
              <tr>
                <th>Field</th>
                {data.run_ids.map((id) => (
                  <th key={id} className={styles.runName}>
                    {id}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.differences.map(({ path, values }) => (
                <tr key={path}>
                  <th scope="row">
                    <code>{path}</code>
                  </th>
                  {values.map((value, index) => (
                    <td key={index} className={`${table.wrap ?? ''} mono`}>
                      {value ?? '–'}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
