import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { costWords } from '../../../contract/words.ts'
import type { RunHead } from '../../../contract/control/run-index/runs.ts'
import type { RunJob } from '../../../contract/control/run-job.ts'
import type { ListedRun } from '../../../contract/control/stored-runs.ts'
import { isUnderWayOrQueued } from '../../../core/evidence/run-fold.ts'
import { RUN_TABS, type RunTab } from '../../../core/pages.ts'
import { duration } from '../../components/format.ts'
import { HiddenGradesMark, PartialMark, SampleMark } from '../../components/run-marks.tsx'
import tabs from '../../components/tabs.module.css'
import { signOf, stateWord } from '../../components/run-state.ts'
import { api } from '../../data/client.ts'
import { useBlind } from '../../stores/sight.ts'
import { RunAgain } from '../runs/run-again-button.tsx'
import { Star } from '../runs/run-star.tsx'
import { RUN_WORDS as WORDS } from './run-words.ts'
import { RunTitle } from './run-title.tsx'
import { ShareMenu } from './share-menu.tsx'
import styles from './run.module.css'
import { useTabCounts } from './tab-counts.ts'

interface RunHeaderProps {
  run: string
  /** Undefined before the first stored answer. */
  head: RunHead | undefined
  /** Dataset that the tabs show. */
  dataset: string | undefined
  /** The tab in sight; null on a page of one cell. */
  tab: RunTab | null
}

/** Name, facts and actions of a run above its tabs. While a person votes blindly only what names no approach. */
export function RunHeader({ run, head, dataset, tab }: RunHeaderProps) {
  const blind = useBlind()
  const overview = useQuery({ ...api.runs.overview.queryOptions({ input: { run_id: run } }), enabled: !blind })
  const jobs = useQuery({ ...api.runs.jobs.queryOptions(), enabled: !blind })
  const listed = blind ? undefined : overview.data?.runs[0]
  const job = blind ? undefined : jobs.data?.find(({ run_id: id }) => id === run)
  const isComplete = !blind && jobs.data !== undefined && !(job !== undefined && isUnderWayOrQueued(job.state))
  const shown = head?.datasets.find(({ dataset_id: id }) => id === dataset)
  const counts = useTabCounts(run, shown, isComplete)
  return (
    <header className={styles.header}>
      <div className={styles.line}>
        <Link to="/runs" activeOptions={{ exact: true }} className="nowrap">
          ‹ {WORDS.runs}
        </Link>
        <RunTitle {...{ run, listed }} />
        <SampleMark run={run} />
        <PartialMark run={run} />
        {dataset !== undefined && head !== undefined && <HiddenGradesMark run={run} dataset={dataset} />}
        {listed !== undefined && <Facts listed={listed} job={job} />}
        <span className={styles.actions}>
          {listed !== undefined && <Star run={listed} />}
          {!blind && head !== undefined && dataset !== undefined && <ShareMenu {...{ run, dataset, listed }} />}
          {listed !== undefined && <RunAgain run={listed} className={styles.again} />}
        </span>
      </div>
      <div className={styles.line}>
        <nav className={`${tabs.tabs} ${styles.parts}`} aria-label={WORDS.parts}>
          {RUN_TABS.map(({ tab: name, label }) => (
            <Link
              key={name}
              to={`/runs/$run/${name}`}
              params={{ run }}
              search={name === 'progress' || dataset === undefined ? {} : { dataset }}
              activeOptions={{ includeSearch: false }}
              {...(tab === null && name === 'matrix' ? { 'data-status': 'active' } : {})}
            >
              {label}
              {counts[name] !== undefined && (
                <>
                  {' '}
                  <span className={styles.count} title={counts[name].about}>
                    {counts[name].text}
                  </span>
                </>
              )}
            </Link>
          ))}
        </nav>
        {head !== undefined && dataset !== undefined && tab !== null && tab !== 'progress' && (
          <DatasetChoice datasets={head.datasets} chosen={dataset} />
        )}
      </div>
    </header>
  )
}

/** Returns how many approaches, with which models, in which state, how long and at what cost. */
function Facts({ listed, job }: { listed: ListedRun; job: RunJob | undefined }) {
  const { run_id: run, models, model_sets: sets, state, failures, missing = [] } = listed
  const { data } = useQuery({
    ...api.compare.result.queryOptions({ input: { run_id: run } }),
    enabled: listed.kind !== null,
  })
  const took =
    typeof job?.started_at === 'string' && typeof job.finished_at === 'string'
      ? Date.parse(job.finished_at) - Date.parse(job.started_at)
      : null
  const costs = data?.costs.map(({ cost }) => cost) ?? []
  const facts = [
    // Its answers name those that have begun; the request names all.
    WORDS.approaches(Math.max(models.length, job?.request.models.length ?? 0)),
    ...(sets.length === 0 ? [] : [sets.join(', ')]),
    ...(state === null ? [] : [`${signOf({ state, missing })} ${stateWord({ state, failures })}`]),
    ...(took === null ? [] : [duration(took)]),
    ...(costs[0] === undefined
      ? []
      : [
          costWords({
            amount: costs.reduce((sum, { amount }) => sum + amount, 0),
            currency: costs[0].currency,
            unknown: costs.flatMap(({ unknown }) => unknown),
          }),
        ]),
  ]
  return <span className={styles.facts}>{facts.join(' · ')}</span>
}

/** Chooses the dataset of the run that its tabs show; what is open in another one is closed. */
function DatasetChoice({ datasets, chosen }: { datasets: RunHead['datasets']; chosen: string }) {
  const navigate = useNavigate()
  return (
    <Select
      size="xs"
      aria-label={WORDS.dataset}
      className={styles.dataset ?? ''}
      comboboxProps={{ width: 'max-content', position: 'bottom-end' }}
      data={datasets.map(({ dataset_id: value, label }) => ({ value, label }))}
      value={chosen}
      onChange={(dataset) =>
        dataset !== null &&
        void navigate({
          to: '.',
          search: (before) => ({ ...before, dataset, cell: undefined, against: undefined, set: undefined }),
        })
      }
    />
  )
}
