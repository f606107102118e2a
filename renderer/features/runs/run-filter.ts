import type { RunState } from '../../../contract/control/run-job.ts'
import type { ListedRun } from '../../../contract/control/stored-runs.ts'

export interface RunFilter {
  text?: string | undefined
  tag?: string | undefined
  state?: RunState | undefined
  starred?: true | undefined
  /** Only runs of the person, no samples. */
  own?: true | undefined
}

/** Returns true when a run matches every part of a filter; words match in id, label, note, tags, datasets, approaches and model set. */
export function matchesFilter(run: ListedRun, { text = '', tag, state, starred, own }: RunFilter): boolean {
  const { note, datasets, models, model_sets: sets } = run
  const searched = [
    run.run_id,
    note.label,
    note.note,
    ...note.tags,
    ...models,
    ...sets,
    ...datasets.map(({ label }) => label),
  ]
    .join('\n')
    .toLowerCase()
  const words = text.toLowerCase().split(/\s+/)
  return (
    words.every((word) => searched.includes(word)) &&
    (tag === undefined || note.tags.includes(tag)) &&
    (state === undefined || run.state === state) &&
    (starred === undefined || note.starred) &&
    (own === undefined || !run.sample)
  )
}
