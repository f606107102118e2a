import type { ReactNode } from 'react'
import { lookOf } from '../../../charts/look.ts'
import type { CellCut } from '../../../contract/control/run-index/cell.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { DataTable, num } from '../../components/tables.tsx'
import { FigureList } from '../../components/figure-list.tsx'
import { count, duration, meanWords } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import table from '../../components/table.module.css'
import { approachPath, type PathBudget, type PathStep } from './approach-path.ts'
import { CELL_WORDS as WORDS } from './cell-words.ts'
import { RawJson } from './row-tabs.tsx'
import { TraceTree } from './trace-tree.tsx'
import styles from './cell.module.css'

function Figures({ figures }: { figures: [string, string | number][] }) {
  const shown = figures.map(([name, value]) => [name, typeof value === 'number' ? meanWords(value, 2) : value] as const)
  return <FigureList figures={shown} className={styles.figures} />
}

function Trajectory({ steps }: { steps: PathStep[] }) {
  if (steps.length === 0) return <p className="dim">{WORDS.noTool}</p>
  return (
    <DataTable
      label={WORDS.trajectory}
      rows={steps.map((step, at) => ({ ...step, at }))}
      keyOf={({ at }) => at}
      nameAt={1}
      columns={[
        [num(WORDS.steps.turn), ({ step }) => step ?? '–'],
        [WORDS.steps.tool, ({ tool }) => <bdi>{tool}</bdi>],
        [WORDS.steps.input, ({ argumentsText }) => <MarkedText text={argumentsText} />, `${table.wrap} mono`],
        [WORDS.steps.found, ({ result, error }) => <Found {...{ result, error }} />, table.wrap],
        [num(WORDS.steps.took), ({ seconds }) => (seconds === null ? '–' : duration(seconds * 1000))],
      ]}
    />
  )
}

/** What a tool found, by kind, or why it failed. */
function Found({ result, error }: Pick<PathStep, 'result' | 'error'>) {
  if (error === null) return result.map(([name, found]) => `${count(found)} ${name}`).join(' · ') || '–'
  return (
    <>
      ▲ <MarkedText text={error} />
    </>
  )
}

function Budget({ budget: { tests, budget, figures, bridges } }: { budget: PathBudget }) {
  return (
    <>
      <div className={styles.budget}>
        <span>{WORDS.budgetUsed(count(tests), count(budget))}</span>
        <svg
          viewBox="0 0 100 8"
          preserveAspectRatio="none"
          role="img"
          aria-label={WORDS.budgetUsed(count(tests), count(budget))}
        >
          <rect width="100" height="8" fill="var(--surface-3)" />
          <rect
            width={budget === 0 ? 0 : Math.min(100, (tests / budget) * 100)}
            height="8"
            fill={lookOf('lazy-graph-rag').colour}
          />
        </svg>
      </div>
      <Figures figures={figures} />
      {bridges.length > 0 && (
        <DataTable
          label={WORDS.bridges.title}
          rows={bridges.map((bridge, at) => ({ ...bridge, at }))}
          keyOf={({ at }) => at}
          columns={[
            [WORDS.bridges.to, ({ to }) => to, table.wrap],
            [WORDS.bridges.from, ({ from }) => from ?? WORDS.bridges.seed, table.wrap],
            [WORDS.bridges.via, ({ via }) => via, table.wrap],
          ]}
        />
      )}
    </>
  )
}

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h3>{title}</h3>
    {children}
  </section>
)

interface PathTabProps {
  run: string
  cell: CanonicalRow
  cuts: readonly CellCut[]
}

/** Shows how the approach found its answer: route, tool calls, budget, graph, and every call below them. */
export function PathTab({ run, cell, cuts }: PathTabProps) {
  const { route, steps, budget, graph, rest } = approachPath(cell.evidence?.approach_metadata ?? {})
  return (
    <div className={styles.sections}>
      {route !== null && (
        <Section title={WORDS.route}>
          <p>
            {WORDS.classifiedAs} <strong>{route.route}</strong>
            {WORDS.answeredBy} <ApproachName alias={route.approach} />
          </p>
        </Section>
      )}
      {steps !== null && (
        <Section title={WORDS.trajectory}>
          <Trajectory steps={steps} />
        </Section>
      )}
      {budget !== null && (
        <Section title={WORDS.budget}>
          <Budget budget={budget} />
        </Section>
      )}
      {graph !== null && (
        <Section title={WORDS.graphEvidence}>
          <Figures figures={graph} />
        </Section>
      )}
      <TraceTree key={cell.row_id} run={run} row={cell.row_id} trace={cell.trace} cuts={cuts} />
      {Object.keys(rest).length > 0 && (
        <Section title={WORDS.alsoReported}>
          <RawJson value={rest} />
        </Section>
      )}
    </div>
  )
}
