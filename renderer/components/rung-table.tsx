import type { ReactNode } from 'react'
import type { FrontierPoint } from '../../contract/control/comparison.ts'
import type { RunHead } from '../../contract/control/run-index/runs.ts'
import { ApproachName } from './approach-name.tsx'
import { count } from './format.ts'
import { type DataColumn, DataTable, num } from './tables.tsx'
import { COMPONENT_WORDS } from './component-words.ts'

const WORDS = COMPONENT_WORDS.rungTable

interface RungTableProps {
  /** A screen reader calls it by this name. */
  label: string
  points: readonly FrontierPoint[]
  /** In the order of the columns. */
  datasets: RunHead['datasets']
  /** The mean of one approach on one rung; its n is written after it. */
  mean: (dataset: string, alias: string, point: FrontierPoint | undefined) => ReactNode
}

/** Approaches by rungs: in each cell a mean, and of how many answers it is the mean. */
export function RungTable({ label, points, datasets, mean }: RungTableProps) {
  const bases = [...new Map(points.map(({ model, base_model: base }) => [model, base]))]
  return (
    <DataTable
      label={label}
      rows={bases}
      keyOf={([alias]) => alias}
      columns={[
        [WORDS.approach, ([alias, base]) => <ApproachName alias={alias} base={base} short />],
        ...datasets.map(({ dataset_id: id, label: name }): DataColumn<(typeof bases)[number]> => [
          num(name),
          ([alias]) => {
            const point = points.find(({ dataset_id: dataset, model }) => dataset === id && model === alias)
            return (
              <>
                {mean(id, alias, point)}{' '}
                <span className="dim">{point && `${count(point.n)}/${count(point.expected)}`}</span>
              </>
            )
          },
        ]),
      ]}
    />
  )
}
