import type { ReactNode } from 'react'
import type { FrontierPoint } from '../../contract/control/comparison.ts'
import type { RunHead } from '../../contract/control/run-index/runs.ts'
import { ApproachName } from './approach-name.tsx'
import { count } from './format.ts'
import { ScrollTable } from './scroll-table.tsx'
import table from './table.module.css'
import { num, TableHead } from './table-head.tsx'
import { COMPONENT_WORDS } from './component-words.ts'

const WORDS = COMPONENT_WORDS.rungTable

interface RungTableProps {
  /** A screen reader calls it by this name. */
  label: string
  points: readonly FrontierPoint[]
  /** In the order of the columns. */
  datasets: RunHead['datasets']
  /** Names without `-rag`. */
  short?: boolean
  /** The mean of one approach on one rung; its n is written after it. */
  mean: (dataset: string, alias: string, point: FrontierPoint | undefined) => ReactNode
}

/** Approaches by rungs: in each cell a mean, and of how many answers it is the mean. */
export function RungTable({ label, points, datasets, short = false, mean }: RungTableProps) {
  const bases = new Map(points.map(({ model, base_model: base }) => [model, base]))
  return (
    <ScrollTable label={label}>
      <TableHead columns={[WORDS.approach, ...datasets.map(({ label: name }) => num(name))]} />
      <tbody>
        {Array.from(bases, ([alias, base]) => (
          <tr key={alias}>
            <th scope="row">
              <ApproachName alias={alias} base={base} short={short} />
            </th>
            {datasets.map(({ dataset_id: id }) => {
              const point = points.find(({ dataset_id: dataset, model }) => dataset === id && model === alias)
              return (
                <td key={id} className={table.num}>
                  {mean(id, alias, point)}{' '}
                  <span className="dim">{point && `${count(point.n)}/${count(point.expected)}`}</span>
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  )
}
