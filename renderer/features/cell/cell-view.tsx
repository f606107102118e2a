import { Button, Tabs } from '@mantine/core'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { CellDetail, OtherCell } from '../../../contract/control/cells.ts'
import type { CellCut } from '../../../contract/control/run-index/cell.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { RowEvidence } from '../../../contract/evidence/canonical-row.ts'
import { FIRST_METRIC } from '../../../contract/metrics/metrics.ts'
import type { CellTab } from '../../app/search-params.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { STATE_SIGNS } from '../../components/cell-state.ts'
import { count, duration, metricName, metricValue, plural } from '../../components/format.ts'
import { directionOf, markupOf } from '../../components/light-markup.ts'
import { budgetEnd } from '../../../core/evidence/budget-end.ts'
import { diagnose, OUTCOME_SIGNS } from '../../../core/evidence/cell-diagnosis.ts'
import { failureMessage } from '../../../core/role-words.ts'
import { MarkedText, PlainPart } from '../../components/marked-text.tsx'
import { RefusalChip } from '../../components/refusal-chip.tsx'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { Citations } from '../../../contract/evidence/rag-extension.ts'
import { api, control } from '../../data/client.ts'
import { useLeadingMetric } from '../../data/leading-metric.ts'
import { paidWords } from './call-times.tsx'
import { CellNoteForm } from './cell-note.tsx'
import { CELL_WORDS as WORDS } from './cell-words.ts'
import { EvidenceDiff, EvidenceTab } from './evidence-tab.tsx'
import { ProvenanceTable, RawJson } from './row-tabs.tsx'
import { valueOf } from './score-state.ts'
import { ScoresTab, VerdictList } from './scores-tab.tsx'
import { supportedSentences } from '../../components/text-match.ts'
import { TraceTab } from './trace-tab.tsx'
import marked from '../../components/marked-text.module.css'
import styles from './cell.module.css'

/** A cell by run and row, with what is chosen in it. */
interface CellViewProps {
  run: string
  row: string
  tab?: CellTab | undefined
  /** Alias that the evidence is compared with. */
  against?: string | undefined
  /** Metric that the matrix shows; absent: the primary one of the run. */
  metric?: IndexMetric | undefined
  onTab: (tab: CellTab) => void
  onAgainst: (alias: string | undefined) => void
  onOpen: (row: string) => void
  actions: ReactNode
}

