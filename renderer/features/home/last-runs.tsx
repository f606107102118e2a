import { Link } from '@tanstack/react-router'
import type { RunHead } from '../../../contract/control/run-index/runs.ts'
import type { RunState } from '../../../contract/control/run-job.ts'
import { count, moment } from '../../components/format.ts'
import table from '../../components/table.module.css'

/** Runs with their datasets; each dataset is the way into its matrix. */
export function LastRuns({ runs }: { runs: (RunHead & { state: RunState | null })[] }) {
  return (
    <div className={table.scroll} tabIndex={0} role="region" aria-label="Last results">
      <table className={table.table}>
        <thead>
          <tr>
            <th>Run</th>
            <th>Datasets</th>
            <th className={table.num}>Cells ok</th>
            <th className={table.num}>Failed</th>
            <th>Finished</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => {
            const ok = run.datasets.reduce((sum, { cells }) => sum + cells.ok, 0)
            const failed = run.datasets.reduce((sum, { cells }) => sum + cells.error + cells.timeout, 0)
            return (
              <tr key={run.run_id}>
                <th scope="row" className={table.wrap}>
                  {run.run_id}
                  {run.state !== null && run.state !== 'completed' && <span className="dim"> {run.state}</span>}
                  {run.kind === 'historical' && <span className="dim"> published</span>}
                </th>
                <td className={table.wrap}>
                  {run.datasets.map(({ dataset_id: dataset, label, damaged }, index) => (
                    <span key={dataset}>
                      {index > 0 && ' · '}
                      <Link to="/matrix" search={{ run: run.run_id, dataset }}>
                        {label}
                      </Link>
                      {damaged && <span title="A file of it cannot be used from some byte on"> ▲</span>}
                    </span>
                  ))}
                </td>
                <td className={table.num}>{count(ok)}</td>
                <td className={table.num}>{count(failed)}</td>
                <td>{moment(run.last_finished_at)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
