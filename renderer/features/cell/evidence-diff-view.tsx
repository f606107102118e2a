import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { plural } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { compareContexts, rankedContexts } from './evidence-diff.ts'
import { wordDiff } from './word-diff.ts'
import { ContextList } from './context-list.tsx'
import styles from './cell.module.css'

interface EvidenceDiffProps {
  run: string
  row: string
  here: CanonicalRow
  against: string
  facts: readonly string[]
  onOpen: (row: string) => void
}

/** Two answers to one question and their contexts, side by side. */
export function EvidenceDiff({ run, row, here, against, facts, onOpen }: EvidenceDiffProps) {
  const others = useQuery(api.cells.others.queryOptions({ input: { run_id: run, row_id: row } }))
  const otherRow = others.data?.cells.find(({ model }) => model === against)?.row_id ?? null
  const other = useQuery({
    ...api.cells.get.queryOptions({ input: { run_id: run, row_id: otherRow ?? '' } }),
    enabled: otherRow !== null,
  })
  const error = others.error ?? other.error
  if (error !== null) return <ErrorPanel error={error} what={`The cell of ${against}`} />
  if (others.isSuccess && otherRow === null) return <p className="dim">{against} has no row for this question yet.</p>
  if (other.data === undefined) return <LoadingRows rows={8} />
  if (other.data.kind !== 'canonical')
    return <p className="dim">The other cell is of a snapshot and holds no contexts.</p>
  const there = other.data.row
  const [mine, theirs] = [here, there].map(({ evidence }) => (evidence === null ? [] : rankedContexts(evidence)))
  const words =
    here.evidence === null || there.evidence === null ? null : wordDiff(here.evidence.answer, there.evidence.answer)
  const sides = [
    { cell: here, contexts: compareContexts(mine!, theirs!), only: words?.onlyA },
    { cell: there, contexts: compareContexts(theirs!, mine!), only: words?.onlyB },
  ]
  const shared = sides[0]!.contexts.filter(({ otherRank }) => otherRank !== null).length
  return (
    <section className={styles.block} aria-label="Evidence side by side">
      <p>
        {plural(shared, 'context')} in both · {mine!.length - shared} only {here.approach.model} ·{' '}
        {theirs!.length - shared} only {there.approach.model}
        {words !== null &&
          (words.onlyA.length + words.onlyB.length === 0
            ? ' · the answers have the same words'
            : ` · ${plural(words.same, 'word')} of the answers in both, underlined: only here`)}
      </p>
      <div className={styles.columns}>
        {sides.map(({ cell, contexts, only }) => (
          <div key={cell.row_id} className={styles.block}>
            <div className={styles.headRow}>
              <h2>
                <ApproachName alias={cell.approach.model} base={cell.approach.base_model} />
              </h2>
              {cell !== here && (
                <Button variant="default" size="compact-xs" onClick={() => onOpen(cell.row_id)}>
                  Open this cell
                </Button>
              )}
            </div>
            <div className={styles.box}>
              {cell.evidence === null ? (
                <span className="dim">no answer</span>
              ) : (
                <MarkedText text={cell.evidence.answer} spans={only ?? []} tone="only" />
              )}
            </div>
            <ContextList contexts={contexts} facts={facts} approach={cell.approach} />
          </div>
        ))}
      </div>
    </section>
  )
}
