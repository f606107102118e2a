import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Coverage, CoverageAlias, CoverageMetric } from '../../../contract/control/cells.ts'
import { type CellMetricState, IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { GAPS_OF_QUESTIONS, gapsOfApproach, reasonWords } from '../../../core/evidence/gap-reasons.ts'
import { lookOf } from '../../../charts/look.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { STATE_SIGNS } from '../../components/cell-state.ts'
import { RefusalCount } from '../../components/refusal-chip.tsx'
import { count, metricName, metricValue, plural } from '../../components/format.ts'
import { failureMessage } from '../../../core/role-words.ts'
import { num, ScrollTable, TableHead } from '../../components/tables.tsx'
import table from '../../components/table.module.css'
import { COVERAGE_WORDS as WORDS } from './coverage-words.ts'
import styles from './coverage.module.css'

const reasonsOf = (
  { errors_by_reason: errors, unevaluable_by_reason: unevaluable, unequal_coverage: unequal, common }: CoverageMetric,
  evidence: CoverageAlias['evidence_capability'],
): string =>
  [
    ...Object.entries({ ...errors, ...unevaluable }).map(([reason, cells]) =>
      reason in GAPS_OF_QUESTIONS
        ? `${plural(cells, 'question')} ${GAPS_OF_QUESTIONS[reason as keyof typeof GAPS_OF_QUESTIONS]}`
        : `${plural(cells, 'answer')}: ${reasonWords(reason, evidence).replaceAll('_', ' ')}`,
    ),
    ...(unequal && common !== null ? [WORDS.shared(count(common.n), metricValue('', common.mean))] : []),
  ].join(' · ')

/** Counts of cells without a value in the order of their columns, with the head of each and the state by which the matrix finds them. */
const OTHER_STATES = [
  ['errors', WORDS.columns.errors, 'error'],
  ['timeouts', WORDS.columns.timeouts, 'timeout'],
  ['unevaluable', WORDS.columns.unevaluable, 'not_evaluable'],
  ['disabled', WORDS.columns.disabled, 'disabled'],
  ['not_run', WORDS.columns.notScored, 'not_run'],
  ['missing', WORDS.columns.missing, 'missing'],
] as const satisfies [keyof CoverageMetric, string, CellMetricState][]

const ALWAYS_SHOWN: ReadonlySet<string> = new Set(['errors', 'timeouts'])

interface CellsLinkProps {
  coverage: Coverage
  model: string
  metric: string
  state: CellMetricState
  cells: number
  children: ReactNode
}

/** A number of cells that leads to them: the matrix by this metric, with the approach first, and only questions with a cell in this state. */
function CellsLink({ coverage, model, metric, state, cells, children }: CellsLinkProps) {
  const known = IndexMetric.safeParse(metric)
  if (cells === 0 || !known.success) return children
  const { run_id: run, dataset_id: dataset } = coverage
  return (
    <Link
      to="/runs/$run/matrix"
      params={{ run }}
      search={{ dataset, metric: known.data, pinned: [model], ...(state === 'ok' ? {} : { states: [state] }) }}
      title={WORDS.showCells(model)}
    >
      {children}
    </Link>
  )
}

/** A row per approach and metric: the mean with its n, and where every other cell went, timeouts apart from errors. Another state that no cell is in has no column. */
export function CoverageTable({ coverage, onlyGaps }: { coverage: Coverage; onlyGaps: boolean }) {
  const aliases = coverage.aliases
    .map((alias) => ({
      ...alias,
      metrics: alias.metrics.filter((metric) => !onlyGaps || gapsOfApproach(metric) > 0),
    }))
    .filter(({ metrics }) => metrics.length > 0)
  if (aliases.length === 0) return <p>{WORDS.noGaps}</p>
  const otherStates = OTHER_STATES.filter(
    ([key]) => ALWAYS_SHOWN.has(key) || aliases.some(({ metrics }) => metrics.some((metric) => metric[key] > 0)),
  )
  const { approach, metric: name, state: word, mean, scored, reasons } = WORDS.columns
  return (
    <ScrollTable label={WORDS.tableRegion} className={styles.heads} stacks="early">
      <TableHead
        columns={[approach, name, word, num(mean), num(scored), ...otherStates.map(([, head]) => num(head)), reasons]}
      />
      <tbody>
        {aliases.flatMap(
          ({ model, base_model: base, evidence_capability: evidence, metrics, cells, refusals, ...alias }) =>
            metrics.map((metric, index) => (
              <tr key={`${model}/${metric.group}/${metric.metric}`} className={index === 0 ? styles.first : undefined}>
                {index === 0 && (
                  <th scope="rowgroup" rowSpan={metrics.length} className={styles.approach}>
                    <ApproachName alias={model} base={base} />
                    <div className={styles.answered}>
                      {alias.unavailable === null
                        ? WORDS.cells(count(cells.ok), count(cells.expected), count(cells.error), count(cells.timeout))
                        : failureMessage(alias.unavailable)}
                      {Object.entries(alias.failures_by_type).map(([type, failed]) => (
                        <div key={type}>
                          {type.replaceAll('_', ' ')} {count(failed)}
                        </div>
                      ))}
                      <div>
                        <RefusalCount refusals={refusals} />
                      </div>
                    </div>
                  </th>
                )}
                <td className={styles.metric}>{metricName(metric.metric)}</td>
                <td className="nowrap">
                  {STATE_SIGNS[metric.state].sign} {STATE_SIGNS[metric.state].word}
                </td>
                <td className={table.num} data-head={mean}>
                  {metricValue(metric.metric, metric.mean)}
                </td>
                <td className={table.num} data-head={scored}>
                  <CellsLink {...{ coverage, model }} metric={metric.metric} state="ok" cells={metric.scored}>
                    {count(metric.scored)}/{count(metric.expected)}
                  </CellsLink>
                  <span className={styles.bar}>
                    <span
                      style={{
                        width: `${(metric.coverage ?? 0) * 100}%`,
                        background: lookOf(model, base ?? undefined).colour,
                      }}
                    />
                  </span>
                </td>
                {otherStates.map(([key, head, state]) => (
                  <td
                    key={key}
                    className={`${table.num ?? ''} ${metric[key] === 0 ? styles.none : ''}`}
                    data-head={head}
                  >
                    <CellsLink {...{ coverage, model, state }} metric={metric.metric} cells={metric[key]}>
                      {count(metric[key])}
                    </CellsLink>
                  </td>
                ))}
                <td className={styles.reasons}>{reasonsOf(metric, evidence)}</td>
              </tr>
            )),
        )}
      </tbody>
    </ScrollTable>
  )
}
