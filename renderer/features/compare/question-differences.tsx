import { SegmentedControl, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ChangedCell } from '../../../contract/control/run-index/compare-runs.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { count, metricValue } from '../../components/format.ts'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { type DataColumn, DataTable } from '../../components/tables.tsx'
import { runColumn } from './run-column.tsx'
import { api } from '../../data/client.ts'
import { changeKind, type ChangeKind } from './changed-kind.ts'
import { COMPARE_WORDS } from './compare-words.ts'
import styles from './compare.module.css'

const WORDS = COMPARE_WORDS.questions
const KINDS = Object.keys(WORDS.kinds) as ChangeKind[]
const MOST_LISTED = 500

interface QuestionDifferencesProps {
  run: string
  other: string
  dataset: string
  metric: IndexMetric
  /** Only this approach; null for all. */
  alias: string | null
  onAlias: (alias: string | null) => void
}

/** The cells in which two runs differ, by kind, with links to both sides. */
export function QuestionDifferences({ run, other, dataset, metric, alias, onAlias }: QuestionDifferencesProps) {
  const [kind, setKind] = useState<ChangeKind | 'all'>('all')
  const { data, isError, error, refetch } = useQuery(
    api.compare.runs.queryOptions({
      input: { run_ids: [run, other], metric, dataset_id: dataset, limit: MOST_LISTED },
    }),
  )
  if (isError) return <ErrorPanel error={error} what={WORDS.what} retry={() => void refetch()} />
  if (data === undefined) return <LoadingRows rows={6} />
  const cells = data.changed.cells.flatMap((cell) => {
    if (alias !== null && cell.model !== alias) return []
    const its = changeKind(cell, data.better)
    return its === null ? [] : [{ ...cell, kind: its }]
  })
  const ofKind = (each: ChangeKind): number => cells.filter((cell) => cell.kind === each).length
  const shown = cells.filter((cell) => kind === 'all' || cell.kind === kind)
  const isWhole = data.changed.total === data.changed.cells.length
  const inBoth = data.aliases.filter(({ runs, model }) => runs.length === 2 && (alias === null || model === alias))
  const shared = inBoth.reduce((sum, { common }) => sum + common, 0)
  return (
    <>
      <div className={styles.choices}>
        <Select
          size="xs"
          aria-label={WORDS.approach}
          placeholder={WORDS.anyApproach}
          clearable
          data={data.aliases.map(({ model }) => model)}
          value={alias}
          onChange={onAlias}
        />
        <SegmentedControl
          size="xs"
          aria-label={WORDS.kind}
          data={[
            { value: 'all' as const, label: WORDS.counted(WORDS.all, count(cells.length)) },
            ...KINDS.map((value) => ({ value, label: WORDS.counted(WORDS.kinds[value], count(ofKind(value))) })),
          ]}
          value={kind}
          onChange={setKind}
        />
      </div>
      <p className="dim">
        {isWhole
          ? WORDS.same(shared - ofKind('better') - ofKind('worse'), inBoth.length)
          : WORDS.listed(count(data.changed.cells.length), count(data.changed.total))}
      </p>
      {shown.length === 0 && <p>{cells.length === 0 ? WORDS.none : WORDS.noneOfKind}</p>}
      {shown.length > 0 && (
        <DataTable
          label={WORDS.title}
          className={styles.questions}
          rows={shown}
          keyOf={(cell) => `${cell.question_id} ${cell.repeat} ${cell.model}`}
          nameAt={1}
          columns={[
            [WORDS.kind, (cell) => `${WORDS.signs[cell.kind]} ${WORDS.kinds[cell.kind]}`],
            [
              WORDS.question,
              (cell) => (
                <>
                  {cell.query ?? cell.question_id}
                  {cell.repeat > 1 && <span className="dim"> {WORDS.repetition(cell.repeat)}</span>}
                </>
              ),
              table.wrap,
            ],
            [COMPARE_WORDS.approach, ({ model }) => <ApproachName alias={model} short />],
            ...[run, other].map((id, side): DataColumn<(typeof shown)[number]> => [
              runColumn(id),
              (cell) => <Side run={id} cell={cell} side={side} metric={metric} />,
            ]),
          ]}
        />
      )}
    </>
  )
}

interface SideProps {
  run: string
  cell: ChangedCell
  side: number
  metric: IndexMetric
}

/** A run's value with a link to its cell; the state of a cell without one. */
function Side({ run, cell, side, metric }: SideProps) {
  const [value, row, state] = [cell.values[side] ?? null, cell.row_ids[side] ?? null, cell.states[side] ?? 'missing']
  const shown = value === null ? state.replaceAll('_', ' ') : metricValue(metric, value)
  if (row === null) return <span className="dim">{shown}</span>
  return (
    <Link
      to="/runs/$run/cell"
      params={{ run }}
      search={{ row, dataset: cell.dataset_id, metric }}
      aria-label={WORDS.openCell(run, shown)}
    >
      {shown}
    </Link>
  )
}
