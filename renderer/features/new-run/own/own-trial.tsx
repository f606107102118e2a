import type { OwnTrial } from '../../../../contract/control/own-approaches.ts'
import { duration } from '../../../components/format.ts'
import { DataTable } from '../../../components/tables.tsx'
import table from '../../../components/table.module.css'
import { RowButton } from '../../../components/row-button.tsx'
import styles from '../new-run.module.css'
import { OWN_APPROACH_WORDS } from './own-approach-words.ts'

const WORDS = OWN_APPROACH_WORDS.trial

export type PathUse = 'answer' | 'text' | 'document'

interface OwnTrialViewProps {
  trial: OwnTrial
  /** Lists the uses of a path of the reply: nothing where a preset or a program maps it. */
  uses: readonly PathUse[]
  onUse: (use: PathUse, path: string) => void
}

const LABELS = {
  answer: [WORDS.asAnswer, WORDS.asAnswerOf],
  text: [WORDS.asText, WORDS.asTextOf],
  document: [WORDS.asDocument, WORDS.asDocumentOf],
} as const

/** Shows a test: answer, passages, time, what a run could not measure, and the reply to choose paths in. */
export function OwnTrialView({ trial, uses, onUse }: OwnTrialViewProps) {
  const { problem, answer, passages, paths, log, passage_count: count, text_tokens: tokens } = trial
  return (
    <section aria-label={WORDS.title} className={styles.trial}>
      <p role="status">
        {problem === null ? (
          <>
            <strong>{WORDS.answer}</strong> {answer ?? WORDS.fromPassages}
          </>
        ) : (
          <>
            <strong className="bad">▲ {WORDS.noAnswer}</strong> {problem}
          </>
        )}
      </p>
      {problem === null && <p className="dim">{WORDS.summary(duration(trial.latency_ms), count, tokens)}</p>}
      {passages !== null && passages.length > 0 && (
        <ol className={styles.passages}>
          {passages.map(({ text, title, document, score }, index) => (
            <li key={index}>
              <strong>{document ?? title}</strong>
              {score !== null && ` (${score})`} {text.slice(0, 200)}
            </li>
          ))}
        </ol>
      )}
      {trial.not_evaluable.map((line) => (
        <p key={line}>
          ○ {WORDS.notEvaluable} {line}
        </p>
      ))}
      {log !== '' && (
        <details>
          <summary>{WORDS.log}</summary>
          <pre>{log}</pre>
        </details>
      )}
      {uses.length > 0 && paths.length > 0 && (
        <DataTable
          label={WORDS.reply}
          rows={paths}
          keyOf={({ path }) => path}
          columns={[
            [WORDS.path, ({ path }) => <code>{path}</code>],
            [WORDS.value, ({ value }) => value, table.wrap],
            [
              WORDS.use,
              ({ path }) => (
                <div className="row">
                  {uses.map((use) => (
                    <RowButton
                      key={use}
                      size="compact-xs"
                      label={LABELS[use][0]}
                      name={LABELS[use][1](path)}
                      onClick={() => onUse(use, path)}
                    />
                  ))}
                </div>
              ),
            ],
          ]}
        />
      )}
    </section>
  )
}
