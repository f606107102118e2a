import { useQuery } from '@tanstack/react-query'
import type { RunState } from '../../../contract/control/run-job.ts'
import { count, moment } from '../../components/format.ts'
import { RunName } from '../../components/run-name.tsx'
import { SampleMark } from '../../components/run-marks.tsx'
import { DataTable, num } from '../../components/tables.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { DatasetLinks, StateCell, VerdictLines } from '../runs/run-table.tsx'
import styles from './home.module.css'
import { HOME_WORDS } from './home-words.ts'

const WORDS = HOME_WORDS.lastRuns

/** Null is the state of a run that was made elsewhere. */
const ENDED: readonly (RunState | null)[] = ['completed', 'failed', 'cancelled', null]

/** Runs that are listed; the rest is on the page Runs. */
const MOST_LISTED = 12

/** The newest runs of the person, those without an answer included, or the samples; what can be done with them is on the page Runs. */
export function LastRuns({ label, ofSamples }: { label: string; ofSamples: boolean }) {
  const runs = useQuery(api.runs.overview.queryOptions({ input: {} })).data?.runs ?? []
  return (
    <DataTable
      stacks
      label={label}
      rows={runs.filter(({ sample }) => sample === ofSamples).slice(0, MOST_LISTED)}
      keyOf={({ run_id: id }) => id}
      columns={[
        [
          WORDS.run,
          ({ run_id: id, note }) => (
            <>
              <RunName run={id} label={note.label} /> <SampleMark run={id} />
            </>
          ),
          table.wrap,
        ],
        [WORDS.state, (run) => <StateCell run={run} />, `${table.wrap} ${styles.state}`],
        [WORDS.datasets, (run) => <DatasetLinks run={run} />, table.wrap],
        [WORDS.verdict, (run) => <VerdictLines run={run} />, `${table.wrap} ${styles.verdicts}`],
        [num(WORDS.answers), ({ cells }) => count(cells.ok)],
        [num(WORDS.failed), ({ cells }) => count(cells.failed)],
        [WORDS.finished, ({ at, state }) => (ENDED.includes(state) ? moment(at) : '–')],
      ]}
    />
  )
}
