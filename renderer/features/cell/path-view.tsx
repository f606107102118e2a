import type { RowEvidence } from '../../../contract/evidence/canonical-row.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { count, duration } from '../../components/format.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import table from '../../components/table.module.css'
import { approachPath, type PathBudget, type PathStep } from './approach-path.ts'
import { RawJson } from './raw-json.tsx'
import styles from './cell.module.css'

function Figures({ figures }: { figures: [string, string | number][] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'number' ? (Number.isInteger(value) ? count(value) : value.toFixed(2)) : value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Trajectory({ steps }: { steps: PathStep[] }) {
  if (steps.length === 0) return <p className="dim">The agent answered without calling a tool.</p>
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th className={table.num}>Turn</th>
          <th>Tool</th>
          <th>Asked with</th>
          <th>Found</th>
          <th className={table.num}>Took</th>
        </tr>
      </thead>
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
        <span>
          {count(tests)} of {count(budget)} relevance tests used
        </span>
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={`${tests} of ${budget} tests used`}>
          <rect width="100" height="8" fill="var(--surface-3)" />
          <rect width={budget === 0 ? 0 : Math.min(100, (tests / budget) * 100)} height="8" fill="#8F7700" />
        </svg>
      </div>
      <Figures figures={figures} />
      {bridges.length > 0 && (
        <table className={table.table}>
          <thead>
            <tr>
              <th>Passage that the walk added</th>
              <th>Reached from</th>
              <th>By way of</th>
            </tr>
          </thead>
          <tbody>
            {bridges.map(({ to, from, via }, index) => (
              <tr key={index}>
                <td className={table.wrap}>{to}</td>
                <td className={table.wrap}>{from ?? 'a seed'}</td>
                <td className={table.wrap}>{via}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

/** How the approach came to its answer: route, tool calls, budget, graph. */
export function PathView({ metadata }: { metadata: RowEvidence['approach_metadata'] }) {
  if (metadata === undefined)
    return <p className="dim">This answer came without word of how it was reached: one search, one generation.</p>
  const { route, steps, budget, graph, rest } = approachPath(metadata)
  return (
    <div className={styles.sections}>
      {route !== null && (
        <section>
          <h3>Route</h3>
          <p>
            classified as <strong>{route.route}</strong>, answered by <ApproachName alias={route.approach} />
          </p>
        </section>
      )}
      {steps !== null && (
        <section>
          <h3>Trajectory</h3>
          <Trajectory steps={steps} />
        </section>
      )}
      {budget !== null && (
        <section>
          <h3>Budget of the lazy graph</h3>
          <Budget budget={budget} />
        </section>
      )}
      {graph !== null && (
        <section>
          <h3>What the graph answer was written from</h3>
          <Figures figures={graph} />
        </section>
      )}
      {Object.keys(rest).length > 0 && (
        <section>
          <h3>Also told</h3>
          <RawJson value={rest} />
        </section>
      )}
    </div>
  )
}
