import type { ModelTest } from '../../../contract/control/models.ts'
import { recordWords } from '../../../contract/manifests/model-record.ts'
import { duration } from '../../components/format.ts'
import { failureMessage } from '../../../core/role-words.ts'
import { StateDot, type Tone } from '../../components/state-dot.tsx'
import { DataTable, num } from '../../components/tables.tsx'
import table from '../../components/table.module.css'
import { testOutcome } from './connection-state.ts'
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
  const { problems, probes, models, broken, records } = result
  const { tone, words } = testOutcome(result)
  return (
    <section aria-label={WORDS.result(name)} className={styles.result}>
      <p role="status">
        <StateDot tone={tone} /> <strong>{name}</strong> {words}
        {models.length > 0 && <span className="dim"> · {WORDS.listed(models.length)}</span>}
      </p>
      {problems.map((problem) => (
        <p key={problem} className="bad">
          {problem}
        </p>
      ))}
      {probes.length > 0 && (
        <DataTable
          stacks
          label={WORDS.result(name)}
          rows={probes}
          keyOf={({ probe, model }) => `${probe} ${model ?? ''}`}
          columns={[
            [WORDS.probe, ({ probe }) => WORDS.probes[probe]],
            [
              WORDS.outcome,
              ({ status }) => (
                <>
                  <StateDot tone={TONES[status]} /> {WORDS.status[status]}
                </>
              ),
            ],
            [num(WORDS.latency), ({ latency_ms: latency }) => duration(latency)],
            [
              WORDS.finding,
              ({ model, finding, error, remedy, roles }) => (
                <>
                  {[model, finding].filter((text) => text !== null).join(' · ')}
                  {error !== null && <div className="bad">{failureMessage(error)}</div>}
                  {remedy !== null && <div className="dim">{remedy}</div>}
                  {roles.length > 0 && <div className="dim">{WORDS.neededBy(roles)}</div>}
                </>
              ),
              table.wrap,
            ],
          ]}
        />
      )}
      {broken.length > 0 && <p className="bad">{WORDS.broken(broken)}</p>}
      {records.map((record) => (
        <p key={record.model} className="dim">
          {WORDS.known(record.model, recordWords(record))}
        </p>
      ))}
    </section>
  )
}
