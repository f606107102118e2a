import type { ModelTest } from '../../../contract/control/models.ts'
import { recordWords } from '../../../contract/manifests/model-record.ts'
import { duration } from '../../components/format.ts'
import { StateDot, type Tone } from '../../components/state-dot.tsx'
import { ScrollTable } from '../../components/scroll-table.tsx'
import table from '../../components/table.module.css'
import { num, TableHead } from '../../components/table-head.tsx'
import styles from './models.module.css'
import { MODELS_WORDS } from './models-words.ts'

const WORDS = MODELS_WORDS.test

const TONES: Record<ModelTest['probes'][number]['status'], Tone> = {
  passed: 'good',
  adapted: 'good',
  failed: 'bad',
  unsupported: 'waiting',
  skipped: 'idle',
  limited: 'idle',
}

/** Shows what a test found: one row per request, with the exact error of what failed and what to do. */
export function TestResult({ name, result }: { name: string; result: ModelTest }) {
  const { works, problems, probes, models, broken, records } = result
  const outcome = problems.length > 0 ? WORDS.notTested : works ? WORDS.works : WORDS.fails
  return (
    <section aria-label={WORDS.result(name)} className={styles.result}>
      <p role="status">
        <StateDot tone={works ? 'good' : 'bad'} /> <strong>{name}</strong> {outcome}
        {models.length > 0 && <span className="dim"> · {WORDS.listed(models.length)}</span>}
      </p>
      {problems.map((problem) => (
        <p key={problem} className={styles.bad}>
          {problem}
        </p>
      ))}
      {probes.length > 0 && (
        <ScrollTable label={WORDS.result(name)}>
          <TableHead columns={[WORDS.probe, WORDS.outcome, num(WORDS.latency), WORDS.finding]} />
          <tbody>
            {probes.map(({ probe, roles, status, model, latency_ms: latency, finding, error, remedy }) => (
              <tr key={`${probe} ${model ?? ''}`}>
                <th scope="row">{WORDS.probes[probe]}</th>
                <td>
                  <StateDot tone={TONES[status]} /> {WORDS.status[status]}
                </td>
                <td className={table.num}>{latency === null ? '–' : duration(latency)}</td>
                <td className={table.wrap}>
                  {[model, finding].filter((text) => text !== null).join(' · ')}
                  {error !== null && <div className={styles.bad}>{error}</div>}
                  {remedy !== null && <div className="dim">{remedy}</div>}
                  {roles.length > 0 && <div className="dim">{WORDS.neededBy(roles)}</div>}
                </td>
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
      {broken.length > 0 && <p className={styles.bad}>{WORDS.broken(broken)}</p>}
      {records.map((record) => (
        <p key={record.model} className="dim">
          {WORDS.known(record.model, recordWords(record))}
        </p>
      ))}
    </section>
  )
}
