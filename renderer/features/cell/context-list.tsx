import type { RowApproach } from '../../../contract/evidence/canonical-row.ts'
import { score } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { type ComparedContext, moveText, type RankedContext } from './evidence-diff.ts'
import { factSpans } from './text-match.ts'
import styles from './cell.module.css'

interface ContextListProps {
  contexts: readonly (RankedContext | ComparedContext)[]
  facts: readonly string[]
  approach: Pick<RowApproach, 'evidence_capability'>
}

/** Contexts in the order in which they stood in the prompt, gold facts underlined. */
export function ContextList({ contexts, facts, approach }: ContextListProps) {
  if (contexts.length === 0)
    return (
      <p className="dim">
        {approach.evidence_capability === 'answer_only'
          ? 'This approach answers without telling its contexts; metrics that need them cannot be measured.'
          : 'No context came with this answer.'}
      </p>
    )
  return (
    <ol className={styles.contexts}>
      {contexts.map((context) => {
        const hits = facts.flatMap((fact) => factSpans(context.text, fact))
        return (
          <li
            key={context.rank}
            className={styles.context}
            data-only={'otherRank' in context && context.otherRank === null}
          >
            <header>
              <strong>{context.rank}</strong>
              <span className={styles.source} title={context.document ?? undefined}>
                {context.document ?? 'source not told'}
                {context.chunk !== null && ` · chunk ${context.chunk}`}
              </span>
              <span className={styles.spacer} />
              {'otherRank' in context && <span>{moveText(context)}</span>}
              {hits.length > 0 && <span>● gold</span>}
              {context.score !== null && !('otherRank' in context) && (
                <span className="dim">score {score(context.score)}</span>
              )}
            </header>
            <div tabIndex={0} role="region" aria-label={`Context ${context.rank}`}>
              <MarkedText text={context.text} spans={hits} />
            </div>
          </li>
        )
      })}
    </ol>
  )
}
