import { Progress } from '@mantine/core'
import { ApproachName } from '../../components/approach-name.tsx'
import { count, duration } from '../../components/format.ts'
import { Sparkline } from '../../components/sparkline.tsx'
import { lookOf } from '../../../charts/look.ts'
import { type Climb, throughput } from '../../data/ladder-state.ts'
import { cellsOfClimb, leftMsOf } from '../../data/run-progress.ts'
import styles from './ladder.module.css'

/** Cells done, throughput, time left, and each approach's last latencies. */
export function CellsLive({ climb, ended }: { climb: Climb; ended: boolean }) {
  const cells = cellsOfClimb(climb, 0)
  const { total, done } = cells
  const rate = throughput(climb)
  const left = leftMsOf(cells, rate)
  const moving = climb.steps.cells?.state === 'running' && !ended
  return (
    <div className={styles.open}>
      <span>
        {count(done)}/{count(total)} cells · {count(climb.failed)} failed
        {climb.plan !== null && climb.plan.reuse > 0 && ` · ${count(climb.plan.reuse)} reused`}
        {moving && rate !== null && ` · ${rate.toFixed(1)} cells/s`}
        {moving && left !== null && ` · ${duration(left)} left`}
      </span>
      {moving && (
        <Progress value={total === 0 ? 0 : (done / total) * 100} aria-label="Cells done" transitionDuration={100} />
      )}
      <table className={styles.aliases}>
        <thead>
          <tr>
            <th>Approach</th>
            <th className="num">Ok</th>
            <th className="num">Failed</th>
            <th className="num">Last</th>
            <th>Recent latencies</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(climb.aliases).map(([alias, { ok, failed, latenciesMs }]) => (
            <tr key={alias}>
              <td>
                <ApproachName alias={alias} short />
              </td>
              <td className="num">{count(ok)}</td>
              <td className={failed > 0 ? 'num' : 'num dim'}>{count(failed)}</td>
              <td className="num">{duration(latenciesMs.at(-1))}</td>
              <td>
                <Sparkline values={latenciesMs} colour={lookOf(alias).colour} label={`Last latencies of ${alias}`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
