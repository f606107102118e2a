import { lookOf } from '../../../charts/look.ts'
import type { CellCut } from '../../../contract/control/run-index/cell.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { FigureList } from '../../components/figure-list.tsx'
import { count, duration, meanWords } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import table from '../../components/table.module.css'
import { num, TableHead } from '../../components/table-head.tsx'
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
    <table className={table.table}>
      <TableHead
        columns={[num(WORDS.steps.turn), WORDS.steps.tool, WORDS.steps.input, WORDS.steps.found, num(WORDS.steps.took)]}
      />
      <tbody>
        {steps.map(({ step, tool, argumentsText, result, error, seconds }, index) => (
          <tr key={index}>
            <td className={table.num}>{step ?? '–'}</td>
            <th scope="row">
              <bdi>{tool}</bdi>
            </th>
            <td className={`${table.wrap ?? ''} mono`}>
              <MarkedText text={argumentsText} />
            </td>
            <td className={table.wrap}>
              {error === null ? (
                result.map(([name, found]) => `${count(found)} ${name}`).join(' · ') || '–'
              ) : (
                <>
                  ▲ <MarkedText text={error} />
                </>
              )}
            </td>
            <td className={table.num}>{seconds === null ? '–' : duration(seconds * 1000)}</td>
          </tr>
        ))}
      </tbody>
    </table>
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
        <table className={table.table}>
          <TableHead columns={[WORDS.bridges.to, WORDS.bridges.from, WORDS.bridges.via]} />
          <tbody>
            {bridges.map(({ to, from, via }, index) => (
              <tr key={index}>
                <td className={table.wrap}>{to}</td>
                <td className={table.wrap}>{from ?? WORDS.bridges.seed}</td>
                <td className={table.wrap}>{via}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

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
        <section>
          <h3>{WORDS.route}</h3>
          <p>
            {WORDS.classifiedAs} <strong>{route.route}</strong>
            {WORDS.answeredBy} <ApproachName alias={route.approach} />
          </p>
        </section>
      )}
      {steps !== null && (
        <section>
          <h3>{WORDS.trajectory}</h3>
          <Trajectory steps={steps} />
        </section>
      )}
      {budget !== null && (
        <section>
          <h3>{WORDS.budget}</h3>
          <Budget budget={budget} />
        </section>
      )}
      {graph !== null && (
        <section>
          <h3>{WORDS.graphEvidence}</h3>
          <Figures figures={graph} />
        </section>
      )}
      <TraceTree key={cell.row_id} run={run} row={cell.row_id} trace={cell.trace} cuts={cuts} />
      {Object.keys(rest).length > 0 && (
        <section>
          <h3>{WORDS.alsoReported}</h3>
          <RawJson value={rest} />
        </section>
      )}
    </div>
  )
}
