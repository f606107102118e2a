import { Badge, Button, Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import type { ListedRun } from '../../../contract/control/stored-runs.ts'
import { missingWords } from '../../../core/evidence/missing-columns.ts'
import { count, moment } from '../../components/format.ts'
import { cloudRoles, RunCloudMark } from '../../components/cloud-mark.tsx'
import { RunName } from '../../components/run-name.tsx'
import { SampleMark } from '../../components/run-marks.tsx'
import { failureWords, signOf, stateWord } from '../../components/run-state.ts'
import { ScrollTable } from '../../components/tables.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { useBlind } from '../../stores/sight.ts'
import { RESULT_WORDS } from '../result/result-words.ts'
import { RunDetail } from './run-detail.tsx'
import { Star } from './run-star.tsx'
import styles from './runs.module.css'
import { RUNS_WORDS as WORDS } from './runs-words.ts'
import { comparisonOf, whyNotTicked } from './ticked-runs.ts'

const COLUMNS = 10

interface RunTableProps {
  runs: readonly ListedRun[]
  /** Run whose details are open. */
  open: string | undefined
  onOpen: (run: string | undefined) => void
  /** Runs that are ticked to be compared. */
  ticked: readonly ListedRun[]
  onTick: (run: string) => void
}

/** A row per run; the details of the open one are below its row. */
export function RunTable({ runs, open, onOpen, ticked, onTick }: RunTableProps) {
  return (
    <ScrollTable label={WORDS.page} className={styles.runs} stacks>
      <thead>
        <tr>
          <th>
            <span className="hidden-text">{WORDS.columns.tick}</span>
          </th>
          <th>
            <span className="hidden-text">{WORDS.columns.star}</span>
          </th>
          <th>{WORDS.columns.run}</th>
          <th>{WORDS.columns.state}</th>
          <th>{WORDS.columns.datasets}</th>
          <th className={`${table.num} ${styles.wide}`}>{WORDS.columns.questions}</th>
          <th className={styles.wide}>{WORDS.columns.approaches}</th>
          <th className={styles.wide}>{WORDS.columns.models}</th>
          <th>{WORDS.columns.verdict}</th>
          <th>
            <span className="hidden-text">{WORDS.columns.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => {
          const isOpen = run.run_id === open
          return (
            <Fragment key={run.run_id}>
              <RunRow {...{ run, isOpen, ticked, onTick }} onOpen={() => onOpen(isOpen ? undefined : run.run_id)} />
              {isOpen && (
                <tr>
                  <td colSpan={COLUMNS} className={styles.open}>
                    <RunDetail run={run} />
                  </td>
                </tr>
              )}
            </Fragment>
          )
        })}
      </tbody>
    </ScrollTable>
  )
}

interface RunRowProps extends Pick<RunTableProps, 'ticked' | 'onTick'> {
  run: ListedRun
  isOpen: boolean
  onOpen: () => void
}

