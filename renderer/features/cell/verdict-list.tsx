import type { CellVerdict } from '../../../contract/control/run-index/cell.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import table from '../../components/table.module.css'

/** What each judge of the panel said of this answer. */
export function VerdictList({ verdicts }: { verdicts: readonly CellVerdict[] }) {
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th>Judge</th>
          <th className={table.num}>Grade, 1 to 5</th>
          <th>Best</th>
          <th>Reason</th>
        </tr>
      </thead>
      <tbody>
        {verdicts.map(({ judge, score: grade, best, reason }) => (
          <tr key={judge}>
            <th scope="row">{judge}</th>
            <td className={table.num}>{grade ?? '–'}</td>
            <td>{best ? '● best' : ''}</td>
            <td className={table.wrap}>
              <MarkedText text={reason ?? ''} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
