import { Select, useComputedColorScheme } from '@mantine/core'
import type { TuningDetail } from '../../../contract/control/tuning.ts'
import { metricValue } from '../../components/format.ts'
import { heatOf, type HeatDomain } from '../../components/heat.ts'
import { ScrollTable, TableHead } from '../../components/tables.tsx'
import styles from './tune.module.css'
import { TUNE_WORDS as WORDS } from './tune-words.ts'

interface TuningMapProps {
  metric: string
  map: NonNullable<NonNullable<TuningDetail['result']>['map']>
  mappable: readonly string[]
  onChange: (names: [string, string]) => void
}

/** Mean quality over two parameters, by number and by shade of one hue. */
export function TuningMap({ metric, map, mappable, onChange }: TuningMapProps) {
  const scheme = useComputedColorScheme('light')
  const [rowName, columnName] = map.names
  const isFlat = map.high === map.low
  const domain: HeatDomain = { worst: isFlat ? map.low - 1 : map.low, best: map.high, scheme }
  const title = WORDS.map(metric)
  return (
    <section className={styles.block} aria-label={title}>
      <h2>{title}</h2>
      <p className="dim">{scheme === 'dark' ? WORDS.mapAboutDark : WORDS.mapAbout}</p>
      {mappable.length > 2 && (
        <div className="fields">
          <Select
            label={WORDS.rows}
            data={mappable.filter((name) => name !== columnName)}
            value={rowName}
            onChange={(name) => name !== null && onChange([name, columnName])}
          />
          <Select
            label={WORDS.columns}
            data={mappable.filter((name) => name !== rowName)}
            value={columnName}
            onChange={(name) => name !== null && onChange([rowName, name])}
          />
        </div>
      )}
      <ScrollTable label={title} className={styles.map}>
        <TableHead columns={[`${rowName} ↓ ${columnName} →`, ...map.columns]} />
        <tbody>
          {map.rows.map((value, at) => (
            <tr key={value}>
              <th scope="row">{value}</th>
              {map.cells[at]!.map((cell, column) => {
                if (cell === null) return <td key={column}>{WORDS.notTried}</td>
                const { background, ink } = heatOf(cell, domain)
                return (
                  <td key={column} style={{ background, color: ink }}>
                    {metricValue(metric, cell)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </section>
  )
}
