import { Tabs } from '@mantine/core'
import type { CellDetail } from '../../../contract/control/cells.ts'
import type { CellTab } from '../../app/search-params.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { duration, plural } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { AnswerBlock } from './answer-block.tsx'
import type { CellViewProps } from './cell-view.tsx'
import { ContextList } from './context-list.tsx'
import { EvidenceDiff } from './evidence-diff-view.tsx'
import { rankedContexts } from './evidence-diff.ts'
import { JudgePreparation } from './judge-preparation.tsx'
import { GoldList } from './gold-list.tsx'
import { OtherApproaches } from './other-approaches.tsx'
import { RefusalChip } from '../../components/refusal-chip.tsx'
import { PathView } from './path-view.tsx'
import { ProvenanceTable } from './provenance-table.tsx'
import { RawJson } from './raw-json.tsx'
import { ScoreTable } from './score-table.tsx'
import { TimingTable } from './timing-table.tsx'
import { VerdictList } from './verdict-list.tsx'
import styles from './cell.module.css'

const TAB_NAMES: Record<CellTab, string> = {
  evidence: 'Evidence',
  scores: 'Scores',
  path: 'Path',
  timing: 'Timing',
  provenance: 'Provenance',
  raw: 'Raw',
}

/** A cell of a run: question and answer above, evidence and figures in tabs. */
export function CanonicalCell(props: CellViewProps & { detail: Extract<CellDetail, { kind: 'canonical' }> }) {
  const { run, row, tab = 'evidence', against, metric, onTab, onAgainst, onOpen, actions, detail } = props
  const { row: cell, cuts, verdicts, judging } = detail
  const { question, approach, evidence, error } = cell
  const facts = question.gold.map(({ fact }) => fact)
  const comparing = against !== undefined && against !== approach.model
  return (
    <div className={styles.view}>
      <header className={styles.head}>
        <div className={styles.headRow}>
          <h2>
            <ApproachName alias={approach.model} base={approach.base_model} />
          </h2>
          <span className={styles.meta}>
            {question.id}
            {question.hops !== null && ` · ${plural(question.hops, 'hop')}`} ·{' '}
            {duration(cell.metrics.operational.latency_ms)}
            {cell.repeat !== undefined && ` · repetition ${cell.repeat}`} · {cell.dataset.label}
          </span>
          <span className={styles.actions}>{actions}</span>
        </div>
        <p className={styles.query}>
          <MarkedText text={question.query} />
        </p>
        <OtherApproaches
          {...{ run, row, against, onAgainst, model: approach.model }}
          metric={metric ?? cell.metrics.ragas.requested[0] ?? 'answer_relevancy'}
        />
      </header>
      {error !== null && (
        <div className={styles.failed} role="status">
          <strong>▲ {error.type.replaceAll('_', ' ')}</strong> <MarkedText text={error.message} />
        </div>
      )}
      {comparing ? (
        <EvidenceDiff {...{ run, row, against, onOpen, facts }} here={cell} />
      ) : (
        <div className={styles.columns}>
          <AnswerBlock
            key={cell.row_id}
            {...{ evidence, cuts, run, row }}
            state={<RefusalChip refusal={cell.metrics.answer?.refusal} />}
          />
          <div className={styles.block}>
            <h3>{question.answerable ? 'Ground truth' : 'Not answerable: what is missing'}</h3>
            <div className={styles.box}>
              {question.ground_truth === null ? (
                <span className="dim">nobody wrote one</span>
              ) : (
                <MarkedText text={question.ground_truth} />
              )}
            </div>
          </div>
        </div>
      )}
      <Tabs value={tab} onChange={(value) => value !== null && onTab(value as CellTab)} keepMounted={false}>
        <Tabs.List>
          {(Object.keys(TAB_NAMES) as CellTab[]).map((value) => (
            <Tabs.Tab key={value} value={value}>
              {TAB_NAMES[value]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="evidence" pt={12}>
          <GoldList
            gold={question.gold}
            contexts={approach.evidence_capability === 'answer_only' || evidence === null ? null : evidence.contexts}
          />
          <ContextList contexts={evidence === null ? [] : rankedContexts(evidence)} facts={facts} approach={approach} />
        </Tabs.Panel>
        <Tabs.Panel value="scores" pt={12}>
          <ScoreTable row={cell} />
          {verdicts.length > 0 && <VerdictList verdicts={verdicts} />}
          {judging !== null && <JudgePreparation judging={judging} />}
        </Tabs.Panel>
        <Tabs.Panel value="path" pt={12}>
          <PathView metadata={evidence?.approach_metadata} />
        </Tabs.Panel>
        <Tabs.Panel value="timing" pt={12}>
          <TimingTable operational={cell.metrics.operational} />
        </Tabs.Panel>
        <Tabs.Panel value="provenance" pt={12}>
          <ProvenanceTable row={cell} />
        </Tabs.Panel>
        <Tabs.Panel value="raw" pt={12}>
          <RawJson value={cell} />
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}
