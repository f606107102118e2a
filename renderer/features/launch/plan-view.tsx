import type { PlanOutcome } from '../../../contract/control/run-job.ts'
import { count, duration, plural } from '../../components/format.ts'
import table from '../../components/table.module.css'
import { deletedCells } from './effects.ts'
import styles from './launch.module.css'

type Plan = Extract<PlanOutcome, { ok: true }>

/** Cells, reuse, calls and conflicts of a plan, in all and per dataset. */
export function PlanView({ plan }: { plan: Plan }) {
  const { totals, datasets, notices, blockers, estimated_minutes: minutes } = plan
  const figures: [string, string][] = [
    ['Cells', count(totals.total)],
    ['Reused', count(totals.reuse)],
    ['To run', count(totals.run)],
    ['Calls', count(totals.run + totals.evaluations + totals.verdicts)],
    ['About', minutes === null ? '–' : duration(minutes * 60_000)],
  ]
  const unknown = [...new Set(datasets.flatMap(({ unknown_latency: aliases }) => aliases))]
  const conflicts = datasets.flatMap((dataset) => dataset.conflicts.slice(0, 3))
  return (
    <div className={styles.plan}>
      <dl className={styles.totals}>
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <table className={table.table}>
        <thead>
          <tr>
            <th>Dataset</th>
            <th className={table.num}>Run</th>
            <th className={table.num}>Reuse</th>
            <th className={table.num}>Scorings</th>
            <th className={table.num}>About</th>
          </tr>
        </thead>
        <tbody>
          {datasets.map((dataset) => (
            <tr key={dataset.dataset_id}>
              <td className={table.wrap}>{dataset.dataset_id}</td>
              <td className={table.num}>{count(dataset.run)}</td>
              <td className={table.num}>{count(dataset.reuse)}</td>
              <td className={table.num}>{count(dataset.evaluations)}</td>
              <td className={table.num}>{duration(dataset.estimated_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul className={styles.notes}>
        {totals.verdicts > 0 && <li>{count(totals.verdicts)} verdicts of the panel</li>}
        {totals.answered > 0 && <li>{count(totals.answered)} answers are kept and only need scores</li>}
        {totals.conflicts > 0 && (
          <li className={styles.bad}>
            ▲ {count(totals.conflicts)} stored rows were made under other conditions. Choose another run name.
          </li>
        )}
        {conflicts.map(({ row_id: row, path, stored, current, files = [] }) => (
          <li key={`${row} ${path}`}>
            <code>{path}</code> was <code>{stored}</code>, is <code>{current}</code>
            {files.length > 0 && <>; changed: {files.join(', ')}</>}
          </li>
        ))}
        {datasets.flatMap(({ dataset_id: dataset, unavailable }) =>
          unavailable.map(({ model, reason }) => (
            <li key={dataset + model} className={styles.warn}>
              {model} cannot be called for {dataset}: {reason}
            </li>
          )),
        )}
        {unknown.length > 0 && (
          <li className="dim">○ no earlier latency of {unknown.join(', ')}: how long it takes is not known</li>
        )}
        {deletedCells(plan) > 0 && (
          <li className={styles.warn}>
            ▲ Cold start deletes {plural(deletedCells(plan), 'finished cell')} of this run.
          </li>
        )}
        {plan.publications.map(
          (change) =>
            change.current !== null &&
            change.refusal === null && (
              <li key={change.dataset_id} className={styles.warn}>
                ▲ Publishing replaces the results of {change.dataset_id} from run {change.current.run_id}.
              </li>
            ),
        )}
        {blockers.map(({ code, message }) => (
          <li key={code} className={styles.warn}>
            ▲ {message}
          </li>
        ))}
        {notices.map((notice) => (
          <li key={notice} className="dim">
            ○ {notice}
          </li>
        ))}
      </ul>
    </div>
  )
}
