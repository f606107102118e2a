import { useQuery } from '@tanstack/react-query'
import type { Verdict } from '../../../contract/evidence/verdict.ts'
import { cloudWords } from '../../../core/evidence/cloud-use.ts'
import { api } from '../../data/client.ts'
import styles from './result.module.css'
import { NextStepLine } from '../../components/next-step.tsx'
import { SampleMark, useSamples } from '../../components/run-marks.tsx'
import { Loaded, Panel } from '../../components/states.tsx'
import { Happening } from '../run/happening.tsx'
import { MissingNote, useCanBeScored } from '../ladder/missing-columns.tsx'
import { RESULT_WORDS as WORDS } from './result-words.ts'
import { WhereTheyDiffer } from './where-they-differ.tsx'

interface VerdictViewProps {
  verdict: Verdict
  run: string
  /** Questions on which approaches differ that are listed below it; 0 for none. */
  differing: number
  /** Its next step is the button of the page that comes first. */
  isPrimary: boolean
}

/** What to take is strong; what it costs and gives away follows in the weight of the text. */
function Recommendation({ text }: { text: string }) {
  const [taken = ''] = text.split(':', 1)
  return (
    <p>
      <span className="strong">{taken}</span>
      {text.slice(taken.length)}
    </p>
  )
}

/** The headline large with why and what to take; beside it, or below in a narrow panel, behaviour and what else to know; then the next step. */
function VerdictView({ verdict, run, differing, isPrimary }: VerdictViewProps) {
  const { sign, name } = WORDS.kinds[verdict.kind]
  return (
    <article className={styles.verdict} data-kind={verdict.kind} aria-label={verdict.label}>
      <div className={styles.statement}>
        <h3>
          {verdict.label}
          <span className={styles.state}>
            <span aria-hidden="true">{sign}</span> {name}
          </span>
          {verdict.questions !== null && <span className={styles.questions}>{WORDS.scored(verdict.questions)}</span>}
        </h3>
        <p className={styles.headline}>{verdict.headline}</p>
        <p>{verdict.why}</p>
        {verdict.recommendation !== null && <Recommendation text={verdict.recommendation} />}
      </div>
      <div className={styles.details}>
        {verdict.notes.length > 0 && (
          <ul>
            {verdict.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
        <NextStepLine next={verdict.next} isPrimary={isPrimary} />
      </div>
      {differing > 0 && <WhereTheyDiffer {...{ run, verdict }} most={differing} />}
    </article>
  )
}

/** Questions that are listed below a verdict: fewer where it has others beside it. */
const [FEW_QUESTIONS, MOST_QUESTIONS] = [3, 5]

interface RunResultPanelProps {
  run: string
  /** Its verdict comes first. */
  dataset?: string
  listsQuestions?: boolean
  /** Nothing beside it has a button that comes first. */
  isPrimary?: boolean
}

/** Shows the verdict of each dataset of a run: the same statements as in the terminal and in reports. */
export function RunResultPanel({ run, dataset, listsQuestions = false, isPrimary = true }: RunResultPanelProps) {
  const isSample = useSamples().has(run)
  const lacksScores = useCanBeScored(run)
  const result = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const { data } = result
  const verdicts = (data?.verdicts ?? []).toSorted(
    (a, b) => Number(b.dataset === dataset) - Number(a.dataset === dataset),
  )
  return (
    <Panel title={WORDS.result(run)} aside={<SampleMark run={run} />}>
      <Loaded query={result} what={WORDS.what} rows={3} />
      {data !== undefined && (
        <div className={styles.result}>
          {isSample && (
            <p role="note" className="dim">
              {WORDS.sample}
            </p>
          )}
          {data.age !== null && <p role="note">{data.age}</p>}
          <MissingNote {...{ run, isPrimary }} />
          {verdicts.map((verdict, index) => (
            <VerdictView
              key={verdict.dataset}
              {...{ verdict, run }}
              isPrimary={isPrimary && !lacksScores && index === 0}
              differing={!listsQuestions ? 0 : verdicts.length > 1 ? FEW_QUESTIONS : MOST_QUESTIONS}
            />
          ))}
          {verdicts.length === 0 && (
            <Happening run={run}>
              <p className="dim">{WORDS.noSummary}</p>
            </Happening>
          )}
          {verdicts.length > 0 && data.pending.length > 0 && (
            <Happening run={run}>
              <p className="dim">{WORDS.pending(data.pending)}</p>
            </Happening>
          )}
          {data.levels.length > 0 && (
            <details className="dim">
              <summary>{WORDS.levels}</summary>
              <ul>
                {data.levels.map((level) => (
                  <li key={level}>{level}</li>
                ))}
              </ul>
            </details>
          )}
          {data.cloud.length > 0 && <p>{cloudWords(data.cloud)}</p>}
          {data.caution !== null && <p className="dim">{data.caution}</p>}
        </div>
      )}
    </Panel>
  )
}
