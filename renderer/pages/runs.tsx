import { Button, Checkbox, Select, TextInput } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { RunState } from '../../contract/control/run-job.ts'
import { useSamples } from '../components/run-marks.tsx'
import { EmptyPanel, Loaded, Page, Panel } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { CompareBar } from '../features/runs/compare-bar.tsx'
import { ImportBundleButton } from '../features/runs/run-bundle.tsx'
import { matchesFilter, type RunFilter } from '../features/runs/run-filter.ts'
import { RunTable } from '../features/runs/run-table.tsx'
import { TrendPanel } from '../features/runs/trend-panel.tsx'
import { RUNS_WORDS as WORDS } from '../features/runs/runs-words.ts'
import styles from '../features/runs/runs.module.css'
import { bytes } from '../components/format.ts'
import { TrashTable } from '../components/trash-table.tsx'
import { useRestoreRun } from '../features/runs/use-runs.ts'

/** Every run, failed ones included: notes, settings, and what can be done with it. */
export function RunsPage() {
  const { run: open, trend, of, metric, ticked: names, ...filter } = useSearch({ from: '/runs' })
  const shownTrend = { trend, of, metric }
  const kept = { ...shownTrend, ticked: names }
  const navigate = useNavigate({ from: '/runs' })
  const query = useInfiniteQuery(
    api.runs.overview.infiniteOptions({
      input: (cursor: string | undefined) => (cursor === undefined ? {} : { cursor }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    }),
  )
  const runs = query.data?.pages.flatMap((page) => page.runs) ?? []
  const total = query.data?.pages[0]?.total ?? 0
  const ticked = runs.filter(({ run_id: id }) => names?.includes(id))
  const tick = (ids: string[]): void =>
    void navigate({
      search: { ...filter, ...shownTrend, run: open, ticked: ids.length === 0 ? undefined : ids },
      replace: true,
    })
  const shown = runs.filter((run) => matchesFilter(run, filter))
  const samples = useSamples().size
  const launch = (
    <Button variant="filled" component={Link} to="/launch">
      {WORDS.launch}
    </Button>
  )
  return (
    <Page
      title={WORDS.page}
      aside={
        <>
          {query.data !== undefined && (
            <span>{WORDS.shown(shown.filter(({ sample }) => !sample).length, total - samples, samples)}</span>
          )}
          <ImportBundleButton />
          {runs.length > 0 && launch}
        </>
      }
    >
      <Loaded query={query} what={WORDS.what} rows={10} height={48} />
      {query.data !== undefined && runs.length === 0 && (
        <EmptyPanel title={WORDS.empty}>
          <p>{WORDS.emptyText}</p>
          {launch}
        </EmptyPanel>
      )}
      {runs.length > 0 && (
        <Panel title={WORDS.all}>
          <Filter
            filter={filter}
            tags={[...new Set(runs.flatMap(({ note }) => note.tags))].toSorted()}
            onFilter={(next) => void navigate({ search: { run: open, ...kept, ...next }, replace: true })}
          />
          {shown.length === 0 && (
            <p className="dim">
              {WORDS.filter.none}{' '}
              <Button size="compact-sm" onClick={() => void navigate({ search: kept })}>
                {WORDS.filter.clear}
              </Button>
            </p>
          )}
          <CompareBar ticked={ticked} onClear={() => tick([])} />
          {shown.length > 0 && (
            <RunTable
              runs={shown}
              open={open}
              ticked={ticked}
              onTick={(run) =>
                tick(
                  ticked.some(({ run_id: id }) => id === run)
                    ? ticked.map(({ run_id: id }) => id).filter((id) => id !== run)
                    : [...ticked.map(({ run_id: id }) => id), run],
                )
              }
              onOpen={(run) => void navigate({ search: { ...filter, ...kept, run } })}
            />
          )}
          {query.hasNextPage && (
            <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {WORDS.older}
            </Button>
          )}
        </Panel>
      )}
      <TrendPanel
        search={shownTrend}
        onChange={(next) => void navigate({ search: { ...filter, run: open, ...kept, ...next }, replace: true })}
      />
      <RunTrash />
    </Page>
  )
}

interface FilterProps {
  filter: RunFilter
  tags: string[]
  onFilter: (filter: RunFilter) => void
}

function Filter({ filter, tags, onFilter }: FilterProps) {
  const change = (next: RunFilter): void => onFilter({ ...filter, ...next })
  return (
    <div className={styles.filter}>
      <TextInput
        aria-label={WORDS.filter.text}
        placeholder={WORDS.filter.text}
        value={filter.text ?? ''}
        onChange={({ currentTarget: { value } }) => change({ text: value === '' ? undefined : value })}
      />
      {tags.length > 0 && (
        <Select
          aria-label={WORDS.filter.tag}
          placeholder={WORDS.filter.anyTag}
          clearable
          data={tags}
          value={filter.tag ?? null}
          onChange={(value) => change({ tag: value ?? undefined })}
        />
      )}
      <Select
        aria-label={WORDS.filter.state}
        placeholder={WORDS.filter.anyState}
        clearable
        data={RunState.options}
        value={filter.state ?? null}
        onChange={(value) => change({ state: RunState.options.find((state) => state === value) })}
      />
      <Checkbox
        label={WORDS.filter.starred}
        checked={filter.starred === true}
        onChange={({ currentTarget: { checked } }) => change({ starred: checked ? true : undefined })}
      />
      <Checkbox
        label={WORDS.filter.own}
        checked={filter.own === true}
        onChange={({ currentTarget: { checked } }) => change({ own: checked ? true : undefined })}
      />
    </div>
  )
}

const TRASH = WORDS.trash

function RunTrash() {
  const { data = [] } = useQuery(api.runs.trash.queryOptions())
  const restore = useRestoreRun()
  return (
    <TrashTable
      title={TRASH.title}
      columns={{ name: TRASH.run, removedAt: TRASH.removedAt, size: TRASH.size }}
      items={data.map(({ trash_id: trashId, run_id: run, why, removed_at: removedAt, files, size_bytes: size }) => ({
        trashId,
        name: TRASH.what[why](run),
        removedAt,
        size: TRASH.files(files, bytes(size)),
      }))}
      restore={TRASH.restore}
      restoreOf={TRASH.restoreOf}
      onRestore={(id) => restore.mutate({ trash_id: id })}
    />
  )
}
