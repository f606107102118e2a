import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { TuningHead } from '../../../contract/control/tuning.ts'
import { ErrorPanel } from '../../components/states.tsx'
import { DataTable, num } from '../../components/tables.tsx'
import { api } from '../../data/client.ts'
import styles from './tune.module.css'
import { TUNE_WORDS as WORDS } from './tune-words.ts'

const POLL_MS = 1000

/** Asked again while one is under way. */
const pollWhileRunning = (heads: readonly TuningHead[] | undefined): number | false =>
  heads?.some(({ state }) => state === 'running') === true ? POLL_MS : false

/** Tunings of the results folder, newest first. */
export function TuningList() {
  const { data, error } = useQuery({
    ...api.tunings.list.queryOptions(),
    refetchInterval: ({ state }) => pollWhileRunning(state.data),
  })
  return (
    <section className={styles.block} aria-label={WORDS.list}>
      <h2>{WORDS.list}</h2>
      {error !== null && <ErrorPanel error={error} what={WORDS.list} />}
      {data?.length === 0 && <p className="dim">{WORDS.none}</p>}
      {data !== undefined && data.length > 0 && (
        <DataTable
          label={WORDS.list}
          rows={data}
          keyOf={({ name }) => name}
          columns={[
            [
              WORDS.name,
              ({ name }) => (
                <Link to="/tools/tune" search={{ name }}>
                  {name}
                </Link>
              ),
            ],
            [WORDS.alias, ({ alias }) => alias],
            [WORDS.dataset_id, ({ dataset_id: dataset }) => dataset],
            [WORDS.parameters, ({ tuned }) => tuned.join(', ')],
            [
              WORDS.state,
              ({ state }) => (
                <>
                  <span aria-hidden="true">{WORDS.states[state].sign}</span> {WORDS.states[state].name}
                </>
              ),
            ],
            [num(WORDS.progress), ({ trials }) => WORDS.of(trials.done, trials.total)],
          ]}
        />
      )}
    </section>
  )
}
