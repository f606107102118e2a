import type { CellDetail, CellJudging } from '../../../contract/control/cells.ts'
import type { CellVerdict } from '../../../contract/control/run-index/cell.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { reasonWords } from '../../../core/evidence/gap-reasons.ts'
import type { PromptLeak } from '../../../contract/evidence/judgments.ts'
import { STATE_SIGNS } from '../../components/cell-state.ts'
import { DataTable, num } from '../../components/tables.tsx'
import { count, metricName, score } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { RefusalChip } from '../../components/refusal-chip.tsx'
import table from '../../components/table.module.css'
import { CELL_WORDS as WORDS } from './cell-words.ts'
import { reasonLines } from './score-reason.ts'
import { scoreState } from './score-state.ts'
import styles from './cell.module.css'

/** The scores of a cell, the judges' verdicts on it, and what they were shown. */
export function ScoresTab({
  row,
  verdicts,
  judging,
}: Pick<Extract<CellDetail, { kind: 'canonical' }>, 'row' | 'verdicts' | 'judging'>) {
  return (
    <>
      <ScoreTable row={row} />
      {verdicts.length > 0 && <VerdictList verdicts={verdicts} />}
      {judging !== null && <JudgePreparation judging={judging} />}
    </>
  )
}

interface Line {
  metric: string
  group: string
  value: number | null
  state: keyof typeof STATE_SIGNS
  reason: readonly string[]
}

function linesOf({ approach, metrics: { ragas, retrieval, answer } }: CanonicalRow): Line[] {
  const { evidence_capability: evidence } = approach
  const graded = ragas.requested.map((metric): Line => {
    const value = ragas.scores[metric] ?? null
    const { state, reason } = scoreState(ragas, metric, evidence)
    return {
      metric,
      group: [ragas.evaluator_model ?? 'evaluator', ragas.evaluator_version].filter(Boolean).join(' '),
      value,
      state,
      reason: value === null ? [reason] : reasonLines(ragas.reasons[metric]),
    }
  })
  const measured = (
    group: string,
    part: { scores: Record<string, number>; reason: string | null; status: string },
  ): Line[] =>
    Object.keys(part.scores).length === 0
      ? [
          {
            group,
            metric: group,
            value: null,
            state: part.status === 'not_run' ? 'not_run' : 'not_evaluable',
            reason: part.reason === null ? [] : [reasonWords(part.reason, evidence).replaceAll('_', ' ')],
          },
        ]
      : Object.entries(part.scores).map(([metric, value]) => ({ group, metric, value, state: 'ok', reason: [] }))
  return [...graded, ...measured('retrieval', retrieval), ...(answer === undefined ? [] : measured('answer', answer))]
}

/** Every score with its reason, and every missing one with why. */
function ScoreTable({ row }: { row: CanonicalRow }) {
  return (
    <DataTable
      label={WORDS.tabs.scores}
      className={styles.scores}
      rows={linesOf(row)}
      keyOf={({ group, metric }) => group + metric}
      columns={[
        [WORDS.metric, ({ metric }) => metricName(metric)],
        [WORDS.state, ({ state }) => `${STATE_SIGNS[state].sign} ${STATE_SIGNS[state].word}`],
        [
          num(WORDS.scoreColumn),
          ({ group, value }) => (
            <>
              {group === 'answer' && <RefusalChip refusal={row.metrics.answer?.refusal} />} {score(value)}
            </>
          ),
        ],
        [WORDS.by, ({ group }) => group, 'dim'],
        [WORDS.reason, ({ reason }) => <ReasonLines lines={reason} />, table.wrap],
      ]}
    />
  )
}

const FIRST_LINES = 3

/** The first lines of a reason, the others on demand: the table stays a table. */
function ReasonLines({ lines }: { lines: readonly string[] }) {
  const list = (part: readonly string[]) => (
    <ul className="stack tight">
      {part.map((line, index) => (
        <li key={index}>
          <MarkedText text={line} />
        </li>
      ))}
    </ul>
  )
  const rest = lines.slice(FIRST_LINES)
  return (
    <>
      {list(lines.slice(0, FIRST_LINES))}
      {rest.length > 0 && (
        <details>
          <summary>{WORDS.reasons.more(rest.length)}</summary>
          {list(rest)}
        </details>
      )}
    </>
  )
}

/** The verdict of each judge of the panel on this answer. */
export function VerdictList({ verdicts }: { verdicts: readonly CellVerdict[] }) {
  return (
    <DataTable
      label={WORDS.verdicts}
      rows={verdicts}
      keyOf={({ judge }) => judge}
      columns={[
        [WORDS.judge, ({ judge }) => judge],
        [num(WORDS.grade), ({ score: grade }) => grade ?? '–'],
        [WORDS.best, ({ best }) => (best ? WORDS.isBest : '')],
        [WORDS.reason, ({ reason }) => <MarkedText text={reason ?? ''} />, table.wrap],
      ]}
    />
  )
}

function LeakList({ leaks }: { leaks: readonly PromptLeak[] }) {
  return (
    <ul>
      {leaks.map(({ kind, text, found_in: place }) => (
        <li key={`${kind} ${text} ${place}`}>
          “<MarkedText text={text} />”{' '}
          <span className="dim">
            {WORDS.leakKinds[kind]}, {WORDS.leakIn(place)}
          </span>
        </li>
      ))}
    </ul>
  )
}

function shownWords({ shown, withheld }: CellJudging): string[] {
  if (shown === null) return withheld.length > 0 ? [] : [WORDS.shownUnknown]
  if (!shown.answered) return [WORDS.unanswered]
  const words = []
  if (shown.capped) words.push(WORDS.capped(count(shown.characters)))
  if (shown.neutralized && withheld.length === 0) words.push(WORDS.neutralized)
  return words.length === 0 && withheld.length === 0 ? [WORDS.unchanged] : words
}

/** Shows what judges saw of an answer: what was withheld from it, or what blocked its question. */
export function JudgePreparation({ judging }: { judging: CellJudging }) {
  const { blocked, withheld } = judging
  return (
    <section className={styles.gold} aria-label={WORDS.shownToJudges}>
      <h3>{WORDS.shownToJudges}</h3>
      {blocked.length > 0 ? (
        <>
          <p>{WORDS.blocked}</p>
          <LeakList leaks={blocked} />
        </>
      ) : (
        <>
          {withheld.length > 0 && (
            <>
              <p>{WORDS.withheld}</p>
              <LeakList leaks={withheld} />
            </>
          )}
          {shownWords(judging).map((words) => (
            <p key={words} className="dim">
              {words}
            </p>
          ))}
        </>
      )}
    </section>
  )
}