function RunRow({ run, isOpen, onOpen, ticked, onTick }: RunRowProps) {
  const { run_id: id, note, datasets, models, model_sets: sets } = run
  const known = useQuery(api.experiment.get.queryOptions()).data?.model_sets ?? []
  // The summaries of a run are read only where its sets, as far as they are known, have a role that leaves this machine.
  const mayLeave = sets.some((name) => {
    const set = known.find((each) => each.name === name)
    return set === undefined || cloudRoles(set).length > 0
  })
  const why = whyNotTicked(run, ticked)
  const [only, second] = ticked
  const comparison = only === undefined || only === run || second !== undefined ? undefined : comparisonOf(only, run)
  return (
    <tr>
      <td title={why ?? undefined}>
        <Checkbox
          aria-label={why === null ? WORDS.compare.tick(id) : `${WORDS.compare.tick(id)}: ${why}`}
          checked={ticked.includes(run)}
          disabled={why !== null}
          onChange={() => onTick(id)}
        />
      </td>
      <td>
        <Star run={run} />
      </td>
      <th scope="row" className={table.wrap}>
        <RunName run={id} label={note.label} /> <SampleMark run={id} />
        <span className={styles.under}>{moment(run.at)}</span>
        {note.note !== '' && <span className={styles.under}>{note.note.split('\n')[0]}</span>}
        {note.tags.length > 0 && (
          <span className={styles.tags}>
            {note.tags.map((tag) => (
              <Badge key={tag} size="sm" variant="default" tt="none">
                {tag}
              </Badge>
            ))}
          </span>
        )}
      </th>
      <td data-head={WORDS.columns.state}>
        <StateCell run={run} />
      </td>
      <td className={table.wrap} data-head={WORDS.columns.datasets}>
        <DatasetLinks run={run} />
      </td>
      <td className={`${table.num} ${styles.wide}`}>
        {count(datasets.reduce((sum, { questions }) => sum + questions, 0))}
      </td>
      <td className={`${styles.wide} ${styles.approaches}`} title={models.join(', ')}>
        {WORDS.approaches(models)}
      </td>
      <td className={`${table.wrap} ${styles.wide}`}>
        {sets.join(', ') || '–'} {run.kind !== null && mayLeave && <RunCloudMark run={id} />}
      </td>
      <td className={`${table.wrap} ${styles.verdict}`} data-head={WORDS.columns.verdict}>
        <VerdictLines run={run} />
      </td>
      <td>
        <span className={styles.rowActions}>
          {comparison !== undefined && why === null && (
            <Link to="/runs/compare" search={comparison} aria-label={WORDS.compare.withTicked(id, only!.run_id)}>
              {WORDS.compare.compare}
            </Link>
          )}
          {run.kind !== null && (
            <Link to="/runs/$run/verdict" params={{ run: id }} aria-label={WORDS.resultOf(id)}>
              {WORDS.result}
            </Link>
          )}
          <Button size="compact-sm" aria-expanded={isOpen} aria-label={WORDS.detailsOf(id)} onClick={onOpen}>
            {WORDS.details}
          </Button>
        </span>
      </td>
    </tr>
  )
}

/** The datasets of a run, each a link to its matrix once it has answers. */
export const DatasetLinks = ({ run: { run_id: run, kind, datasets } }: { run: ListedRun }) =>
  datasets.map(({ dataset_id: dataset, label, damaged }, index) => (
    <span key={dataset}>
      {index > 0 && ' · '}
      {kind === null ? (
        label
      ) : (
        <Link to="/runs/$run/matrix" params={{ run }} search={{ dataset }}>
          {label}
        </Link>
      )}
      {damaged && <span title={WORDS.damaged}> ▲</span>}
    </span>
  ))

/** The state of a run with what it lacks, a link to its steps; of a run that was made elsewhere only that. */
export function StateCell({ run }: { run: ListedRun }) {
  const { state, kind, failures, missing = [], kept, cells, run_id: id } = run
  if (state === null)
    return (
      <span className="dim">
        {kind === 'historical' || kept === 'published' ? WORDS.published : WORDS.madeElsewhere}
      </span>
    )
  return (
    <>
      <Link to="/runs/$run/progress" params={{ run: id }}>
        {`${signOf({ state, missing })}\u00a0${stateWord({ state, failures })}`}
      </Link>
      {missing.length > 0 && <span className={styles.reason}>{missingWords(missing)}</span>}
      {state === 'failed' &&
        (stateWord({ state, failures }) === 'failed' ? (
          <span className={`${styles.reason} ${styles.error}`} title={failureWords({ failures })}>
            {failureWords({ failures })}
          </span>
        ) : (
          <span className={styles.reason}>{WORDS.withoutAnswer(cells.failed, cells.ok + cells.failed)}</span>
        ))}
    </>
  )
}

/** The verdict on each dataset in a line, which leads to it; its words are hidden while the person votes blindly. */
export function VerdictLines({ run: { run_id: run, verdicts, datasets } }: { run: ListedRun }) {
  const blind = useBlind()
  if (verdicts.length === 0) return '–'
  return verdicts.map(({ dataset_id: dataset, kind, headline }) => {
    const { sign, name } = RESULT_WORDS.kinds[kind]
    const label = datasets.find(({ dataset_id: id }) => id === dataset)?.label ?? dataset
    return (
      <div key={dataset}>
        {datasets.length > 1 && <span className="dim">{label}: </span>}
        <span aria-hidden="true">{sign}</span>{' '}
        <Link to="/runs/$run/verdict" params={{ run }} search={{ dataset }}>
          {blind ? name : headline}
        </Link>
      </div>
    )
  })
}
