import { Button, Checkbox, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { DatasetView } from '../../../contract/control/experiment.ts'
import { isUnderWayOrQueued } from '../../../core/evidence/run-fold.ts'
import { count, plural } from '../../components/format.ts'
import { SampleMark } from '../../components/run-marks.tsx'
import { num, ScrollTable, TableHead, unseen } from '../../components/tables.tsx'
import { StateDot } from '../../components/state-dot.tsx'
import { EmptyPanel } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { useBlind } from '../../stores/sight.ts'
import { NewDatasetButton } from '../own-data/new-dataset.tsx'
import { OWN_WORDS } from '../own-data/own-words.ts'
import { RESULT_WORDS } from '../result/result-words.ts'
import { ingestionState } from './ingestion-state.ts'
import styles from './datasets.module.css'
import { DATASETS_WORDS } from './datasets-words.ts'

const WORDS = DATASETS_WORDS.table
/** A list of more rows than this has a search. */
const LONG = 8

interface DatasetTableProps {
  /** In the order of the list. */
  datasets: readonly DatasetView[]
  text: string
  onText: (text: string) => void
  ticked: readonly string[]
  onTick: (ticked: string[]) => void
}

/** A row per dataset; ticked ones are taken into one new run. */
export function DatasetTable({ datasets, text, onText, ticked, onTick }: DatasetTableProps) {
  const navigate = useNavigate()
  const runs = useQuery(api.runs.list.queryOptions({ input: { limit: 100 } })).data?.runs ?? []
  const words = text.toLowerCase().split(/\s+/)
  const found = datasets.filter(({ id, label, description }) => {
    const all = `${id} ${label} ${description}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
  const chosen = datasets.filter(({ id }) => ticked.includes(id))
  return (
    <>
      {!datasets.some(({ own }) => own) && (
        <EmptyPanel title={WORDS.noneOwn}>
          <p>{WORDS.noneOwnAbout}</p>
          <NewDatasetButton variant="filled" label={OWN_WORDS.newDataset.open} />
        </EmptyPanel>
      )}
      <div className="row">
        {datasets.length > LONG && (
          <TextInput
            aria-label={WORDS.search}
            placeholder={WORDS.search}
            value={text}
            onChange={({ currentTarget: { value } }) => onText(value)}
          />
        )}
        <span role="status" className="dim">
          {chosen.length > 0
            ? WORDS.chosen(chosen.length)
            : found.length === datasets.length
              ? WORDS.hint
              : WORDS.found(found.length, datasets.length)}
        </span>
        {chosen.length > 0 && (
          <>
            <Button
              variant="filled"
              onClick={() => void navigate({ to: '/launch', search: { datasets: chosen.map(({ id }) => id) } })}
            >
              {WORDS.run(chosen.length)}
            </Button>
            <Button onClick={() => onTick([])}>{WORDS.clear}</Button>
          </>
        )}
      </div>
      {found.length === 0 ? (
        <p>{WORDS.noneFound(text)}</p>
      ) : (
        <ScrollTable label={WORDS.title} className={styles.list}>
          <TableHead
            columns={[
              unseen(WORDS.tick),
              WORDS.name,
              { head: WORDS.kind, className: styles.wide },
              { head: WORDS.documents, className: `${table.num} ${styles.wide}` },
              num(WORDS.questions),
              { head: WORDS.level, className: `${table.num} ${styles.wide}` },
              { head: WORDS.state, className: styles.wide },
              WORDS.lastRun,
            ]}
          />
          <tbody>
            {found.map((dataset) => (
              <DatasetRow
                key={dataset.id}
                dataset={dataset}
                run={runs.find((run) => run.datasets.some(({ dataset_id: id }) => id === dataset.id))?.run_id}
                isTicked={ticked.includes(dataset.id)}
                onTick={() =>
                  onTick(
                    ticked.includes(dataset.id) ? ticked.filter((id) => id !== dataset.id) : [...ticked, dataset.id],
                  )
                }
              />
            ))}
          </tbody>
        </ScrollTable>
      )}
    </>
  )
}

interface DatasetRowProps {
  dataset: DatasetView
  /** The newest run that has answers to its questions. */
  run: string | undefined
  isTicked: boolean
  onTick: () => void
}

function DatasetRow({ dataset, run, isTicked, onTick }: DatasetRowProps) {
  const { id, label, own, questions, with_gold: gold, complexity_level: level } = dataset
  const documents = useQuery(api.datasets.documents.queryOptions({ input: { dataset_id: id, limit: 1 } })).data?.total
  const jobs = useQuery(api.runs.jobs.queryOptions()).data ?? []
  const isUnderWay = jobs.some(({ state, request }) => isUnderWayOrQueued(state) && request.dataset_ids.includes(id))
  const state = ingestionState({ documents, questions, run, isUnderWay })
  const kind = own ? WORDS.own : WORDS.ofProject
  return (
    <tr>
      <td>
        <Checkbox
          aria-label={questions === 0 ? WORDS.noQuestionsToRun(label) : WORDS.tickOf(label)}
          checked={isTicked}
          disabled={questions === 0}
          onChange={onTick}
        />
      </td>
      <th scope="row" className={table.wrap}>
        <Link to="/datasets" search={{ dataset: id }}>
          {label}
        </Link>
        <span className={styles.narrow}>
          {kind} · {WORDS.levelOf(level)} · {documents === undefined ? '…' : plural(documents, 'document')} ·{' '}
          {state.words}
        </span>
      </th>
      <td className={styles.wide}>{kind}</td>
      <td className={`${table.num} ${styles.wide}`}>{documents === undefined ? '…' : count(documents)}</td>
      <td className={table.num}>
        {count(questions)}
        <span className={`${styles.under} ${styles.wide}`}>{WORDS.withGold(gold)}</span>
      </td>
      <td className={`${table.num} ${styles.wide}`}>{level}</td>
      <td className={`${table.whole} ${styles.wide}`}>
        <StateDot tone={state.tone} /> {state.words}
      </td>
      <td className={table.wrap}>{run === undefined ? '–' : <LastRun run={run} dataset={id} />}</td>
    </tr>
  )
}

/** The verdict of a run about a dataset, which leads to it; its headline is hidden while the person votes blindly. */
function LastRun({ run, dataset }: { run: string; dataset: string }) {
  const blind = useBlind()
  const { data } = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const verdict = data?.verdicts.find((each) => each.dataset === dataset)
  return (
    <>
      {verdict !== undefined && (
        <>
          <span aria-hidden="true">{RESULT_WORDS.kinds[verdict.kind].sign}</span>{' '}
          {blind ? RESULT_WORDS.kinds[verdict.kind].name : verdict.headline}
        </>
      )}
      <span className={styles.under}>
        <Link to="/runs/$run/verdict" params={{ run }} search={{ dataset }}>
          {run}
        </Link>{' '}
        <SampleMark run={run} />
      </span>
    </>
  )
}
