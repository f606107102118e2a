import type { JudgeResults } from '../../../contract/control/judging.ts'
import { EstimateCell } from '../../components/estimate.tsx'
import { count } from '../../components/format.ts'
import table from '../../components/table.module.css'
import { kappaSentence } from './agreement-words.ts'
import styles from './judges.module.css'

/** A person against each judge, on the answers that both graded. */
export function PersonAgreement({ human }: { human: NonNullable<JudgeResults['human']> }) {
  if (human.agreement.length === 0)
    return <p className="dim">No judge to compare with: only you have graded this run.</p>
  return (
    <>
      <p className={styles.above}>
        {human.rater} voted on {count(human.sets.voted)} of {count(human.sets.offered)} questions. Cohen’s kappa with
        quadratic weights: 1 is perfect, 0 is chance.
      </p>
      <table className={table.table}>
        <thead>
          <tr>
            <th>Judge</th>
            <th className={table.num}>Weighted κ</th>
            <th>Agreement</th>
            <th className={table.num}>Same best answer</th>
          </tr>
        </thead>
        <tbody>
          {human.agreement.map(({ judge, kappa, best }) => (
            <tr key={judge}>
              <th scope="row">{judge}</th>
              <td className={table.num}>
                <EstimateCell estimate={kappa.estimate} withSign of="answers" />
              </td>
              <td>{kappaSentence(kappa.estimate)}</td>
              <td className={table.num}>{best.compared === 0 ? '–' : `${count(best.same)}/${count(best.compared)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
