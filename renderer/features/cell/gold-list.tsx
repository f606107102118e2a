import type { RowQuestion } from '../../../contract/evidence/canonical-row.ts'
import { plural } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { factSpans } from './text-match.ts'
import styles from './cell.module.css'

interface GoldListProps {
  gold: RowQuestion['gold']
  /** Null where no passages came with the answer: an approach that does not return them, or a failed cell. */
  contexts: readonly string[] | null
}

/** The facts that the answer needs, and the first context that holds each, word for word. */
export function GoldList({ gold, contexts }: GoldListProps) {
  if (gold.length === 0) return <p className="dim">This question names no facts that an answer needs.</p>
  if (contexts === null)
    return (
      <section className={styles.gold} aria-label="Gold facts">
        <h3>Gold facts in the contexts: ○ not measurable</h3>
        <p className="dim">
          No passages came with this answer, so it cannot be said which of the {plural(gold.length, 'gold fact')} they
          held.
        </p>
      </section>
    )
  const places = gold.map(({ fact }) => contexts.findIndex((text) => factSpans(text, fact).length > 0))
  const found = places.filter((place) => place >= 0).length
  return (
    <section className={styles.gold} aria-label="Gold facts">
      <h3>
        {found} of {gold.length} gold facts in the contexts
      </h3>
      <ol>
        {gold.map(({ document, fact }, index) => (
          <li key={index}>
            <span className={styles.goldPlace}>
              {places[index]! < 0 ? '○ not found' : `● rank ${places[index]! + 1}`}
            </span>
            <span>
              <MarkedText text={fact} /> <span className="dim">{document}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
