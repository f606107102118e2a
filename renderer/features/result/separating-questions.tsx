import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { MatrixPageRow } from '../../../contract/control/run-index/matrix-page.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { metricName, score } from '../../components/format.ts'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { ScrollTable } from '../../components/scroll-table.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { RESULT_WORDS as WORDS } from './result-words.ts'

const SHOWN = 8

interface End {
  model: string
  row: string
  value: number
  /** Approaches with the same value. */
  equal: number
}

/** The approaches with the highest and the lowest value on a question; null where fewer than two have one, or all have the same. */
function endsOf({ cells }: MatrixPageRow, aliases: readonly string[]): { highest: End; lowest: End } | null {
  const found = cells.flatMap((cell, index) =>
    cell === null || cell.value === null ? [] : [{ model: aliases[index]!, row: cell.row_id, value: cell.value }],
  )
  const values = found.map(({ value }) => value)
  const [most, least] = [Math.max(...values), Math.min(...values)]
  if (found.length < 2 || most === least) return null
  const end = (value: number): End => ({
    ...found.find((each) => each.value === value)!,
    equal: values.filter((each) => each === value).length,
  })
  return { highest: end(most), lowest: end(least) }
}

interface SeparatingQuestionsProps {
  run: string
  dataset: { dataset_id: string; label: string }
  metric: IndexMetric
}

/** The questions with the largest difference between approaches, each end with a link to its cell. */
export function SeparatingQuestions({ run, dataset, metric }: SeparatingQuestionsProps) {
  const input = { run_id: run, dataset_id: dataset.dataset_id, metric, limit: SHOWN }
  const { data, isError, error, refetch } = useQuery(
    api.matrix.page.queryOptions({ input: { ...input, sort: { by: 'spread', descending: true } } }),
  )
  const rows = (data?.rows ?? []).flatMap((row) => {
    const ends = endsOf(row, data!.aliases)
    return ends === null ? [] : [{ ...row, ...ends }]
  })
  const link = (row: string, value: number) => (
    <Link to="/runs/$run/cell" params={{ run }} search={{ row, dataset: dataset.dataset_id, metric }}>
      {score(value)}
    </Link>
  )
  /** Returns what the author of the question expected to be best, and the value that it has. */
  const expectedCell = ({ expect_winner: expected, cells }: MatrixPageRow) => {
    if (expected === null) return <td className="dim">{WORDS.notNamed}</td>
    const cell = cells[data!.aliases.indexOf(expected)] ?? null
    const value = cell?.value ?? null
    return (
      <td>
        <ApproachName alias={expected} short />{' '}
        {cell === null || value === null ? <span className="dim">{WORDS.noValue}</span> : link(cell.row_id, value)}
      </td>
    )
  }
  const endCell = ({ model, row, value, equal }: End) => (
    <td>
      {equal > 1 ? WORDS.all(equal) : <ApproachName alias={model} short />} {link(row, value)}
    </td>
  )
  return (
    <Panel
      title={WORDS.separating(dataset.label)}
      aside={
        <Link
          to="/runs/$run/matrix"
          params={{ run }}
          search={{ dataset: dataset.dataset_id, metric, sort: 'spread', descending: true }}
        >
          {WORDS.inMatrix}
        </Link>
      }
    >
      {isError && <ErrorPanel error={error} what={WORDS.separatingWhat} retry={() => void refetch()} />}
      {data === undefined && !isError && <LoadingRows rows={SHOWN} height={36} />}
      {data !== undefined && rows.length === 0 && <p className="dim">{WORDS.noSeparating(metricName(metric))}</p>}
      {rows.length > 0 && (
        <ScrollTable label={WORDS.separating(dataset.label)}>
          <thead>
            <tr>
              <th>{WORDS.question}</th>
              <th>{WORDS.highest}</th>
              <th>{WORDS.lowest}</th>
              <th>{WORDS.expected}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.question_id} ${row.repeat}`}>
                <th scope="row" className={table.wrap}>
                  {row.query ?? row.question_id}
                </th>
                {endCell(row.highest)}
                {endCell(row.lowest)}
                {expectedCell(row)}
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
    </Panel>
  )
}
