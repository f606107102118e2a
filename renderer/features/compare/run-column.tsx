import { NamedRun } from '../../components/run-name.tsx'
import { PartialMark, SampleMark } from '../../components/run-marks.tsx'
import type { Column } from '../../components/tables.tsx'
import styles from './compare.module.css'

/** The column of a run in a table that compares two. */
export const runColumn = (run: string): Column => ({
  head: (
    <>
      <NamedRun run={run} /> <SampleMark run={run} /> <PartialMark run={run} />
    </>
  ),
  className: styles.runName,
})
