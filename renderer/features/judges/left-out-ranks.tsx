import type { LeaveOneJudgeOut } from '../../../contract/evidence/statistics.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { score } from '../../components/format.ts'
import table from '../../components/table.module.css'
import styles from './judges.module.css'

/** Ranks with all judges, and with each of them left out. */
export function LeftOutRanks({ ranks }: { ranks: LeaveOneJudgeOut }) {
  const { approaches, judges, unstable, inconclusive } = ranks
  const order = approaches.toSorted((a, b) => (a.rank ?? 99) - (b.rank ?? 99))
  return (
    <>
      <p className={styles.above}>
        {inconclusive
          ? '▲ The first place is shared or changes hands when a judge is left out: the panel names no winner.'
          : '● The first place stays the same whichever judge is left out.'}
        {unstable.length > 0 && ' Changed ranks are in bold.'}
      </p>
      <div className={table.scroll} tabIndex={0} role="region" aria-label="Ranks without each judge">
        <table className={table.table}>
          <thead>
            <tr>
              <th>Approach</th>
              <th className={table.num}>Mean grade</th>
              <th className={table.num}>Rank, all judges</th>
              {judges.map((judge) => (
                <th key={judge} className={`${table.num ?? ''} ${styles.judgeHead ?? ''}`}>
                  without {judge}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {order.map(({ model, mean, rank, ranks_without: without }) => (
              <tr key={model}>
                <th scope="row">
                  <ApproachName alias={model} short />
                </th>
                <td className={table.num}>{score(mean)}</td>
                <td className={table.num}>{rank ?? '–'}</td>
                {without.map((each, place) => (
                  <td key={judges[place]} className={table.num}>
                    {each === rank ? (each ?? '–') : <strong>{each ?? '–'}</strong>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
