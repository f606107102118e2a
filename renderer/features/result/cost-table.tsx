import { useQuery } from '@tanstack/react-query'
import { amountWords, costWords } from '../../../contract/words.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { count } from '../../components/format.ts'
import { Panel } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { RESULT_WORDS as WORDS } from './result-words.ts'

/** What the answers of each approach cost; nothing for a run without paid models. */
export function CostTable({ run }: { run: string }) {
  const { data } = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const costs = data?.costs ?? []
  if (costs.length === 0) return null
  const reasons = new Set(costs.flatMap(({ cost, grading }) => [...cost.unknown, ...grading.unknown]))
  return (
    <Panel title={WORDS.costs}>
      <div className={table.scroll} tabIndex={0} role="region" aria-label={WORDS.costs}>
        <table className={table.table}>
          <thead>
            <tr>
              <th>{WORDS.dataset}</th>
              <th>{WORDS.approach}</th>
              <th className={table.num}>{WORDS.answers}</th>
              <th className={table.num}>{WORDS.cost}</th>
              <th className={table.num}>{WORDS.perAnswer}</th>
              <th className={table.num}>{WORDS.grading}</th>
            </tr>
          </thead>
          <tbody>
            {costs.map(({ dataset_id: id, label, model, base, answers, cost, grading }) => (
              <tr key={`${id} ${model}`}>
                <td>{label}</td>
                <td>
                  <ApproachName alias={model} base={base} />
                </td>
                <td className={table.num}>{count(answers)}</td>
                <td className={table.num}>{costWords(cost)}</td>
                <td className={table.num}>
                  {cost.unknown.length > 0 || answers === 0 ? '–' : amountWords(cost.amount / answers, cost.currency)}
                </td>
                <td className={table.num}>{costWords(grading)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="dim">{WORDS.costsAbout}</p>
      {[...reasons].map((reason) => (
        <p key={reason}>○ {reason}</p>
      ))}
    </Panel>
  )
}
