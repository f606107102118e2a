import { useQuery } from '@tanstack/react-query'
import { BudgetCurve } from '../../../charts/budget-curve.ts'
import { reachedPoints } from '../../../core/evidence/budget-curve.ts'
import { looksOf } from '../../../charts/look.ts'
import type { RunResult } from '../../../contract/control/comparison.ts'
import { contextBudgetWords, curveWords, equalWords } from '../../../contract/words.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { ChartBox, ChartPanel } from '../../components/chart-panel.tsx'
import { count } from '../../components/format.ts'
import { type DataColumn, DataTable, num } from '../../components/tables.tsx'
import { Panel } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { RESULT_WORDS } from './result-words.ts'

const WORDS = RESULT_WORDS.budget

type Amounts = RunResult['amounts'][number]

/** Shows how much text each approach handed over and what it found in the first of it, beside what the approaches share; nothing where no row tells. */
export function BudgetPanels({ run, dataset }: { run: string; dataset: string }) {
  const { data } = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const amounts = data?.amounts.find(({ dataset_id: id }) => id === dataset)
  if (amounts === undefined) return null
  const isTold = amounts.approaches.some(({ context_tokens: tokens }) => tokens !== null)
  return (
    <>
      {isTold && <Curve run={run} amounts={amounts} />}
      {amounts.extraction !== null && <p className="dim">{`${amounts.label}: ${amounts.extraction}.`}</p>}
      {amounts.protocol.length > 0 && <ProtocolCard amounts={amounts} />}
    </>
  )
}

function Curve({ run, amounts }: { run: string; amounts: Amounts }) {
  const looks = looksOf(amounts.approaches.map(({ model, base }) => ({ model, base_model: base })))
  const lines = amounts.approaches.map(({ budget_curve: points, ...approach }) => ({
    ...approach,
    points: points ?? [],
    look: looks.get(approach.model)!,
  }))
  const { budgets, rows } = reachedPoints(lines)
  const title = WORDS.title(amounts.label)
  return (
    <ChartPanel title={title} fileName={`${run}-${amounts.dataset_id}-budget`} isEmpty={budgets.length === 0}>
      <p className="dim">{WORDS.about(contextBudgetWords(amounts.context_budget))}</p>
      {budgets.length > 0 && <ChartBox draw={(width) => <BudgetCurve {...{ width, title, lines }} />} />}
      <DataTable
        label={title}
        rows={rows}
        keyOf={({ line }) => line.model}
        columns={[
          [RESULT_WORDS.approach, ({ line: { model, base } }) => <ApproachName alias={model} base={base} short />],
          [num(WORDS.handedOver), ({ line: { context_tokens: tokens } }) => (tokens === null ? '–' : count(tokens))],
          ...budgets.map((budget, at): DataColumn<(typeof rows)[number]> => [
            num(WORDS.first(count(budget))),
            ({ points }) => {
              const point = points[at] ?? null
              return point === null ? '–' : curveWords(point)
            },
          ]),
        ]}
      />
    </ChartPanel>
  )
}

function ProtocolCard({ amounts: { label, protocol } }: { amounts: Amounts }) {
  const title = WORDS.protocol(label)
  return (
    <Panel title={title}>
      <p className="dim">{WORDS.protocolAbout}</p>
      <DataTable
        label={title}
        rows={protocol}
        keyOf={({ part }) => part}
        columns={[
          [WORDS.part, ({ part }) => part],
          [WORDS.equal, ({ equal }) => (equal === true ? equalWords(equal) : <strong>{equalWords(equal)}</strong>)],
          [WORDS.values, ({ values }) => values, table.wrap],
        ]}
      />
    </Panel>
  )
}
