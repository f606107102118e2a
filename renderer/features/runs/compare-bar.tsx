import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ListedRun } from '../../../contract/control/stored-runs.ts'
import styles from './runs.module.css'
import { RUNS_WORDS } from './runs-words.ts'
import { comparisonOf } from './ticked-runs.ts'

const WORDS = RUNS_WORDS.compare

interface CompareBarProps {
  /** In the order of the list, the newest first. */
  ticked: readonly ListedRun[]
  onClear: () => void
}

/** Shows ticked runs, and with two the way to their comparison. */
export function CompareBar({ ticked: [first, second], onClear }: CompareBarProps) {
  if (first === undefined) return <p className="dim">{WORDS.hint}</p>
  const search = second === undefined ? undefined : comparisonOf(first, second)
  return (
    <div className={styles.compareBar} role="status">
      <span>{second === undefined ? WORDS.one(first.run_id) : WORDS.two(first.run_id, second.run_id)}</span>
      {search !== undefined && (
        <Button variant="filled" renderRoot={(props) => <Link to="/runs/compare" search={search} {...props} />}>
          {WORDS.compare}
        </Button>
      )}
      <Button onClick={onClear}>{WORDS.clear}</Button>
    </div>
  )
}
