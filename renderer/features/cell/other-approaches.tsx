import { useQuery } from '@tanstack/react-query'
import { ApproachName } from '../../components/approach-name.tsx'
import { score } from '../../components/format.ts'
import { api } from '../../data/client.ts'
import styles from './cell.module.css'

interface OtherApproachesProps {
  run: string
  row: string
  model: string
  against: string | undefined
  onAgainst: (alias: string | undefined) => void
}

/** The same question in all aliases of the run; choosing one compares the evidence. */
export function OtherApproaches({ run, row, model, against, onAgainst }: OtherApproachesProps) {
  const { data } = useQuery(api.cells.others.queryOptions({ input: { run_id: run, row_id: row } }))
  return (
    <div className={styles.chips} role="group" aria-label="The same question in other approaches">
      {data?.cells.map(({ model: alias, base_model: base, row_id: other, status, scores }) => {
        const value = scores.faithfulness ?? scores.answer_relevancy ?? null
        return (
          <button
            key={alias}
            type="button"
            className={styles.chip}
            disabled={alias === model || other === null}
            aria-pressed={alias === against}
            title={alias === model ? 'this cell' : `compare the evidence with ${alias}`}
            onClick={() => onAgainst(alias === against ? undefined : alias)}
          >
            <ApproachName alias={alias} base={base} short />
            <span>{other === null ? 'missing' : status === 'ok' ? score(value) : `▲ ${status ?? ''}`}</span>
          </button>
        )
      })}
    </div>
  )
}
