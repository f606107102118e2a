import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { CanonicalRow, RowApproach, RowQuestion } from '../../../contract/evidence/canonical-row.ts'
import { type BudgetEnd, budgetEnd } from '../../../core/evidence/budget-end.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { count, plural, score } from '../../components/format.ts'
import { directionOf } from '../../components/light-markup.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { CELL_WORDS as WORDS } from './cell-words.ts'
import { type ComparedContext, compareContexts, moveText, type RankedContext, rankedContexts } from './evidence-diff.ts'
import { factSpans } from '../../components/text-match.ts'
import { wordDiff } from './word-diff.ts'
import styles from './cell.module.css'

interface EvidenceTabProps {
  row: CanonicalRow
  /** Rank of the first context that holds each gold fact, null for one that none holds; null where that is unknown. */
  goldRanks: readonly (number | null)[] | null
}

/** The gold facts of a question and the contexts of its answer, or the passages that an engine of its own reports as used. */
export function EvidenceTab({ row: { question, approach, evidence }, goldRanks }: EvidenceTabProps) {
  const used = evidence?.contexts.length === 0 ? evidence.used_passages : undefined
  const shown =
    used === undefined ? evidence : { contexts: used.map(({ text, snippet }) => text ?? snippet), sources: used }
  return (
    <>
      <GoldList gold={question.gold} ranks={goldRanks} />
      {used !== undefined && used.length > 0 && <p className="dim">{WORDS.usedPassages}</p>}
      <ContextList
        contexts={shown === null ? [] : rankedContexts(shown)}
        facts={question.gold.flatMap(({ fact }) => fact ?? [])}
        approach={approach}
        end={evidence === null ? null : budgetEnd(evidence)}
      />
    </>
  )
}

interface GoldListProps {
  gold: RowQuestion['gold']
  ranks: EvidenceTabProps['goldRanks']
}

/** The facts that the answer needs, and the first context that holds each. */
function GoldList({ gold, ranks }: GoldListProps) {
  if (gold.length === 0) return <p className="dim">{WORDS.noGold}</p>
  if (ranks === null)
    return (
      <section className={styles.gold} aria-label={WORDS.gold}>
        <h3>{WORDS.goldNotMeasurable}</h3>
        <p className="dim">{WORDS.goldWithoutContexts(plural(gold.length, 'gold fact'))}</p>
      </section>
    )
  const found = ranks.filter((rank) => rank !== null).length
  return (
    <section className={styles.gold} aria-label={WORDS.gold}>
      <h3>{WORDS.goldFound(found, gold.length)}</h3>
      <ol>
        {gold.map(({ document, fact }, index) => (
          <li key={index}>
            <span className={styles.goldPlace}>
              {typeof ranks[index] === 'number' ? WORDS.goldRank(ranks[index]) : WORDS.goldNotFound}
            </span>
            <span>
              {fact === undefined ? WORDS.goldDocument : <MarkedText text={fact} />}{' '}
              <span className="dim">{document}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

interface ContextListProps {
  contexts: readonly (RankedContext | ComparedContext)[]
  facts: readonly string[]
  approach: Pick<RowApproach, 'evidence_capability'>
  /** Null where no context budget ends in these contexts. */
  end: BudgetEnd | null
}

/** Contexts in the order of the prompt, gold facts underlined. */
function ContextList({ contexts, facts, approach, end }: ContextListProps) {
  if (contexts.length === 0)
    return <p className="dim">{approach.evidence_capability === 'answer_only' ? WORDS.answerOnly : WORDS.noContexts}</p>
  return (
    <ol className="stack snug">
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
                {context.document ?? WORDS.noSource}
                {context.chunk !== null && ` · ${WORDS.chunk(context.chunk)}`}
              </span>
              <span className={styles.spacer} />
              {'otherRank' in context && <span>{moveText(context)}</span>}
              {hits.length > 0 && <span>{WORDS.holdsGold}</span>}
              {context.score !== null && !('otherRank' in context) && (
                <span className="dim">{WORDS.score(score(context.score))}</span>
              )}
            </header>
            <div tabIndex={0} role="region" aria-label={WORDS.context(context.rank)} dir={directionOf(context.text)}>
              <MarkedText text={context.text} spans={hits} isMarkdown />
            </div>
            {context.rank === end?.rank && <footer>{WORDS.budgetEnds(count(end.budget))}</footer>}
          </li>
        )
      })}
    </ol>
  )
}

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
  if (error !== null) return <ErrorPanel error={error} what={WORDS.otherCell(against)} />
  if (others.isSuccess && otherRow === null) return <p className="dim">{WORDS.noOtherRow(against)}</p>
  if (other.data === undefined) return <LoadingRows rows={8} />
  if (other.data.kind !== 'canonical') return <p className="dim">{WORDS.otherIsSnapshot}</p>
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
    <section className={styles.block} aria-label={WORDS.sideBySide}>
      <p>
        {WORDS.inBoth(
          plural(shared, 'context'),
          mine!.length - shared,
          here.approach.model,
          theirs!.length - shared,
          there.approach.model,
        )}
        {words !== null &&
          (words.onlyA.length + words.onlyB.length === 0
            ? WORDS.sameWords
            : WORDS.wordsInBoth(plural(words.same, 'word')))}
      </p>
      <div className={styles.columns}>
        {sides.map(({ cell, contexts, only }) => (
          <div key={cell.row_id} className={styles.block}>
            <div className={styles.headRow}>
              <h2>
                <ApproachName alias={cell.approach.model} base={cell.approach.base_model} />
              </h2>
              {cell !== here && (
                <Button size="compact-xs" onClick={() => onOpen(cell.row_id)}>
                  {WORDS.openOther}
                </Button>
              )}
            </div>
            <div className="box" dir={directionOf(cell.evidence?.answer ?? '')}>
              {cell.evidence === null ? (
                <span className="dim">{WORDS.noAnswer}</span>
              ) : (
                <MarkedText text={cell.evidence.answer} spans={only ?? []} tone="only" isMarkdown />
              )}
            </div>
            <ContextList
              contexts={contexts}
              facts={facts}
              approach={cell.approach}
              end={cell.evidence === null ? null : budgetEnd(cell.evidence)}
            />
          </div>
        ))}
      </div>
    </section>
  )
}
