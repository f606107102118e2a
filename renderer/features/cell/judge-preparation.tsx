import type { CellJudging } from '../../../contract/control/cells.ts'
import type { PromptLeak } from '../../../contract/evidence/judgments.ts'
import { count } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import styles from './cell.module.css'

const WORDS = {
  title: 'Shown to the judges',
  blocked: '▲ No judge was shown this question: its prompt would have named an approach.',
  withheld: 'Withheld from this answer, because it names an approach:',
  unchanged: 'The judges saw this answer as it is.',
  capped: 'The judges saw the beginning of this answer:',
  neutralized: 'Characters that could pass for a delimiter of the prompt were replaced.',
  unanswered: 'The judges saw “no answer”: the cell failed.',
  unknown: 'The judgments do not say what the judges saw of this answer.',
} as const

const KINDS: Record<PromptLeak['kind'], string> = {
  alias: 'name of an approach',
  engine: 'name of a product',
  source_marker: 'source marker',
  metrics_footer: 'metrics line',
}

const PLACES: Record<string, string> = { question: 'in the question', reference: 'in the ground truth' }

function LeakList({ leaks }: { leaks: readonly PromptLeak[] }) {
  return (
    <ul>
      {leaks.map(({ kind, text, found_in: place }) => (
        <li key={`${kind} ${text} ${place}`}>
          “<MarkedText text={text} />”{' '}
          <span className="dim">
            {KINDS[kind]}, {PLACES[place] ?? `in the answer of ${place}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

function shownWords({ shown, withheld }: CellJudging): string[] {
  if (shown === null) return withheld.length > 0 ? [] : [WORDS.unknown]
  if (!shown.answered) return [WORDS.unanswered]
  const words = []
  if (shown.capped) words.push(`${WORDS.capped} ${count(shown.characters)} characters.`)
  if (shown.neutralized && withheld.length === 0) words.push(WORDS.neutralized)
  return words.length === 0 && withheld.length === 0 ? [WORDS.unchanged] : words
}

/** What judges saw of an answer: what was withheld from it, or what blocked its question. */
export function JudgePreparation({ judging }: { judging: CellJudging }) {
  const { blocked, withheld } = judging
  return (
    <section className={styles.gold} aria-label={WORDS.title}>
      <h3>{WORDS.title}</h3>
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