/** One cell in full: of a run, or of a published snapshot. */
export function CellView(props: CellViewProps) {
  const { run, row, actions } = props
  const cell = useQuery({
    ...api.cells.get.queryOptions({ input: { run_id: run, row_id: row } }),
    placeholderData: keepPreviousData,
  })
  if (cell.isError)
    return (
      <div className={styles.view}>
        <div className={styles.headRow}>
          <h2>{WORDS.answer}</h2>
          <span className={styles.spacer} />
          {actions}
        </div>
        <ErrorPanel error={cell.error} what={WORDS.theCell} retry={() => void cell.refetch()} />
      </div>
    )
  if (cell.data === undefined)
    return (
      <div className={styles.view}>
        <LoadingRows rows={16} height={32} />
      </div>
    )
  if (cell.data.kind === 'canonical') return <CanonicalCell {...props} detail={cell.data} />
  return (
    <div className={styles.view}>
      <div className={styles.headRow}>
        <h2>{WORDS.snapshot}</h2>
        <span className={styles.spacer} />
        {actions}
      </div>
      <p className="dim">{WORDS.snapshotNote}</p>
      <Tabs defaultValue="raw">
        <Tabs.List>
          <Tabs.Tab value="raw">{WORDS.raw}</Tabs.Tab>
          {cell.data.verdicts.length > 0 && <Tabs.Tab value="verdicts">{WORDS.verdicts}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="raw" pt={12}>
          <RawJson value={cell.data.cell} />
        </Tabs.Panel>
        <Tabs.Panel value="verdicts" pt={12}>
          <VerdictList verdicts={cell.data.verdicts} />
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}

const ANSWER_PATH = 'evidence.answer'

/** A cell of a run: what went right or wrong, the answer beside the reference, then evidence and figures in tabs. */
function CanonicalCell(props: CellViewProps & { detail: Extract<CellDetail, { kind: 'canonical' }> }) {
  const { run, row, tab = 'evidence', against, metric, onTab, onAgainst, onOpen, actions, detail } = props
  const { row: cell, cuts, verdicts, judging, gold_ranks: goldRanks, gold_paths: goldPaths, cost } = detail
  const { question, approach, evidence, error } = cell
  const facts = question.gold.flatMap(({ fact }) => fact ?? [])
  const comparing = against !== undefined && against !== approach.model
  const leading = useLeadingMetric(run)
  const others = useQuery(api.cells.others.queryOptions({ input: { run_id: run, row_id: row } })).data?.cells ?? []
  const isAnswerPartial = cuts.some(({ path }) => path.join('.') === ANSWER_PATH)
  const bodies: Record<CellTab, () => ReactNode> = {
    evidence: () => <EvidenceTab row={cell} goldRanks={goldRanks} />,
    scores: () => <ScoresTab row={cell} verdicts={verdicts} judging={judging} />,
    path: () => <TraceTab run={run} cell={cell} cuts={cuts} cost={cost} />,
    provenance: () => <ProvenanceTable row={cell} />,
    raw: () => <RawJson value={cell} />,
  }
  const { outcome, lead, rest } = diagnose({
    row: cell,
    goldRanks,
    goldPaths,
    isAnswerPartial,
    budgetEnd: evidence === null ? null : budgetEnd(evidence),
    others,
  })
  return (
    <div className={styles.view}>
      <header className={styles.head}>
        <div className={styles.headRow}>
          <h2>
            <ApproachName alias={approach.model} base={approach.base_model} />
          </h2>
          <span className="dim ellipsis">
            {question.id}
            {question.hops !== null && ` · ${plural(question.hops, 'hop')}`} ·{' '}
            {[duration(cell.metrics.operational.latency_ms), ...paidWords(cost)].join(' · ')}
            {cell.repeat !== undefined && ` · ${WORDS.repetition(cell.repeat)}`} · {cell.dataset.label}
          </span>
          <span className="row nowrap">{actions}</span>
        </div>
        <p className={styles.query} dir={directionOf(question.query)}>
          <MarkedText text={question.query} />
        </p>
        <p className={styles.diagnosis} data-outcome={outcome} role="note" aria-label={WORDS.diagnosis}>
          <span aria-hidden="true">{OUTCOME_SIGNS[outcome]}</span>
          <span>
            <strong>{lead}</strong> {rest} {error !== null && <MarkedText text={failureMessage(error.message)} />}
          </span>
        </p>
      </header>
      {comparing ? (
        <EvidenceDiff {...{ run, row, against, onOpen, facts }} here={cell} />
      ) : (
        <div className={styles.columns} dir={directionOf(question.query)}>
          <AnswerBlock
            key={cell.row_id}
            {...{ evidence, cuts, run, row }}
            state={<RefusalChip refusal={cell.metrics.answer?.refusal} />}
          />
          <div className={styles.block}>
            <h3>{question.answerable ? WORDS.groundTruth : WORDS.notAnswerable}</h3>
            <div className="box">
              {question.ground_truth === null ? (
                <span className="dim">{WORDS.noGroundTruth}</span>
              ) : (
                <MarkedText text={question.ground_truth} />
              )}
            </div>
          </div>
        </div>
      )}
      <OtherApproaches
        {...{ others, against, onAgainst, model: approach.model }}
        metric={metric ?? leading ?? FIRST_METRIC}
      />
      <CellNoteForm run={run} row={cell.row_id} />
      <Tabs value={tab} onChange={(value) => value !== null && onTab(value as CellTab)} keepMounted={false}>
        <Tabs.List>
          {(Object.keys(WORDS.tabs) as CellTab[]).map((value) => (
            <Tabs.Tab key={value} value={value}>
              {WORDS.tabs[value]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} pt={12}>
          {bodies[tab]()}
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}

interface AnswerBlockProps {
  evidence: RowEvidence | null
  cuts: readonly CellCut[]
  run: string
  row: string
  /** Beside the heading. */
  state: ReactNode
}

/** Longer answers are not shaded: matching their words would block the page. */
const SHADED_CHARACTERS = 40_000

/** The answer, its sentences shaded by whether a context has their words. A button reads on in a cut answer. */
function AnswerBlock({ evidence, cuts, run, row, state }: AnswerBlockProps) {
  const cut = cuts.find(({ path, kind }) => kind === 'text' && path.join('.') === ANSWER_PATH)
  const [more, setMore] = useState('')
  const readOn = useMutation({
    mutationFn: (offset: number) => control.cells.answerSlice({ run_id: run, row_id: row, offset }),
    onSuccess: ({ text }) => setMore((before) => before + text),
    meta: { failed: WORDS.readingOn },
  })
  const answer = evidence === null ? '' : evidence.answer + more
  const missing = Citations.safeParse(evidence?.approach_metadata?.['citations']).data?.missing ?? []
  const shaded = answer.length <= SHADED_CHARACTERS
  const markup = markupOf(shaded ? answer : '')
  return (
    <div className={styles.block}>
      <h3>
        {WORDS.answer} {state}
      </h3>
      <div className="box">
        {evidence === null && <span className="dim">{WORDS.noAnswer}</span>}
        <bdi className={marked.text}>
          {shaded
            ? supportedSentences(answer, evidence?.contexts ?? []).map(({ start, end, supported }) => (
                <span key={start} className={styles.sentence} data-supported={supported ?? undefined}>
                  <PlainPart {...{ start, end, markup }} text={answer} />
                </span>
              ))
            : answer}
        </bdi>
      </div>
      {missing.length > 0 && <p>▲ {WORDS.uncitable(missing)}</p>}
      {evidence?.unreadable_characters !== undefined && <p>▲ {WORDS.unreadable(evidence.unreadable_characters)}</p>}
      {shaded && (evidence?.contexts.length ?? 0) > 0 && <p className="dim">{WORDS.shading}</p>}
      {cut !== undefined && answer.length < cut.total && (
        <Button loading={readOn.isPending} onClick={() => readOn.mutate(answer.length)}>
          {WORDS.readOn(count(answer.length), count(cut.total))}
        </Button>
      )}
    </div>
  )
}

interface OtherApproachesProps {
  /** Empty while they load. */
  others: readonly OtherCell[]
  model: string
  /** The metric whose values the chips show. */
  metric: IndexMetric
  against: string | undefined
  onAgainst: (alias: string | undefined) => void
}

/** The same question in all aliases of the run with their values of one metric; choosing one compares the evidence. */
function OtherApproaches({ others, model, metric, against, onAgainst }: OtherApproachesProps) {
  return (
    <div className="row snug" role="group" aria-label={WORDS.others}>
      <span className={styles.chipMetric}>{metricName(metric)}</span>
      {others.map((cell) => {
        const { model: alias, base_model: base, row_id: other, status } = cell
        const value = valueOf(cell, metric)
        return (
          <button
            key={alias}
            type="button"
            className={styles.chip}
            disabled={alias === model || other === null}
            aria-pressed={alias === against}
            title={alias === model ? WORDS.thisCell : WORDS.compareWith(alias)}
            onClick={() => onAgainst(alias === against ? undefined : alias)}
          >
            <ApproachName alias={alias} base={base} short />
            {other === null ? (
              <span>{WORDS.missing}</span>
            ) : status === 'timeout' ? (
              <span>
                {STATE_SIGNS.timeout.sign} {STATE_SIGNS.timeout.word}
              </span>
            ) : status !== 'ok' ? (
              <span>
                {STATE_SIGNS.error.sign} {status}
              </span>
            ) : value === null ? (
              <span title={WORDS.noValue(metricName(metric))}>{STATE_SIGNS.not_evaluable.sign}</span>
            ) : (
              <span>{metricValue(metric, value)}</span>
            )}
          </button>
        )
      })}
    </div>
  )
}
