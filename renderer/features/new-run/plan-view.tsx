import { useQuery } from '@tanstack/react-query'
import type { ModelSetView } from '../../../contract/control/experiment.ts'
import { callsPerApproach, sourceWords } from '../../../core/expected-work-words.ts'
import { joinedParts, plannedUseWords, sumOfUse } from '../../../core/planned-use-words.ts'
import { plannedWords } from '../../../core/planned-words.ts'
import { contextBudgetWords } from '../../../contract/words.ts'
import { DataTable, num } from '../../components/tables.tsx'
import { FigureList } from '../../components/figure-list.tsx'
import { count, duration } from '../../components/format.ts'
import { failureMessage } from '../../../core/role-words.ts'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { type Plan, removedCells } from './effects.ts'
import styles from './new-run.module.css'
import { NEW_RUN_WORDS } from './new-run-words.ts'
import { costOfPlan, planFigures, unpricedIn } from './plan-figures.ts'

const WORDS = NEW_RUN_WORDS.planView

/** Answers, reuse, calls and conflicts of a plan, in all and per dataset. */
export function PlanView({ plan, set }: { plan: Plan; set: ModelSetView | undefined }) {
  const { totals, datasets, notices, blockers } = plan
  const parts = joinedParts(datasets.map((dataset) => dataset.parts))
  const cost = costOfPlan(datasets)
  const unpriced = unpricedIn(set)
  const { data: known = [] } = useQuery(api.datasets.list.queryOptions())
  const labelOf = (dataset: string): string => known.find(({ id }) => id === dataset)?.label ?? dataset
  // The same difference of several rows is one line.
  const conflicts = datasets.flatMap((dataset) =>
    [...new Map(dataset.conflicts.map((each) => [`${each.path} ${each.stored} ${each.current}`, each])).values()].slice(
      0,
      3,
    ),
  )
  return (
    <div className="stack">
      <FigureList figures={planFigures(plan, set)} className={styles.totals} />
      {datasets.length > 1 && (
        <DataTable
          label={WORDS.byDataset}
          rows={datasets}
          keyOf={({ dataset_id: id }) => id}
          columns={[
            [WORDS.dataset, ({ dataset_id: id }) => labelOf(id), table.wrap],
            [num(WORDS.run), ({ run }) => count(run)],
            [num(WORDS.reuse), ({ reuse }) => count(reuse)],
            [num(WORDS.scores), ({ evaluations }) => count(evaluations)],
            [num(WORDS.time), (dataset) => duration(sumOfUse(dataset.parts).ms)],
          ]}
        />
      )}
      {parts.length > 1 && (
        <DataTable
          label={WORDS.parts}
          rows={plannedUseWords(parts)}
          keyOf={({ part }) => part}
          columns={[
            [
              WORDS.work,
              ({ part, source }) => (
                <>
                  {part}
                  <div className="dim">{source}</div>
                </>
              ),
              table.wrap,
            ],
            [num(WORDS.partCalls), ({ calls }) => calls],
            [num(WORDS.time), ({ time }) => time],
            cost !== null && [num(WORDS.cost), ({ cost: money }) => money],
          ]}
        />
      )}
      <ul className={styles.notes}>
        {totals.verdicts > 0 && <li>{WORDS.panelVerdicts(count(totals.verdicts))}</li>}
        {totals.answered > 0 && <li>{WORDS.onlyScores(count(totals.answered))}</li>}
        {conflicts.map(({ row_id: row, path, stored, current, files = [] }) => (
          <li key={`${row} ${path}`}>
            <code>{path}</code>
            {WORDS.was}
            <code>{stored}</code>
            {WORDS.is}
            <code>{current}</code>
            {files.length > 0 && <>{WORDS.changed(files.join(', '))}</>}
          </li>
        ))}
        {datasets.flatMap(({ dataset_id: dataset, unavailable }) =>
          unavailable.map(({ model, reason }) => (
            <li key={dataset + model} className="warn">
              {WORDS.uncallable(model, labelOf(dataset), failureMessage(reason))}
            </li>
          )),
        )}
        {[...new Set(datasets.map(({ context_budget: budget = null }) => contextBudgetWords(budget)))].map((words) => (
          <li key={words}>{words}</li>
        ))}
        {datasets.flatMap(({ dataset_id: dataset, planned_difference: planned }) => {
          const decides = plannedWords(labelOf(dataset), planned)
          return decides === null ? [] : [<li key={`decides ${dataset}`}>{decides}</li>]
        })}
        {cost === null && unpriced.length > 0 && <li className="dim">{WORDS.unpriced(unpriced.join(', '))}</li>}
        {cost !== null && cost.unknown.length > 0 && (
          <li className="dim">{WORDS.unknownCost(cost.unknown.join('; '))}</li>
        )}
        {datasets.map(({ dataset_id: dataset, run, work }) =>
          run === 0 ? null : (
            <li key={`work ${dataset}`} className="dim">
              ○ {labelOf(dataset)}: {sourceWords(work, null)}
              {callsPerApproach(work) !== null && <>; {callsPerApproach(work)}</>}
            </li>
          ),
        )}
        {removedCells(plan) > 0 && <li className="warn">{WORDS.coldWarning(removedCells(plan))}</li>}
        {plan.publications.map(
          (change) =>
            change.current !== null &&
            change.refusal === null && (
              <li key={change.dataset_id} className="warn">
                {WORDS.publishWarning(change.dataset_id, change.current.run_id)}
              </li>
            ),
        )}
        {blockers.map(({ code, message }) => (
          <li key={code} className="warn">
            ▲ {message}
          </li>
        ))}
        {notices.map((notice) => (
          <li key={notice} className="dim">
            ○ {notice}
          </li>
        ))}
      </ul>
    </div>
  )
}
