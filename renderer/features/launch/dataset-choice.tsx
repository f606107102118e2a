import { Checkbox } from '@mantine/core'
import type { DatasetView } from '../../../contract/control/experiment.ts'
import { plural } from '../../components/format.ts'
import styles from './launch.module.css'

interface DatasetChoiceProps {
  datasets: DatasetView[]
  chosen: string[]
  onChange: (chosen: string[]) => void
}

/** Rungs in ladder order. */
export function DatasetChoice({ datasets, chosen, onChange }: DatasetChoiceProps) {
  const order = datasets.toSorted((a, b) => a.complexity_level - b.complexity_level)
  return (
    <div className={styles.choices}>
      {order.map(({ id, label, description, questions, complexity_level: level }) => (
        <Checkbox
          key={id}
          size="sm"
          label={`${label} · rung ${level} · ${plural(questions, 'question')}`}
          description={description}
          checked={chosen.includes(id)}
          onChange={({ currentTarget }) =>
            onChange(
              order
                .map((dataset) => dataset.id)
                .filter((each) => (each === id ? currentTarget.checked : chosen.includes(each))),
            )
          }
        />
      ))}
    </div>
  )
}
