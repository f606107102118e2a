import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../data/client.ts'
import { COMPONENT_WORDS } from './component-words.ts'
import { count } from './format.ts'
import { partOf } from './partial-run.ts'
import styles from './run-marks.module.css'

const WORDS = COMPONENT_WORDS.sample

/** Names of the runs that came with the project; empty until the list is there. */
export function useSamples(): ReadonlySet<string> {
  // The input of all lists of runs, so that they share one answer.
  const samples = useQuery(api.runs.list.queryOptions({ input: { limit: 100 } })).data?.samples
  return useMemo(() => new Set(samples), [samples])
}

/** Beside the name of a run that came with the project; nothing beside others. */
export function SampleMark({ run }: { run: string }) {
  if (!useSamples().has(run)) return null
  return (
    <span className={styles.mark} title={WORDS.about}>
      {WORDS.mark}
    </span>
  )
}

/** Beside the name of a run that does not have all its cells: of how many its figures are. */
export function PartialMark({ run }: { run: string }) {
  const runs = useQuery(api.runs.list.queryOptions({ input: { limit: 100 } })).data?.runs
  const head = runs?.find(({ run_id: id }) => id === run)
  const part = head === undefined ? null : partOf(head)
  if (part === null) return null
  const { made, planned } = part
  return (
    <span className={styles.mark} title={COMPONENT_WORDS.partial.about}>
      {COMPONENT_WORDS.partial.mark(count(made), planned === null ? null : count(planned))}
    </span>
  )
}

/** Beside a dataset run whose judges' grades are withheld because a person grades it blindly. */
export function HiddenGradesMark({ run, dataset }: { run: string; dataset: string }) {
  const state = useQuery(api.judges.state.queryOptions({ input: { run_id: run, dataset_id: dataset } })).data
  if (state?.round !== 'open') return null
  return (
    <span className={styles.mark} title={COMPONENT_WORDS.hiddenGrades.about}>
      {COMPONENT_WORDS.hiddenGrades.mark}
    </span>
  )
}
